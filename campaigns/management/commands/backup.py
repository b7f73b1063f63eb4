from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.operations.backups.backup import make_backup, remove_old, verify_backup
from campaigns.operations.operation_error import OperationError


class Command(BaseCommand):
    help = "Back up the whole site into a new folder: database, keys, and a manifest with checksums."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path, help="folder to create; it must not exist yet")
        parser.add_argument(
            "--keep",
            metavar="N",
            type=_positive,
            help="number of newest backups to keep beside PATH; older ones are removed afterwards (default: "
            "all)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["path"].absolute()
        try:
            manifest = make_backup(path)
            verify_backup(path)
            removed = remove_old(path, options["keep"]) if options["keep"] else []
        except OperationError as error:
            raise CommandError(str(error)) from error
        rows = sum(manifest.rows.values())
        self.stdout.write(f"{path}: {rows:,} rows of {len(manifest.rows)} tables, checked")
        for old in removed:
            self.stdout.write(f"{old}: removed")


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)
