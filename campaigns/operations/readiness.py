"""Readiness of this process to serve: its database and Redis answer, and all migrations are applied."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

from campaigns.computing.health import broker_answers
from campaigns.operations.migration_history import missing_replaced

logger = logging.getLogger(__name__)

# Migrations are never taken back beneath a running process, so they are looked for until they are there.
_migrated = False


@dataclass(frozen=True)
class Readiness:
    database: bool
    redis: bool
    migrations: bool

    @property
    def ready(self) -> bool:
        return self.database and self.redis and self.migrations


def readiness() -> Readiness:
    database = _database_answers()
    state = Readiness(
        database=database, redis=broker_answers(), migrations=database and _migrations_are_applied()
    )
    if not state.ready:
        logger.warning("not ready: %s", asdict(state))
    return state


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        # Whatever answers next needs a connection of its own.
        connection.close()
        return False
    return True


def _migrations_are_applied() -> bool:
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not missing_replaced(executor.recorder.applied_migrations()) and not (
            executor.migration_plan(executor.loader.graph.leaf_nodes())
        )
    return _migrated
