"""Restoring a backup: everything is checked first, and the tables are replaced in one transaction."""

from __future__ import annotations

import json
import os
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from campaigns.operations.backups.backup import verify_backup
from campaigns.operations.backups.manifest import DUMP, KEYS, Manifest, row_counts
from campaigns.operations.backups.postgres_programs import find_program, run_script, server_version
from campaigns.operations.migration_history import check_history, known_migrations
from campaigns.operations.operation_error import OperationError

# Filled by `migrate` and by the site itself, before its first user acts.
UNUSED_SITE = {"django_migrations", "django_content_type", "auth_permission", "campaigns_heartbeat"}
# As initdb makes it: a site that works under a role of its own needs the last.
EMPTIED = """BEGIN;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public AUTHORIZATION pg_database_owner;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""

# Whoever wrote the backup, what browsers get as safe HTML was made here.
READ_AGAIN = """
UPDATE campaigns_document SET html = NULL WHERE html <> '';
UPDATE campaigns_documentrevision SET html = NULL WHERE html <> '';
UPDATE campaigns_collection SET unread_until = (SELECT coalesce(max(id), 0) FROM campaigns_document);
"""
CONNECTIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def restore_backup(folder: Path, *, replace: bool = False) -> Manifest:
    """Make the site that the backup holds; with anything wrong, leave everything as it was.

    The database must hold no data unless ``replace``, and nothing else may be connected to it.
    """
    manifest = verify_backup(folder)
    keys = json.loads((folder / KEYS).read_text())
    restorer, shell = _check_versions(manifest)
    _check_keys(keys, folder)
    _check_database(replace)
    connection.close()
    run_script(
        [restorer, "--no-owner", "--no-privileges", "--file=-", folder / DUMP],
        [shell, "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"],
        before=EMPTIED,
        after=f"{_counted(manifest)}COMMIT;\n",
    )
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(READ_AGAIN)
        cursor.execute("ANALYZE")
    _keep_key(keys["SECRET_KEY"])
    return manifest


def _check_versions(manifest: Manifest) -> tuple[Path, Path]:
    version = server_version()
    if version < manifest.postgres:
        raise OperationError(
            f"The backup was made with Postgres {manifest.postgres}, this server is version {version}. "
            f"Restore it on Postgres {manifest.postgres} or newer."
        )
    applied = {(app, name) for app, _, name in (one.partition(".") for one in manifest.migrations)}
    if unknown := sorted(applied - known_migrations()):
        raise OperationError(
            f"The backup comes from a newer version of this program (migration {'.'.join(unknown[0])}). "
            "Install that version first."
        )
    check_history(applied, "The backup")
    return find_program("pg_restore", version), find_program("psql", version)


def _counted(manifest: Manifest) -> str:
    """SQL that fails unless each table has as many rows as the backup counted."""
    checks = [
        f"IF (SELECT count(*) FROM public.{connection.ops.quote_name(name)}) <> {rows:d} "  # noqa: S608
        f"THEN RAISE EXCEPTION 'restored rows of % differ from the backup', '{name}'; END IF;"
        for name, rows in manifest.rows.items()
    ]
    return f"DO $$ BEGIN {' '.join(checks)} END $$;\n"


def _check_keys(keys: dict[str, str], folder: Path) -> None:
    """Sessions, webhooks and bundles are signed by the site's keys. The key of a data folder is replaced by
    the backup's; one that the environment names is the operator's part."""
    if keys["SECRET_KEY"] not in _known_keys() and not _keeps_key_in_folder():
        raise OperationError(f"This site has another SECRET_KEY. Set it to the one in {folder / KEYS} first.")
    if keys["BUNDLE_KEY"] != settings.BUNDLE_KEY:
        raise OperationError(f"This site has another BUNDLE_KEY. Set it as {folder / KEYS} has it first.")


def _known_keys() -> list[str]:
    """Keys whose signatures and seals are valid here."""
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _keeps_key_in_folder() -> bool:
    file = settings.DATA_DIR / "secret-key"
    return file.is_file() and file.read_text().strip() == settings.SECRET_KEY


def _keep_key(key: str) -> None:
    if key in _known_keys():
        return
    unfinished = settings.DATA_DIR / "secret-key.unfinished"
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key)
    unfinished.replace(settings.DATA_DIR / "secret-key")


def _check_database(replace: bool) -> None:
    used = [name for name, rows in row_counts().items() if rows and name not in UNUSED_SITE]
    if used and not replace:
        raise OperationError(
            f"The database is not empty (rows in {', '.join(used[:5])}). "
            "Restore into an empty one, or add --replace to lose what it holds."
        )
    with connection.cursor() as cursor:
        cursor.execute(CONNECTIONS)
        others = cursor.fetchone()[0]
    if others:
        raise OperationError(f"{others} other connections use the database. Stop the site first.")
