"""The manifest of a backup: what it holds, with checksums, and for which versions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from campaigns.operations.operation_error import OperationError

FORMAT = "assess backup 1"
MANIFEST, DUMP, KEYS = "manifest.json", "database.dump", "keys.json"


@dataclass(frozen=True)
class Manifest:
    """``postgres``: the server's major version. ``rows``: the number of rows by table. ``files``: the
    SHA-256 by file name."""

    created: str
    postgres: int
    migrations: list[str]
    rows: dict[str, int]
    files: dict[str, str]

    def write(self, folder: Path) -> None:
        text = json.dumps({"format": FORMAT, **asdict(self)}, indent=1)
        (folder / MANIFEST).write_text(text + "\n")


def read_manifest(folder: Path) -> Manifest:
    try:
        content: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        if content.pop("format") != FORMAT:
            raise ValueError
        return Manifest(**content)
    except OSError as error:
        raise OperationError(f"{folder / MANIFEST}: {error.strerror}. Is {folder} a backup?") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OperationError(f"{folder / MANIFEST} is not the manifest of a backup ({FORMAT}).") from error


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise OperationError unless every file is there and as it was written."""
    for name in (DUMP, KEYS):
        try:
            digest = checksum(folder / name)
        except OSError as error:
            raise OperationError(f"{folder / name}: {error.strerror}. The backup is not whole.") from error
        if digest != manifest.files.get(name):
            raise OperationError(
                f"{folder / name} is damaged: its SHA-256 is {digest}, not {manifest.files.get(name)}. "
                "Use another backup."
            )


def checksum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def row_counts() -> dict[str, int]:
    """The number of rows of each table of the site."""
    with connection.cursor() as cursor:
        names = sorted(connection.introspection.table_names(cursor))
        counts = {}
        for name in names:
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(name)}")  # noqa: S608
            counts[name] = int(cursor.fetchone()[0])
    return counts


def applied_migrations() -> list[str]:
    recorder = MigrationRecorder(connection)
    return sorted(f"{app}.{name}" for app, name in recorder.applied_migrations())
