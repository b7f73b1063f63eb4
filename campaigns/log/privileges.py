"""The log's privileges: the database role that serves requests adds entries, and changes or deletes none.

Two functions of the database run as the owner of the tables (migration 0007): one deletes a whole campaign,
one replaces a person's name in the history.
"""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import Error, connection, connections

from campaigns.models import Deed, Judgment, Repeat

LOG_TABLES = [model._meta.db_table for model in (Judgment, Repeat, Deed)]


def delete_log(campaign: int) -> None:
    """Delete the campaign's judgments, repeat checks, history and own row; nothing else of it may be left."""
    _call("SELECT campaigns_delete_log(%s)", [campaign])


def forget_person(*, person: int, address: str, pseudonym: str, keys: tuple[str, ...], gone: bool) -> None:
    """Replace the person's name in the history. `keys`: under which details hold names; `gone`: the account
    is deleted, too."""
    _call(
        "SELECT campaigns_forget_person(%s, %s, %s, %s::text[], %s)",
        [person, address, pseudonym, list(keys), gone],
    )


def _call(sql: str, values: list[Any]) -> None:
    """Within the transaction of a deletion: one statement goes over the whole history, however long it is."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute(sql, values)


def restrict_roles(*, using: str, **_: Any) -> None:
    """Receives Django's signal after `migrate`, as the owner of the tables."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT to_regproc('campaigns_restrict_log')")
        if cursor.fetchone()[0]:
            cursor.execute("SELECT campaigns_restrict_log()")


def warn_of_owner(**_: Any) -> list[CheckMessage]:
    """Warn where the role of the site's own processes could change the log."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT bool_or(has_table_privilege(t, 'UPDATE, DELETE')) FROM unnest(%s) t", [LOG_TABLES]
            )
            may_change = cursor.fetchone()[0]
    except Error:
        # Without a database or its tables there is no log.
        connection.close()
        return []
    if not may_change:
        return []
    words = "The database role of this site may change and delete judgments and history."
    return [
        Warning(
            words, hint="Serve requests under a role of its own: docs/deployment.md.", id="campaigns.W001"
        )
    ]
