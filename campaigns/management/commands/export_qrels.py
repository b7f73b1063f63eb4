from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.acting import COMMAND_LINE, acting_as
from campaigns.management.loading import campaign_named
from campaigns.services.exports import EXPORTS
from campaigns.services.history import note


class Command(BaseCommand):
    help = "Write a campaign's qrels, its prels, its judgment log or its scores to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument(
            "--what",
            choices=["qrels", "prels", "judgments", "scores"],
            default="qrels",
            help="qrels: what holds now, TREC format; prels: the same with the probability that each "
            "document was drawn; judgments: every act ever made, one JSON a line; scores: the interval of "
            "every run in every topic, as CSV",
        )
        parser.add_argument(
            "--csv", action="store_true", help="with --what judgments: CSV in place of JSON lines"
        )
        parser.add_argument(
            "--pooled",
            action="store_true",
            help="with --what qrels: also what random samples are drawn from and nobody judged, as -1, "
            "which infAP needs to know",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        what = options["what"]
        if options["csv"] and what != "judgments":
            raise CommandError("--csv goes with --what judgments", returncode=2)
        if options["pooled"] and what != "qrels":
            raise CommandError("--pooled goes with --what qrels", returncode=2)
        names = {
            "qrels": "qrels-pooled" if options["pooled"] else "qrels",
            "prels": "prels",
            "judgments": "judgments-csv" if options["csv"] else "judgments-jsonl",
            "scores": "scores-csv",
        }
        campaign = campaign_named(options["campaign"])
        export = EXPORTS[names[what]]
        for line in export.lines(campaign):
            self.stdout.write(line, ending="")
        with acting_as(COMMAND_LINE):
            note(campaign=campaign, kind="exported", file=export.file_name(campaign))
