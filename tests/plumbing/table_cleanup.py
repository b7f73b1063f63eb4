"""Emptying the tables after a test that committed.

Django truncates them all, which makes 200 files again and takes a fifth of a second; most tests leave a few
hundred rows, which are deleted in a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.backends.postgresql.operations import DatabaseOperations

# In bytes: what was deleted still takes its place until it is vacuumed, and is read over until then.
LARGEST_DELETED = 1 << 22
# Whether rows may be deleted without looking at what refers to them, and the largest table.
KNOWN = """
SELECT current_setting('is_superuser') = 'on', max(pg_relation_size(oid))
FROM pg_class WHERE relkind = 'r' AND relname = ANY(%s)
"""

_truncating = DatabaseOperations.sql_flush


def delete_where_little() -> None:
    """For this process."""
    DatabaseOperations.sql_flush = _emptying  # type: ignore[method-assign, assignment]


def _emptying(
    self: DatabaseOperations, style: Any, tables: Sequence[str], *, reset_sequences: bool = False, **more: Any
) -> list[str]:
    with self.connection.cursor() as cursor:
        cursor.execute(KNOWN, [list(tables)])
        free, largest = cursor.fetchone()
    if reset_sequences or not free or (largest or 0) > LARGEST_DELETED:
        return _truncating(self, style, tables, reset_sequences=reset_sequences, **more)
    names = [self.quote_name(table) for table in tables]
    # As truncating would, it waits for those that still write.
    first = [
        "SET LOCAL session_replication_role = replica",
        # Where a late request waits for these tables in another order, it gives way, not the cleanup.
        "SET LOCAL deadlock_timeout = '1min'",
        f"LOCK TABLE {', '.join(names)} IN EXCLUSIVE MODE",
    ]
    return ["; ".join([*first, *(f"DELETE FROM {name}" for name in names)])]
