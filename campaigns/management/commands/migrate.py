from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

from campaigns.operations.migration_history import check_history
from campaigns.operations.operation_error import OperationError

# Django records the names that a migration replaces one by one, after its transaction.
IF_INTERRUPTED = "If the first `migrate` of a new database was interrupted, start with an empty database."


class Command(migrate.Command):
    """Django's command, except that it refuses databases whose history it would misread."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        recorder = MigrationRecorder(connections[options["database"]])
        try:
            check_history(recorder.applied_migrations(), "The database")
        except OperationError as error:
            raise CommandError(f"{error} {IF_INTERRUPTED}") from error
        return super().handle(*args, **options)
