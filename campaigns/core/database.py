"""Postgres: consistent reads, prepared statements, advisory locks, a full disk and an outage.

The judging path's statements are planned once for a connection, and not at every judgment: planning one takes
Postgres longer than running it, for it finds a few rows by their keys.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import Error as DjangoError
from django.db import OperationalError as OperationalErrorOfDjango
from django.db import connection, transaction
from psycopg2 import Error as DriverError
from psycopg2 import OperationalError, ProgrammingError
from psycopg2.errors import DiskFull

from campaigns.formats.errors import NO_ROOM

_GIVEN = re.compile(r"%\((\w+)\)s")
# By the driver's connection, which knows its statements as long as it lives: the names of those it knows.
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


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

    def rows(self, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(self._asked(), parameters)
            return list(cursor.fetchall())

    def row(self, parameters: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first one."""
        return next(iter(self.rows(parameters)), None)

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


@dataclass(frozen=True)
class Patience:
    """Seconds after which Postgres breaks off a statement, a wait for a lock, or a transaction left idle."""

    statement: int
    lock: int
    idle: int


# Of a request: a view reads files of some hundred megabytes within a transaction.
WEB = Patience(statement=120, lock=20, idle=600)
# A first computation of a large campaign takes long, and computes amid its reading.
WORKER = Patience(statement=3600, lock=300, idle=7200)
# Of this process's connections. Commands wait as long as it takes: their user can break them off.
_patience: Patience | None = None


def limit_connections(patience: Patience) -> None:
    """From now on, connections of this process give up after so long."""
    global _patience
    _patience = patience


def set_up_session(connection: Any, **_: Any) -> None:
    """Set up a new database session. Statements that find rows by their keys need no other plan for other
    values, though Postgres may think so. Plans are made again whenever a table's statistics are. On a
    pooler's connection, which is shared, nothing is set."""
    if not settings.PREPARED_STATEMENTS:
        return
    wanted = ["plan_cache_mode = force_generic_plan"]
    if _patience is not None:
        wanted += [
            f"statement_timeout = '{_patience.statement}s'",
            f"lock_timeout = '{_patience.lock}s'",
            f"idle_in_transaction_session_timeout = '{_patience.idle}s'",
        ]
    with connection.cursor() as cursor:
        cursor.execute("; ".join(f"SET {one}" for one in wanted))


def commit_without_waiting() -> None:
    """Do not wait for the disk at the end of this transaction, so that its locks are held for less time. For
    what can be computed again: if the database crashes within the next moment, it is as if it had never been
    written."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


class Space(IntEnum):
    """Purposes of advisory locks: any numbers, as long as nothing else in this database uses them."""

    COMPUTING = 0x0A55E55
    LOADING = 0x0A55E56
    EVENTS = 0x0A55E57
    COUNTING = 0x0A55E58
    ADVICE = 0x0A55E59
    PREDICTIONS = 0x0A55E5A
    MEASURING = 0x0A55E60
    # Of a collection rather than a campaign.
    INDEXING = 0x0A55E5B
    READING = 0x0A55E5F
    COMPARING = 0x0A55E60
    # Of a pull from a search engine.
    PULLING = 0x0A55E61
    # Of a job of the Lab, one of its trials, and a worker that has a process at work for the Lab.
    LAB_JOB = 0x0A55E5C
    LAB_TRIAL = 0x0A55E5D
    LAB_ROOM = 0x0A55E5E


# In place of a campaign, for what is locked over all of them.
ALL_CAMPAIGNS = 0


@contextmanager
def try_campaign_lock(space: Space, campaign: int) -> Iterator[bool]:
    """Try to lock the campaign until the end; yields false if another connection holds the lock. A process
    that dies before the end gives the lock back."""
    free = _lock("SELECT pg_try_advisory_lock(%s, %s)", space, campaign)
    try:
        yield free
    finally:
        if free:
            _lock("SELECT pg_advisory_unlock(%s, %s)", space, campaign)


def try_lock_until_commit(space: Space, campaign: int) -> bool:
    """Try to lock the campaign until the end of the transaction; false if another connection holds the
    lock."""
    return _lock("SELECT pg_try_advisory_xact_lock(%s, %s)", space, campaign)


def lock_until_commit(space: Space, campaign: int) -> None:
    """Wait for the lock, and hold it to the end of the transaction."""
    _lock("SELECT pg_advisory_xact_lock(%s, %s)", space, campaign)


def _lock(sql: str, space: Space, campaign: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [space.value, campaign])
        return bool(cursor.fetchone()[0])


def is_disk_full(error: BaseException | None) -> bool:
    """Also where the failure was raised again as an error of another kind, or led to another."""
    return any(map(_says_so, _causes(error)))


def is_unavailable(error: BaseException | None) -> bool:
    """True if the database is away, or had to break off: it crashed, is starting, has no connection left, or
    waited too long for a lock. The same request may succeed a moment later. Errors caused by such an error
    count, too."""
    return any(map(_is_outage, _causes(error)))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and all that led to it, each once: chains fork, and may lead back."""
    waiting, seen = [error], set()
    while waiting:
        cause = waiting.pop()
        if cause is not None and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [cause.__cause__, cause.__context__]


def _is_outage(error: BaseException) -> bool:
    """A server that is there gives each error an SQLSTATE; the driver has many kinds for one that went. On a
    connection that lives, one of the driver's kinds is a fault of ours: a value that it cannot adapt."""
    if isinstance(error, OperationalErrorOfDjango | OperationalError):
        return True
    if isinstance(error, DriverError):
        return _is_closed() or (error.pgcode is None and not isinstance(error, ProgrammingError))
    return isinstance(error, DjangoError) and error.__cause__ is None and _is_closed()


def _is_closed() -> bool:
    """True if this thread's connection is gone."""
    return connection.connection is None or bool(connection.connection.closed)


def _says_so(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    # A server that has no room for its log ends, and has no time for more than words.
    last_words = isinstance(error, OperationalError) and os.strerror(errno.ENOSPC) in str(error)
    return isinstance(error, DiskFull) or last_words


@contextmanager
def statement_timeout(seconds: float) -> Iterator[None]:
    """Have Postgres stop any statement that takes longer, inside a transaction; what was set before is set
    again."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        before = cursor.fetchone()[0]
        set_it = "SELECT set_config('statement_timeout', %s, true)"
        cursor.execute(set_it, [f"{1000 * seconds:.0f}ms"])
        yield
        cursor.execute(set_it, [before])
