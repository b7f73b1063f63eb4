from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.operations.backups.restore import restore_backup
from campaigns.operations.backups.stored_values import wrong_values
from campaigns.operations.operation_error import OperationError


class Command(BaseCommand):
    help = "Make the site that a backup holds, in an empty database; with anything wrong, nothing changes."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path, help="folder that `backup` made")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="restore even if the database holds data; those data are lost",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["path"].absolute()
        try:
            manifest = restore_backup(path, replace=options["replace"])
        except OperationError as error:
            raise CommandError(str(error)) from error
        rows = sum(manifest.rows.values())
        self.stdout.write(f"{path}: {rows:,} rows of {len(manifest.rows)} tables restored, checked")
        if wrong := wrong_values():
            named = "\n".join(f"  {words}" for words in wrong)
            message = f"This program would not have stored these values (the first {len(wrong)}):\n{named}"
            self.stderr.write(message)
        self.stdout.write("Now start the site.")
