from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress

from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.core.errors import Refusal
from campaigns.exchange.bundles.importer import dropped_options, import_bundle
from campaigns.exchange.bundles.reader import open_bundle
from campaigns.exchange.bundles.signatures import own_key
from campaigns.formats.errors import FormatError, Notices


class Command(BaseCommand):
    help = "Create the campaign that a bundle holds, bit by bit. An invalid bundle changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path, help="bundle file (.bundle.zip)")
        parser.add_argument(
            "--slug", default="", help="slug of the new campaign (default: the one in the bundle)"
        )
        parser.add_argument(
            "--signed-by",
            metavar="KEY",
            default="",
            help="public key that must have signed the bundle (default: any)",
        )
        parser.add_argument(
            "--new-accounts",
            action="store_true",
            help="create a new account for each person of the bundle, even if the site has one of that name",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with acting_as(COMMAND_LINE):
                self._import(options["path"], options)
        except OSError as error:
            raise CommandError(f"{options['path']}: {error.strerror}") from error
        except (FormatError, Refusal) as error:
            raise CommandError(str(error)) from error

    def _import(self, path: Path, options: dict[str, Any]) -> None:
        console = Console(stderr=True)
        notices = Notices()
        bar = Progress(console=console, disable=not sys.stderr.isatty(), transient=True)
        with path.open("rb") as file, bar:
            checking = bar.add_task("Checking", total=None)
            bundle = open_bundle(
                file,
                str(path),
                max_bytes=settings.MAX_UNPACKED_BYTES,
                checked=lambda size: bar.advance(checking, size),
            )
            if options["signed_by"] not in ("", bundle.public_key):
                raise CommandError(f"{path}: signed by {bundle.public_key}, not by {options['signed_by']}")
            bar.update(checking, total=1, completed=1)
            loading = bar.add_task("Loading", total=sum(bundle.rows.values()))
            campaign = import_bundle(
                bundle=bundle,
                slug=options["slug"],
                trusted=not options["new_accounts"],
                progress=lambda rows: bar.advance(loading, rows),
                notices=notices,
            )
        by = "this site" if bundle.public_key == own_key() else bundle.public_key
        judgments = bundle.rows["judgments.jsonl"]
        self.stdout.write(f"{campaign.slug}: {campaign.name}, {judgments:,} judgments; signed by {by}")
        for row in notices.rows():
            self.stderr.write(f"{row['what']}: {row['count']:,} ({row['detail']})")
        if dropped := dropped_options(campaign):
            names = ", ".join(dropped)
            self.stderr.write(f"left out, as methods no longer have it: the option {names}")
