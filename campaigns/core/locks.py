"""Locks of Postgres that are none of a row: a kind of work and the campaign that it is done for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from django.db import connection


class Space(IntEnum):
    """Any numbers, as long as nothing else in this database uses them."""

    COMPUTING = 0x0A55E55
    LOADING = 0x0A55E56
    EVENTS = 0x0A55E57
    COUNTING = 0x0A55E58


@contextmanager
def alone(space: Space, campaign: int) -> Iterator[bool]:
    """Whether nobody else is about it; nobody else will be meanwhile. The lock ends with the process that
    holds it, if that does not come to the end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [space.value, campaign])
        free = bool(cursor.fetchone()[0])
    try:
        yield free
    finally:
        if free:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [space.value, campaign])
