"""Postgres and Redis are a wheel's, else the system's; an error names the command that installs them."""

import os
import shutil
from pathlib import Path

import pytest

from config.embedded import server_programs
from config.embedded.machine import EmbeddedError
from config.embedded.server_programs import (
    REDIS_WHEEL,
    WHEEL,
    postgres_programs,
    postgres_version,
    redis_program,
)
from tests.config.embedded.supervisor_process import SERVICES_UP, Start, bare_environment
from tests.config.embedded.supervisor_process import start as start

SYSTEM_POSTGRES = server_programs._postgres_folders()


@pytest.fixture
def without_wheels(tmp_path: Path) -> Path:
    """A folder that, in PYTHONPATH, hides the wheels behind packages without programs."""
    for package in (WHEEL, REDIS_WHEEL):
        (tmp_path / "hidden" / package).mkdir(parents=True)
        (tmp_path / "hidden" / package / "__init__.py").touch()
    return tmp_path / "hidden"


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, without_wheels: Path) -> Path:
    """Neither wheels nor servers; the folder is all of PATH."""
    programs = without_wheels.parent / "programs"
    programs.mkdir()
    monkeypatch.syspath_prepend(str(without_wheels))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(server_programs, "POSTGRES_FOLDERS", ())
    monkeypatch.setattr(server_programs, "REDIS_FOLDERS", ())
    return programs


def link(folder: Path, *programs: Path) -> None:
    for program in programs:
        (folder / program.name).symlink_to(program)


def test_without_wheels_the_programs_in_path_are_started(start: Start, without_wheels: Path) -> None:
    programs = without_wheels.parent / "programs"
    programs.mkdir()
    link(programs, postgres_programs() / "initdb", postgres_programs() / "postgres", redis_program())
    environment = bare_environment(
        PYTHONPATH=str(without_wheels), PATH=f"{programs}{os.pathsep}{os.environ['PATH']}"
    )
    supervised = start("--services-only", environment=environment)
    supervised.await_words(SERVICES_UP)
    command = Path(f"/proc/{supervised.child('redis')}/cmdline").read_bytes().split(b"\0")[0]
    assert command == os.fsencode(programs / redis_program().name)
    assert supervised.ask("SELECT 1") == (1,)
    assert supervised.stop() == 0


@pytest.mark.skipif(not SYSTEM_POSTGRES, reason="no Postgres of the system's own")
def test_the_systems_postgres_sorts_by_bytes_and_knows_all_letters(
    start: Start, without_wheels: Path
) -> None:
    shutil.rmtree(without_wheels / REDIS_WHEEL)
    supervised = start("--services-only", environment=bare_environment(PYTHONPATH=str(without_wheels)))
    supervised.await_words(SERVICES_UP)
    version = supervised.ask("SHOW server_version_num")
    assert version is not None
    assert int(version[0]) // 10000 == postgres_version(SYSTEM_POSTGRES[0])
    assert supervised.ask("SELECT 'Z' < 'a', upper('é')") == (True, "É")
    assert supervised.stop() == 0


def test_a_missing_redis_is_told_with_the_command_that_installs_it(bare_machine: Path) -> None:
    with pytest.raises(
        EmbeddedError, match=r"^No Redis was found: install one .*redis.*, or set REDIS_URL\."
    ):
        redis_program()


def test_a_missing_or_old_postgres_is_told_with_the_command_that_installs_it(bare_machine: Path) -> None:
    message = r"^No Postgres 15 or newer was found: install one .*postgresql.*, or set DATABASE_URL\.$"
    with pytest.raises(EmbeddedError, match=message):
        postgres_programs()
    for name in ("initdb", "postgres"):
        (bare_machine / name).write_text("#!/bin/sh\necho postgres '(PostgreSQL) 13.22'\n")
        (bare_machine / name).chmod(0o755)
    with pytest.raises(EmbeddedError, match=message):
        postgres_programs()


def test_valkey_serves_where_redis_is_missing(bare_machine: Path) -> None:
    (bare_machine / "valkey-server").touch(mode=0o755)
    assert redis_program() == bare_machine / "valkey-server"


def test_data_of_another_postgres_are_refused_with_both_versions(start: Start) -> None:
    first = start("--services-only")
    first.await_words(SERVICES_UP)
    first.stop()
    (first.data / "postgres" / "PG_VERSION").write_text("14\n")
    second = start("--services-only")
    assert second.await_exit() == 1
    assert f"Postgres 14 made the data in {second.data / 'postgres'}" in second.said()
    assert second.children() == []
