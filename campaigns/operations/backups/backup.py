"""A backup of the whole site: a folder with a dump of the database, the site's keys and a manifest.

The site stores nothing else: documents, runs and judgments are rows, and Redis holds only what is made again
from rows. Judging goes on meanwhile.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection

from campaigns.core.database import consistent_reads
from campaigns.operations.backups.manifest import (
    DUMP,
    KEYS,
    MANIFEST,
    Manifest,
    applied_migrations,
    check_files,
    checksum,
    read_manifest,
    row_counts,
)
from campaigns.operations.backups.postgres_programs import find_program, run_program, server_version
from campaigns.operations.operation_error import OperationError


def make_backup(folder: Path) -> Manifest:
    """Write a backup into a new folder, for the site's user only. The folder appears once it is whole."""
    if settings.SECRET_KEY == settings.UNSAFE_SECRET_KEY:
        raise OperationError("SECRET_KEY is not set: set it as the site has it, it is part of the backup.")
    version = server_version()
    program = find_program("pg_dump", version)
    with _unfinished(folder) as unfinished:
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with consistent_reads(), connection.cursor() as cursor:
            # The dump takes as long as it takes, and this transaction is idle meanwhile.
            cursor.execute(
                "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
            )
            cursor.execute("SELECT pg_export_snapshot()")
            snapshot = cursor.fetchone()[0]
            rows, migrations = row_counts(), applied_migrations()
            if "auth_user" not in rows:
                raise OperationError("The database has no tables of a site: there is nothing to back up.")
            _dump(program, snapshot, unfinished / DUMP)
        keys = {"SECRET_KEY": settings.SECRET_KEY, "BUNDLE_KEY": settings.BUNDLE_KEY}
        (unfinished / KEYS).write_text(json.dumps(keys) + "\n")
        files = {name: checksum(unfinished / name) for name in (DUMP, KEYS)}
        manifest = Manifest(created, version, migrations, rows, files)
        manifest.write(unfinished)
    return manifest


def _dump(program: Path, snapshot: str, file: Path) -> None:
    run_program(program, "--format=custom", f"--snapshot={snapshot}", f"--file={file}")


@contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    if folder.exists():
        raise OperationError(f"{folder} exists already. Name a new folder.")
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700, parents=True)
        yield unfinished
        _flush(unfinished)
        unfinished.rename(folder)
    except OSError as error:
        raise OperationError(f"Cannot write {folder}: {error.strerror}.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _flush(folder: Path) -> None:
    """A power cut right after the command must not leave a folder of empty files."""
    for path in (*folder.iterdir(), folder):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_old(folder: Path, keep: int) -> list[Path]:
    """Remove the backups beside ``folder`` but for the ``keep`` newest, by the time they were made."""
    backups = sorted(
        (path.parent for path in folder.parent.glob(f"*/{MANIFEST}") if not path.parent.is_symlink()),
        key=lambda path: _created(path) or "",
        reverse=True,
    )
    old = [path for path in backups if _created(path)][keep:]
    for path in old:
        shutil.rmtree(path)
    return old


def _created(folder: Path) -> str | None:
    """None for a folder that is no backup: it is not ours to remove."""
    try:
        return read_manifest(folder).created
    except OperationError:
        return None


def verify_backup(folder: Path) -> Manifest:
    """Check the files of a backup against its manifest."""
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    return manifest
