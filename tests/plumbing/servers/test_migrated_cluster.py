"""The copied database folder: the newest migrations, made once by sessions that start together."""

from __future__ import annotations

import fcntl
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from campaigns.models import Deed
from config.embedded.machine import Identity
from config.embedded.postgres import Home, home_at
from tests.plumbing.servers import migrated_cluster
from tests.plumbing.servers.services import pair


@pytest.fixture
def home(tmp_path: Path) -> Home:
    if not pair.migrated:
        pytest.skip("DATABASE_URL names another server")
    return replace(home_at(pair.places), data=tmp_path / "data")


@pytest.mark.django_db
def test_database_of_the_tests_has_every_migration() -> None:
    loader = MigrationLoader(connection)
    assert set(loader.disk_migrations) <= loader.applied_migrations.keys()


def test_another_migration_needs_another_folder(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrated_cluster, "MIGRATIONS", tmp_path)
    seen = {migrated_cluster.fingerprint(home)}
    for change in ("", "a column", "a longer column"):
        (tmp_path / "0002_column.py").write_text(change)
        seen.add(migrated_cluster.fingerprint(home))
    assert len(seen) == 4


def stored(home: Home, text: str) -> Callable[[Path, int], None]:
    """A build that stores such a folder."""

    def build(clusters: Path, _lock: int) -> None:
        folder = clusters / migrated_cluster.fingerprint(home)
        folder.mkdir()
        (folder / "PG_VERSION").write_text(text)

    return build


def folders(clusters: Path) -> set[str]:
    return {path.name for path in clusters.glob("*/*-*")}


def test_sessions_that_start_together_build_once(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Mock(side_effect=stored(home, "18"))
    monkeypatch.setattr(migrated_cluster, "_build", build)
    homes = [replace(home, data=tmp_path / f"data {n}") for n in range(4)]
    with ThreadPoolExecutor(len(homes)) as threads:
        list(threads.map(lambda one: migrated_cluster.copy_to(one, tmp_path / "clusters"), homes))
    assert build.call_count == 1
    assert all((one.data / "PG_VERSION").read_text() == "18" for one in homes)


def test_two_folders_used_last_stay(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrated_cluster, "_build", stored(home, "18"))
    for at, name in enumerate(["18-a", "18-b", "18-a", "18-c", "18-a"]):
        monkeypatch.setattr(migrated_cluster, "fingerprint", lambda _home, name=name: name)
        migrated_cluster.copy_to(replace(home, data=tmp_path / str(at)), tmp_path / "clusters")
    assert folders(tmp_path / "clusters") == {"18-a", "18-c"}


def test_another_identity_has_another_folder(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for identity in Identity:
        own = replace(home, identity=identity, data=tmp_path / identity.name)
        monkeypatch.setattr(migrated_cluster, "_build", stored(own, identity.name))
        migrated_cluster.copy_to(own, tmp_path / "clusters")
        assert (own.data / "PG_VERSION").read_text() == identity.name


def test_sources_that_changed_meanwhile_are_migrated_again(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.data.mkdir()
    (home.data / "PG_VERSION").write_text("18")
    names = iter(["18-new", "18-newest", "18-newest", "18-newest", "18-newest"])
    monkeypatch.setattr(migrated_cluster, "fingerprint", lambda _home: next(names))
    built = ["18-old", "18-newest"]
    monkeypatch.setattr(
        migrated_cluster, "_build", lambda place, _lock: migrated_cluster.store(home, place, built.pop(0))
    )
    migrated_cluster.copy_to(replace(home, data=tmp_path / "copy"), tmp_path / "clusters")
    assert (built, folders(tmp_path / "clusters")) == ([], {"18-newest"})


def test_half_of_a_folder_is_removed_and_not_stored(home: Home, tmp_path: Path) -> None:
    (tmp_path / "unfinished-1" / "base").mkdir(parents=True)
    home.data.mkdir()
    with pytest.raises(SystemExit, match="no data folder"):
        migrated_cluster.store(home, tmp_path, migrated_cluster.fingerprint(home))
    assert not (tmp_path / "unfinished-1").exists()
    assert not list(tmp_path.glob("[0-9]*-*"))


def test_builder_of_a_killed_session_keeps_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def run(_command: list[str], *, pass_fds: Sequence[int], **_: object) -> None:
        started.append(subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=pass_fds))
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(KeyboardInterrupt), migrated_cluster.locked(tmp_path) as lock:
        migrated_cluster._build(tmp_path, lock)
    with (tmp_path / "lock").open("w") as file:
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        started[0].communicate()
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.django_db
def test_model_without_migration_gets_no_table() -> None:
    migrated_cluster.refuse_missing_tables()
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {Deed._meta.db_table} CASCADE")
    with pytest.raises(LookupError, match=Deed._meta.db_table):
        migrated_cluster.refuse_missing_tables()
