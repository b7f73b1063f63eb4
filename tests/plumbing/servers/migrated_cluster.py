"""A database folder with the migrated test database: made once, then copied by each test session.

`python -m tests.plumbing.servers.migrated_cluster FOLDER` makes it there, named by its sources. Migrating
takes longer than all else that a session does before its first test. A new migration, package or Postgres
gives a new folder; the two used last stay, so that two branches can take turns.
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
from typing import Any

import django
from django.db import connection
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.module_loading import import_string

from config.embedded import postgres
from config.embedded.machine import PROJECT
from config.embedded.postgres import Home, home_at
from config.embedded.server_programs import postgres_version

CLUSTERS = PROJECT / ".tools" / "test-clusters"
MOST_CLUSTERS = 2
# Sources may change while they are migrated; so often in a row, only if something is wrong.
MOST_BUILDS = 3
# The migrated tables depend on these and on the version of Postgres; the lock file names each package's.
SOURCES = [Path(postgres.__file__), Path(__file__), PROJECT / "config" / "settings.py", PROJECT / "uv.lock"]
MIGRATIONS = PROJECT / "campaigns" / "migrations"
# A server that was killed leaves this file, and maybe half of a table.
UNCLEAN = "postmaster.pid"


def copy_to(home: Home, clusters: Path = CLUSTERS) -> None:
    """Lay out the server's data folder before its first start."""
    # A copy keeps its owner, who must be the user that the server runs as.
    own = clusters / f"{os.geteuid()}-{home.identity.name.lower()}"
    own.mkdir(parents=True, exist_ok=True)
    with locked(own) as lock:
        folder = _current(home, own, lock)
        os.utime(folder)
        latest = sorted((one for one in own.iterdir() if one.is_dir()), key=lambda one: one.stat().st_mtime)
        for earlier in latest[:-MOST_CLUSTERS]:
            shutil.rmtree(earlier)
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


def refuse_missing_tables(**_: Any) -> None:
    """Fail, once, before Django makes tables for models that no migration has."""
    pre_migrate.disconnect(refuse_missing_tables)
    tables = connection.introspection
    if missing := set(tables.django_table_names()) - set(tables.table_names()):
        raise LookupError(f"no migration makes {', '.join(sorted(missing))}: run `manage.py makemigrations`")


@contextmanager
def locked(folder: Path) -> Iterator[int]:
    """Sessions that start together wait for the one that builds."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def _current(home: Home, clusters: Path, lock: int) -> Path:
    for _ in range(MOST_BUILDS):
        if (folder := clusters / fingerprint(home)).exists():
            return folder
        _build(clusters, lock)
    raise RuntimeError(f"{clusters}: the migrations changed during each of {MOST_BUILDS} builds")


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    # Where the server runs as `nobody`, the files are that user's.
    subprocess.run(["cp", "-a", f"{source}/.", target], check=True)


def _build(clusters: Path, lock: int) -> None:
    """In a process of its own: here, Django is about to connect to the session's own server. It has the lock,
    too, for it goes on if the session is killed."""
    own = ("DATABASE_URL", "REDIS_URL", "DATA_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in own}
    command = [sys.executable, "-m", "tests.plumbing.servers.migrated_cluster", str(clusters)]
    subprocess.run(command, check=True, cwd=PROJECT, env=environment, pass_fds=[lock])


def store(home: Home, clusters: Path, sources: str) -> None:
    """Copy the folder of a server that has ended. Nothing is stored if the sources are no longer those."""
    if (home.data / UNCLEAN).exists():
        sys.exit(f"Postgres did not shut down: {home.data}")
    for left in clusters.glob("unfinished-*"):
        shutil.rmtree(left)
    unfinished = clusters / f"unfinished-{os.getpid()}"
    _copy(home.data, unfinished)
    if not (unfinished / "PG_VERSION").exists():
        sys.exit(f"{unfinished} is no data folder of Postgres")
    if fingerprint(home) == sources:
        unfinished.rename(clusters / sources)


def main(clusters: Path) -> None:
    # Imported late: it makes a folder for this process, and imports this module.
    from tests.plumbing.servers.services import pair

    pair.name_in_environment()
    sources = fingerprint(home_at(pair.places))
    django.setup()
    keep_permissions_unwritten()
    home = pair.start_empty()
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    connection.close()
    pair.stop(grace=60)
    store(home, clusters, sources)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
