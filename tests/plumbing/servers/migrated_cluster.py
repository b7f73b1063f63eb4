"""A database folder with the migrated test database: made once, then copied by each test session.

`python -m tests.plumbing.servers.migrated_cluster FOLDER` makes it. Migrating takes longer than all else that
a session does before its first test. A new migration, package or Postgres gives a new folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.db import connection
from django.db.models.signals import post_migrate
from django.utils.module_loading import import_string

from config.embedded import postgres
from config.embedded.machine import PROJECT
from config.embedded.postgres import Home
from config.embedded.server_programs import postgres_version

CLUSTERS = PROJECT / ".tools" / "test-clusters"
# The migrated tables depend on these and on the version of Postgres; the lock file names each package's.
SOURCES = [Path(postgres.__file__), Path(__file__), PROJECT / "config" / "settings.py", PROJECT / "uv.lock"]
MIGRATIONS = PROJECT / "campaigns" / "migrations"
# A server that was killed leaves this file, and maybe half of a table.
UNCLEAN = "postmaster.pid"


def copy_to(home: Home, clusters: Path = CLUSTERS) -> None:
    """Lay out the server's data folder before its first start."""
    clusters.mkdir(parents=True, exist_ok=True)
    folder = clusters / fingerprint(home)
    with _locked(clusters):
        if not folder.exists():
            for earlier in clusters.glob("*-*"):
                shutil.rmtree(earlier)
            _build(folder)
        _copy(folder, home.data)


def fingerprint(home: Home) -> str:
    digest = hashlib.sha256()
    for path in [*SOURCES, *sorted(MIGRATIONS.glob("*.py"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"{postgres_version(home.programs)}-{digest.hexdigest()[:16]}"


def keep_permissions_unwritten() -> None:
    """Each time the tables were emptied, Django would write permissions again, which no test asks for."""
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(import_string("django.contrib.contenttypes.management.create_contenttypes"))


@contextmanager
def _locked(clusters: Path) -> Iterator[None]:
    """Sessions that start together wait for the one that builds."""
    with (clusters / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _copy(source: Path, target: Path) -> None:
    # Where the server runs as `nobody`, the files are that user's.
    subprocess.run(["cp", "-a", source, target], check=True)


def _build(folder: Path) -> None:
    """In a process of its own: here, Django is about to connect to the session's own server."""
    own = ("DATABASE_URL", "REDIS_URL", "DATA_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in own}
    command = [sys.executable, "-m", "tests.plumbing.servers.migrated_cluster", str(folder)]
    subprocess.run(command, check=True, cwd=PROJECT, env=environment)


def main(folder: Path) -> None:
    # Imported late: it makes a folder for this process, and imports this module.
    from tests.plumbing.servers.services import pair

    pair.name_in_environment()
    django.setup()
    keep_permissions_unwritten()
    home = pair.start_empty()
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    connection.close()
    pair.stop(grace=60)
    if (home.data / UNCLEAN).exists():
        sys.exit(f"Postgres did not shut down: {home.data}")
    unfinished = folder.with_name("unfinished-cluster")
    shutil.rmtree(unfinished, ignore_errors=True)
    _copy(home.data, unfinished)
    unfinished.rename(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
