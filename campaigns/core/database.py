"""Statements of the judging path. Each is planned once for a connection, and not at every judgment: planning
one takes Postgres longer than running it, for it finds a few rows by their keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connection

_GIVEN = re.compile(r"%\((\w+)\)s")
# By the driver's connection, which knows its statements as long as it lives: the names of those it knows.
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


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
