"""The copied database folder: the newest migrations, made once by sessions that start together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

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


def test_sessions_that_start_together_build_once(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters, built = tmp_path / "clusters", []
    (clusters / "17-of-earlier-migrations").mkdir(parents=True)

    def build(folder: Path) -> None:
        built.append(folder)
        folder.mkdir()
        (folder / "PG_VERSION").write_text("18")

    monkeypatch.setattr(migrated_cluster, "_build", build)
    homes = [replace(home, data=tmp_path / f"data {n}") for n in range(4)]
    with ThreadPoolExecutor(len(homes)) as threads:
        list(threads.map(lambda one: migrated_cluster.copy_to(one, clusters), homes))
    assert len(built) == 1
    assert all((one.data / "PG_VERSION").read_text() == "18" for one in homes)
    assert sorted(path.name for path in clusters.iterdir()) == sorted([built[0].name, "lock"])
