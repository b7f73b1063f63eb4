"""The pair that every test stands on is real, private and set up as the documentation says."""

import os
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg2
import pytest
import redis

from tests.plumbing.servers.services import pair, remove_abandoned


def one(question: str) -> str:
    with closing(psycopg2.connect(pair.urls["DATABASE_URL"])) as connection, connection.cursor() as cursor:
        cursor.execute(question)
        row = cursor.fetchone()
        assert row is not None
        return str(row[0])


def test_docnos_sort_as_bytes_and_letters_follow_unicode() -> None:
    assert one("SHOW server_encoding") == "UTF8"
    values = "(VALUES ('a'), ('B'), ('é'), ('z'), ('10'), ('9')) AS docnos(docno)"
    assert one(f"SELECT string_agg(docno, ' ' ORDER BY docno) FROM {values}") == "10 9 B a z é"
    assert one("SELECT upper('é')") == "É"


def test_redis_answers() -> None:
    with redis.Redis.from_url(pair.urls["REDIS_URL"]) as client:
        assert client.ping()


def test_nobody_else_can_reach_the_sockets() -> None:
    folder = parse_qs(urlsplit(pair.urls["DATABASE_URL"]).query).get("host", [""])[0]
    if not folder:
        pytest.skip("DATABASE_URL names another server")
    assert Path(folder).stat().st_mode & 0o077 == 0
    assert one("SHOW listen_addresses") == ""


def test_a_killed_sessions_folder_is_removed_and_a_running_ones_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # Process numbers stay below the kernel's limit, so no process has this one.
    beyond = int(Path("/proc/sys/kernel/pid_max").read_text()) + 1
    for process in (beyond, os.getpid()):
        (tmp_path / f"assess-tests-{process}-x").mkdir()
    remove_abandoned()
    assert [folder.name for folder in tmp_path.iterdir()] == [f"assess-tests-{os.getpid()}-x"]
