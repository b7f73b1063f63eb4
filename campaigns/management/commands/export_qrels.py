from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from campaigns.formats.qrels import format_qrel
from campaigns.management.loading import campaign_named
from campaigns.models import Campaign
from campaigns.services.qrels import current_qrels, judgment_log


class Command(BaseCommand):
    help = "Write a campaign's qrels, or its whole judgment log, to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument(
            "--what",
            choices=["qrels", "judgments"],
            default="qrels",
            help="qrels: what holds now, TREC format; judgments: every act ever made, one JSON a line",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        write = self._qrels if options["what"] == "qrels" else self._log
        write(campaign)

    def _qrels(self, campaign: Campaign) -> None:
        for topic, docno, grade in current_qrels(campaign=campaign):
            self.stdout.write(format_qrel(topic, docno, grade), ending="")

    def _log(self, campaign: Campaign) -> None:
        for row in judgment_log(campaign=campaign):
            self.stdout.write(json.dumps(row, default=str))
