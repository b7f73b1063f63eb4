"""Postgres: consistent reads, prepared statements, advisory locks and a full disk.

The judging path's statements are planned once for a connection, and not at every judgment: planning one takes
Postgres longer than running it, for it finds a few rows by their keys.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connection, transaction
from psycopg2 import OperationalError
from psycopg2.errors import DiskFull

_GIVEN = re.compile(r"%\((\w+)\)s")
# By the driver's connection, which knows its statements as long as it lives: the names of those it knows.
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()

# Full; more than this user, or than this process, may write.
_OURS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def consistent_reads() -> Iterator[None]:
    """All reads inside see the tables as they were at the first; where a transaction is under way already,
    it is that one's part to see to it."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


class Statement:
    """SQL with parameters like `%(topic)s`, and of each its type in Postgres. Names are given once."""

    names: set[str] = set()

    def __init__(self, name: str, sql: str, **types: str) -> None:
        if name in self.names:
            raise ValueError(f"two statements are called {name}")
        self.names.add(name)
        if set(types) != set(_GIVEN.findall(sql)):
            raise ValueError(f"{name}: not just the parameters of the statement have types")
        places = {given: f"${place}" for place, given in enumerate(types, start=1)}
        numbered = _GIVEN.sub(lambda given: places[given[1]], sql).replace("%%", "%")
        values = ", ".join(f"%({given})s::{kind}" for given, kind in types.items())
        self.name = name
        self._typed = _GIVEN.sub(lambda given: f"{given[0]}::{types[given[1]]}", sql)
        self._prepare = f"PREPARE {name} ({', '.join(types.values())}) AS {numbered}"
        self._execute = f"EXECUTE {name} ({values})"

    def rows(self, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(self._asked(), given)
            return list(cursor.fetchall())

    def row(self, given: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first one."""
        return next(iter(self.rows(given)), None)

    def _asked(self) -> str:
        if not settings.PREPARED_STATEMENTS:
            return self._typed
        known = _known.setdefault(connection.connection, set())
        if self.name not in known:
            # A rollback does not take it back.
            with connection.wrap_database_errors, connection.connection.cursor() as driver:
                driver.execute(self._prepare)
            known.add(self.name)
        return self._execute


def plan_once(connection: Any, **_: Any) -> None:
    """What finds rows by their keys needs no other plan for other values, though Postgres may think so. Plans
    are made anew whenever a table's statistics are."""
    if settings.PREPARED_STATEMENTS:
        with connection.cursor() as cursor:
            cursor.execute("SET plan_cache_mode = force_generic_plan")


class Space(IntEnum):
    """What advisory locks are for: any numbers, as long as nothing else in this database uses them."""

    COMPUTING = 0x0A55E55
    LOADING = 0x0A55E56
    EVENTS = 0x0A55E57
    COUNTING = 0x0A55E58
    ADVICE = 0x0A55E59
    PREDICTIONS = 0x0A55E5A


# In place of a campaign, for what is locked over all of them.
ALL_CAMPAIGNS = 0


@contextmanager
def try_campaign_lock(space: Space, campaign: int) -> Iterator[bool]:
    """Whether no other connection holds the lock; none will until the end. A process that dies before the
    end gives the lock back."""
    free = _lock("SELECT pg_try_advisory_lock(%s, %s)", space, campaign)
    try:
        yield free
    finally:
        if free:
            _lock("SELECT pg_advisory_unlock(%s, %s)", space, campaign)


def try_lock_until_commit(space: Space, campaign: int) -> bool:
    """Whether no other connection holds the lock; if so, it is held to the end of the transaction."""
    return _lock("SELECT pg_try_advisory_xact_lock(%s, %s)", space, campaign)


def lock_until_commit(space: Space, campaign: int) -> None:
    """Wait for the lock, and hold it to the end of the transaction."""
    _lock("SELECT pg_advisory_xact_lock(%s, %s)", space, campaign)


def _lock(sql: str, space: Space, campaign: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [space.value, campaign])
        return bool(cursor.fetchone()[0])


def is_disk_full(error: BaseException | None) -> bool:
    """Also where what failed is told as an error of another kind, or led to another."""
    if error is None:
        return False
    return _says_so(error) or is_disk_full(error.__cause__) or is_disk_full(error.__context__)


def _says_so(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _OURS
    # A server that has no room for its log ends, and has no time for more than words.
    last_words = isinstance(error, OperationalError) and os.strerror(errno.ENOSPC) in str(error)
    return isinstance(error, DiskFull) or last_words
