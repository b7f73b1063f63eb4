"""Locks of the database that another process holds while a test acts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from django.db import connection

from campaigns.core.database import Space


@contextmanager
def held_elsewhere(space: Space, number: int) -> Iterator[None]:
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [space.value, number])
        try:
            yield
        finally:
            # Closing would give the lock back only when the server has ended the session: sometimes after
            # the test's next step.
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [space.value, number])
