from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandParser

from campaigns.exchange.column_choices import numbers_by_title, remember_choice
from campaigns.exchange.grade_maps import GradeChoice, read_map
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.formats.recognition.content import Kind
from campaigns.management.loading_command import LoadingCommand, notice_lines
from campaigns.models import Campaign


class Command(LoadingCommand):
    help = "Append the judgments of TREC qrels files to a campaign's log."

    kind = Kind.QRELS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        grades = parser.add_mutually_exclusive_group()
        grades.add_argument(
            "--map",
            action="append",
            metavar="FILE=GRADE",
            help="a grade of the file and the campaign’s grade for it, such as 3=1, or none to leave its "
            "judgments out; may be repeated or have commas; write a negative one as --map=-1=0 (default: "
            "grades as they are)",
        )
        grades.add_argument(
            "--use-grades",
            action="store_true",
            help="make the file’s grades the campaign’s scale, with evenly rising gains; only before "
            "anything is judged",
        )

    def take(self, campaign: Campaign, user: User, path: Path, options: dict[str, Any]) -> str:
        choice = GradeChoice(read_map(options["map"]) if options["map"] else None, options["use_grades"])
        columns = self.choice(campaign, options)
        columns.titles = partial(numbers_by_title, campaign)
        parsed = read_qrels(path, str(path), columns=columns)
        stored = store_qrels(campaign=campaign, user=user, parsed=parsed, file=str(path), choice=choice)
        remember_choice(collection=campaign.collection, kind=self.kind, choice=columns)
        message = f"{stored.added:,} judgments added, {stored.unchanged:,} unchanged"
        message += f", grades mapped {stored.map}, {stored.left_out:,} left out" if stored.map else ""
        return message + notice_lines(parsed.report.as_rows())
