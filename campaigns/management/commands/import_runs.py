from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandParser

from campaigns.collection.runs import RunSource, store_runs
from campaigns.exchange.column_choices import remember_choice
from campaigns.formats.recognition.content import Kind
from campaigns.formats.runs.files import read_runs
from campaigns.management.loading_command import LoadingCommand
from campaigns.management.offline.options import add_score_precision
from campaigns.models import Campaign


class Command(LoadingCommand):
    help = "Load TREC run files into a campaign."

    kind = Kind.RUN

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--group", default="", help="group that made the runs (default: none)")
        parser.add_argument(
            "--late", action="store_true", help="score the runs, but do not add their documents to the pool"
        )
        parser.add_argument(
            "--lenient",
            action="store_true",
            help="keep the better-scored duplicate and ignore columns after the sixth, instead of rejecting "
            "the file; other errors still reject it",
        )

        add_score_precision(parser, default=None)

    def take(self, campaign: Campaign, user: User, path: Path, options: dict[str, Any]) -> str:
        columns = self.choice(campaign, options)
        parsed = read_runs(
            path,
            str(path),
            lenient=options["lenient"],
            score_precision=options["score_precision"] or campaign.run_precision,
            in_memory=False,
            folder=settings.FILE_UPLOAD_TEMP_DIR,
            columns=columns,
        )
        upload = RunSource(
            user=user,
            file=path.name,
            sha256=_sha256(path),
            group=options["group"],
            contributes=not options["late"],
        )
        runs = store_runs(campaign=campaign, parsed=parsed, upload=upload)
        remember_choice(collection=campaign.collection, kind=self.kind, choice=columns)
        return "; ".join([_words(run.tag, run.noticed) for run in runs])


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _words(tag: str, noticed: list[dict[str, Any]]) -> str:
    remarks = ", ".join(f"{row['what']} ({row['count']:,})" for row in noticed)
    return f"run {tag}" + (f"; noticed: {remarks}" if remarks else "")
