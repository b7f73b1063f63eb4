from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from rich.console import Console
from rich.progress import Progress

from campaigns.collection.documents import StoredDocuments, store_documents
from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.core.errors import Refusal
from campaigns.exchange.column_choices import remember_choice
from campaigns.exchange.datasets import StoredDataset, store_dataset
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import FormatError, Notices
from campaigns.formats.recognition.content import Kind
from campaigns.management.loading_command import (
    LoadingCommand,
    campaign_named,
    notice_lines,
    organiser_of,
)
from campaigns.models import Campaign


class Command(LoadingCommand):
    help = (
        "Load documents (JSON, CSV, TSV, Parquet, Arrow, TREC, SMART, WARC; plain, .gz, .bz2, .xz, .zst or "
        ".lz4) into a campaign's collection; or a dataset that ir_datasets knows by name, its topics "
        "included."
    )
    paths = "*"
    kind = Kind.DOCUMENTS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--ir-dataset",
            metavar="NAME",
            default="",
            help="dataset to load instead of files, e.g. cranfield",
        )
        parser.add_argument(
            "--qrels", action="store_true", help="with --ir-dataset: also import the judgments of the dataset"
        )
        parser.add_argument(
            "--replace-judged",
            action="store_true",
            help="also replace the texts of documents that were judged, annotated, examples or in the "
            "training; the earlier texts are kept",
        )

        parser.add_argument(
            "--text-field",
            metavar="PATH",
            default=None,
            help="path of the text in JSON documents, such as pages.text (default: the path chosen last for "
            "this collection, else the first known name)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["ir_dataset"]
        if bool(name) == bool(options["paths"]) or (options["qrels"] and not name):
            wanted = "say which files, or --ir-dataset NAME [--qrels]"
            raise CommandError(wanted, returncode=2)
        if name:
            self._take_dataset(campaign_named(options["campaign"]), name, options)
        else:
            super().handle(*args, **options)

    def take(self, campaign: Campaign, user: User, path: Path, options: dict[str, Any]) -> str:
        notices = Notices()
        with transaction.atomic():
            collection, columns = campaign.collection, self.choice(campaign, options)
            records = iter_documents(
                path, str(path), notices=notices, text_field=columns.path, columns=columns
            )
            stored = store_documents(
                collection=collection, records=records, file=str(path), replace=options["replace_judged"]
            )
            remember_choice(collection=collection, kind=self.kind, choice=columns)
        return f"{_counted(stored)}{notice_lines(notices.rows())}"

    def _take_dataset(self, campaign: Campaign, name: str, options: dict[str, Any]) -> None:
        bar = Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)
        try:
            with bar, acting_as(COMMAND_LINE):
                loading = bar.add_task("Loading", total=None)
                stored = store_dataset(
                    campaign=campaign,
                    user=organiser_of(campaign),
                    name=name,
                    qrels=options["qrels"],
                    replace=options["replace_judged"],
                    progress=lambda read, total: bar.update(loading, completed=read, total=total),
                )
        except (FormatError, Refusal) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{name}: {_words(stored)}")


def _counted(stored: StoredDocuments) -> str:
    counts = f"{stored.new:,} new, {stored.changed:,} changed, {stored.unchanged:,} unchanged"
    return f"{stored.documents:,} documents ({counts})"


def _words(stored: StoredDataset) -> str:
    parts = [_counted(stored.documents)]
    if (topics := stored.topics) is not None:
        parts.append(f"{topics.added} topics added, {topics.revised} revised, {topics.unchanged} unchanged")
    if (qrels := stored.qrels) is not None:
        parts.append(f"{qrels.added:,} judgments added, {qrels.unchanged:,} unchanged")
    return "; ".join(parts) + notice_lines(stored.noticed)
