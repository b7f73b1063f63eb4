"""The private Postgres and Redis: kept data, crashes, kills, refusals."""

import os
import signal
import socket
import sys
from contextlib import closing, nullcontext
from pathlib import Path

import psycopg2
import pytest
import redis
from psycopg2.errors import InsufficientPrivilege

from config.embedded import postgres, redis_server
from config.embedded.machine import PROJECT, Identity, places_at
from config.embedded.processes import Child
from tests.config.embedded.supervisor_process import (
    SERVICES_UP,
    Start,
    Supervised,
    bare_environment,
    eventually,
)
from tests.config.embedded.supervisor_process import start as start
from tests.plumbing.programs import finished
from tests.plumbing.servers.services import pair

# Earlier versions have no role of the site; and an account.
MADE_EARLIER = """
DROP OWNED BY site; DROP ROLE site;
INSERT INTO auth_user VALUES (1, '', NULL, false, 'ada', '', '', '', false, true, now());
"""


def test_a_second_start_keeps_the_data_and_the_secret(start: Start) -> None:
    first = start("--services-only")
    first.await_words(SERVICES_UP)
    first.ask("CREATE TABLE kept AS SELECT 7 AS judgments")
    secret = first.urls()["SECRET_KEY"]
    assert first.stop() == 0
    assert first.children() == []
    assert not (first.data / "environment").exists()

    second = start("--services-only")
    eventually(lambda: (second.data / "environment").exists(), "the second start's addresses")
    assert second.ask("SELECT judgments FROM kept") == (7,)
    assert second.urls()["SECRET_KEY"] == secret
    assert (second.data / "secret-key").stat().st_mode & 0o777 == 0o600
    assert second.stop(signal.SIGINT) == 0
    assert second.children() == []


def test_a_second_simultaneous_start_is_refused(start: Start, tmp_path: Path) -> None:
    first = start("--services-only")
    first.await_words(SERVICES_UP)
    second = start("--services-only")
    assert second.await_exit() == 1
    assert f"Already running on {first.data} (process {first.process.pid}" in second.said()
    assert first.ask("SELECT 1") == (1,)


@pytest.mark.parametrize("name", ["postgres", "redis"])
def test_a_killed_server_is_named_and_started_again(start: Start, name: str) -> None:
    supervised = start("--services-only")
    supervised.await_words(SERVICES_UP)
    supervised.ask("CREATE TABLE kept AS SELECT 7 AS judgments")
    os.kill(supervised.child(name), signal.SIGKILL)
    supervised.await_words(f"{name} ended (signal 9 (SIGKILL))")
    supervised.await_words(f"{name} is started again")
    eventually(
        lambda: _answers(supervised, "SELECT judgments FROM kept", 7), "the database after its restart"
    )
    assert supervised.stop() == 0
    assert supervised.children() == []


def test_nothing_outlives_a_killed_supervisor_and_the_next_start_recovers(start: Start) -> None:
    first = start("--services-only")
    first.await_words(SERVICES_UP)
    first.ask("CREATE TABLE kept AS SELECT 7 AS judgments")
    first.stop(signal.SIGKILL)
    eventually(lambda: not first.children(), "the children of a killed supervisor end by themselves")

    # A process number written down before a power cut may belong to any process by now; here, to this test.
    note = first.data / "postgres" / "postmaster.pid"
    note.write_text(f"{os.getpid()}\n{note.parent}\n1\n5432\n{first.data / 'run'}\n\n  1 1\nready\n")
    second = start("--services-only")
    second.await_words(SERVICES_UP, times=2)
    assert second.ask("SELECT judgments FROM kept") == (7,)


def test_data_of_a_version_that_served_as_the_owner_get_the_role_of_the_site(start: Start) -> None:
    first = start("--services-only")
    first.await_words(SERVICES_UP)
    migrate(first)
    first.ask(MADE_EARLIER)
    assert first.stop() == 0

    second = start("--services-only")
    second.await_words(SERVICES_UP, times=2)
    migrate(second)
    with closing(psycopg2.connect(second.urls()["DATABASE_URL"])) as site, site.cursor() as cursor:
        cursor.execute("SELECT current_user, username FROM auth_user")
        assert cursor.fetchall() == [("site", "ada")]
        cursor.execute("UPDATE auth_user SET email = 'ada@example.org'")
        with pytest.raises(InsufficientPrivilege):
            cursor.execute("UPDATE campaigns_judgment SET grade = 0")


def migrate(site: Supervised) -> None:
    done = finished(
        [sys.executable, str(PROJECT / "manage.py"), "migrate", "--no-input", "--verbosity", "0"],
        env=bare_environment(DATA_DIR=str(site.data)),
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("option", ["unix_socket_directories", "--unixsocket "])
def test_a_server_killed_while_it_starts_does_not_end_the_start(start: Start, option: str) -> None:
    supervised = start("--services-only")
    eventually(lambda: bool(supervised.processes(option)), option)
    os.kill(min(supervised.processes(option)), signal.SIGKILL)
    supervised.await_words(SERVICES_UP)
    # Killed after its first answer, it is away once more.
    eventually(lambda: _answers(supervised, "SELECT 1", 1), "the database")
    assert supervised.stop() == 0


@pytest.mark.parametrize(
    ("code", "words", "repeated"),
    [
        (None, "server closed the connection unexpectedly", True),
        ("57P03", "the database system is starting up", True),
        ("XX000", "tuple concurrently updated", True),
        ("XX000", "cache lookup failed for relation 1", False),
        ("53100", "could not extend file", False),
    ],
)
def test_only_what_passes_lets_a_start_ask_the_database_again(
    monkeypatch: pytest.MonkeyPatch, code: str | None, words: str, repeated: bool
) -> None:
    error = psycopg2.DatabaseError(words)
    error.__setstate__({"pgcode": code})

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(psycopg2, "connect", fail)
    home = postgres.Home(Identity.ONESELF, Path(), Path(), Path())
    with nullcontext() if repeated else pytest.raises(psycopg2.DatabaseError):
        assert not postgres._has_database(home)


SET = b"*3\r\n$3\r\nSET\r\n$4\r\nkept\r\n$1\r\n7\r\n"


def parts_of_log(base: bytes) -> dict[str, bytes]:
    """As Redis 7 and later keep them: a snapshot, the commands since, and a list of both."""
    manifest = b"file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n"
    parts = {"manifest": manifest, "1.base.rdb": base, "1.incr.aof": SET}
    return {f"appendonlydir/appendonly.aof.{name}": part for name, part in parts.items()}


# Of a snapshot without keys: its version, the end, and no checksum.
LOGS = {
    "Redis 6.2": ({"appendonly.aof": SET}, b"7"),
    "Redis 7.4": (parts_of_log(b"REDIS0012\xff" + bytes(8)), b"7"),
    "unknown": (parts_of_log(b"REDIS9999\xff" + bytes(8)), None),
    "broken": (parts_of_log(b"unreadable"), None),
}


@pytest.mark.parametrize(("files", "kept"), LOGS.values(), ids=LOGS)
def test_redis_reads_the_data_of_every_version_and_sets_others_aside(
    tmp_path: Path, files: dict[str, bytes], kept: bytes | None
) -> None:
    places = places_at(tmp_path / "data")
    for name, content in files.items():
        file = places.data / "redis" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    child = Child(redis_server.program(places), tmp_path / "redis.log", mark="tests")
    child.start()
    try:
        redis_server.await_ready(places, child)
        with redis.Redis.from_url(redis_server.url(places)) as client:
            assert client.get("kept") == kept
    finally:
        child.kill_group()
    aside = places.data / "redis.unreadable"
    assert aside.exists() == (f"that is {aside} now" in child.log.read_text()) == (kept is None)


def test_servers_that_the_environment_names_are_used_instead(start: Start) -> None:
    supervised = start("--services-only", environment=bare_environment(**pair.urls))
    supervised.await_words(SERVICES_UP)
    assert supervised.children() == []
    assert supervised.urls()["DATABASE_URL"] == pair.urls["DATABASE_URL"]
    assert supervised.stop() == 0


def test_each_server_is_chosen_by_itself(start: Start) -> None:
    environment = bare_environment(REDIS_URL=pair.urls["REDIS_URL"])
    supervised = start("--services-only", environment=environment)
    supervised.await_words(SERVICES_UP)
    assert supervised.urls()["REDIS_URL"] == pair.urls["REDIS_URL"]
    assert supervised.urls()["DATABASE_URL"] != pair.urls["DATABASE_URL"]
    assert supervised.ask("SELECT 1") == (1,)


def test_a_port_in_use_is_told_before_anything_starts(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        supervised = start("--port", str(port))
        assert supervised.await_exit() == 1
    assert f"Port {port} is in use by another program" in supervised.said()
    assert not (supervised.data / "postgres").exists()


def _answers(supervised: Supervised, question: str, answer: int) -> bool:
    try:
        return bool(supervised.ask(question) == (answer,))
    except psycopg2.OperationalError:
        return False
