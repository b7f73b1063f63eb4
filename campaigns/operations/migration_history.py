"""The migrations that a database or a backup has had, beside those of this program.

Version 0.1.0 replaced the migrations of its development. A database with all of those has the same tables, so
Django marks the new ones as applied. Where some are missing, it would silently leave tables incomplete.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.migrations.loader import MigrationLoader

from campaigns.operations.operation_error import OperationError

Name = tuple[str, str]
# The last commit that has the files.
LAST_COMMIT = "git log -1 --format=%H^ -- campaigns/migrations/0056_document_html.py"


def known_migrations() -> set[Name]:
    """Application and name of each migration here, and of each that one of them replaces."""
    loader = MigrationLoader(None)
    return set(loader.disk_migrations).union(*(one.replaces for one in loader.replacements.values()))


def missing_replaced(applied: Iterable[Name]) -> list[Name]:
    """The replaced migrations that a database with `applied` would need before this program can open it."""
    applied = set(applied)
    replaced = [set(one.replaces) for one in MigrationLoader(None).replacements.values()]
    return sorted(name for names in replaced if names & applied for name in names - applied)


def check_history(applied: Iterable[Name], subject: str) -> None:
    """Raise OperationError for a database of a development version that is too old to be upgraded."""
    if missing := missing_replaced(applied):
        raise OperationError(
            f"{subject} is from a development version before 0.1.0: it lacks {'.'.join(missing[0])}. "
            f"Run `migrate` of the commit that `{LAST_COMMIT}` prints first, then that of this version."
        )
