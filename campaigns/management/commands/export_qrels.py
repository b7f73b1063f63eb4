from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress

from campaigns.core.actors import COMMAND_LINE, acting_as
from campaigns.core.errors import Refusal
from campaigns.exchange.bundles.writer import rows_in, write_bundle
from campaigns.exchange.exports import EXPORTS
from campaigns.log.audit import note
from campaigns.management.loading_command import campaign_named
from campaigns.models import Campaign
from campaigns.models.campaign import Policy

GOES_WITH = {
    "csv": "judgments",
    "pooled": "qrels",
    "served": "qrels",
    "without_texts": "bundle",
    "pseudonyms": "bundle",
}


class Command(BaseCommand):
    help = (
        "Write a campaign's qrels, gains, prels, judgment log, notes, scores, or all of it, to standard "
        "output."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="slug of the campaign, e.g. news-2026")
        parser.add_argument(
            "--what",
            choices=["qrels", "gains", "prels", "judgments", "passages", "scores", "bundle"],
            default="qrels",
            help="export to write: qrels, current judgments in TREC format; gains, the gain of each grade, "
            "for --gains of commands on files; prels, the qrels with inclusion probabilities; judgments, "
            "every log entry, one JSON a line; passages, marked passages and notes, one JSON a line; scores, "
            "the score range of every run in every topic, as CSV; bundle, a zip that import_bundle turns "
            "into the same campaign (default: %(default)s)",
        )
        parser.add_argument(
            "--policy",
            choices=Policy.values,
            default="",
            help="with --what qrels or prels: aggregation policy where several assessors judged a document "
            "(default: the campaign's own)",
        )
        parser.add_argument(
            "--csv", action="store_true", help="with --what judgments: write CSV instead of JSON lines"
        )
        parser.add_argument(
            "--pooled",
            action="store_true",
            help="with --what qrels: also list the unjudged documents that random samples are drawn from, "
            "as -1; infAP needs them",
        )
        parser.add_argument(
            "--served",
            action="store_true",
            help="with --what qrels: leave out documents that assessors found by search",
        )

        parser.add_argument(
            "--without-texts",
            action="store_true",
            help="with --what bundle: include docnos and checksums of the documents, but no texts",
        )
        parser.add_argument(
            "--pseudonyms",
            action="store_true",
            help="with --what bundle: replace the names of people by person-1, person-2 …",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        what = options["what"]
        for option, goes_with in GOES_WITH.items():
            if options[option] and what != goes_with:
                named = option.replace("_", "-")
                raise CommandError(f"--{named} goes with --what {goes_with}", returncode=2)
        if options["pooled"] and options["served"]:
            raise CommandError("--pooled and --served exclude each other", returncode=2)
        campaign = campaign_named(options["campaign"])
        try:
            if what == "bundle":
                if options["policy"]:
                    raise CommandError("--policy goes with --what qrels and prels", returncode=2)
                self._bundle(campaign, options)
            else:
                self._lines(campaign, options)
        except OSError as error:
            _let_go(sys.stdout)
            why = (error.strerror or str(error)).lower()
            raise CommandError(f"what was written so far is not whole: {why}") from error

    def _lines(self, campaign: Campaign, options: dict[str, Any]) -> None:
        names = {
            "qrels": "qrels-pooled"
            if options["pooled"]
            else "qrels-served"
            if options["served"]
            else "qrels",
            "gains": "gains",
            "prels": "prels",
            "judgments": "judgments-csv" if options["csv"] else "judgments-jsonl",
            "passages": "passages",
            "scores": "scores-csv",
        }
        export = EXPORTS[names[options["what"]]]
        policy = options["policy"]
        if policy and not export.graded:
            raise CommandError("--policy goes with --what qrels and prels", returncode=2)
        for line in export.lines(campaign, policy):
            self.stdout.write(line, ending="")
        self._note(campaign, export.file_name(campaign, policy))

    def _bundle(self, campaign: Campaign, options: dict[str, Any]) -> None:
        if sys.stdout.isatty():
            raise CommandError("a bundle is a zip file: send it into one, with > FILE", returncode=2)
        bar = Progress(console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)
        with bar:
            task = bar.add_task("Packing", total=rows_in(campaign))
            try:
                pieces = write_bundle(
                    campaign,
                    texts=not options["without_texts"],
                    pseudonyms=options["pseudonyms"],
                    progress=lambda rows: bar.advance(task, rows),
                )
            except Refusal as refused:
                raise CommandError(refused.detail) from refused
            for piece in pieces:
                sys.stdout.buffer.write(piece)
        self._note(campaign, f"{campaign.slug}.bundle.zip")

    def _note(self, campaign: Campaign, file: str) -> None:
        """In the history, once the last of it is written."""
        sys.stdout.flush()
        self.stdout.flush()
        with acting_as(COMMAND_LINE):
            note(campaign=campaign, kind="exported", file=file)


def _let_go(out: TextIO) -> None:
    """Discard pending output: the end of the program would try to write it again, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
