from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from campaigns.formats.prels import format_prel
from campaigns.formats.qrels import format_qrel
from campaigns.management.loading import campaign_named
from campaigns.models import Campaign
from campaigns.services.prels import current_prels
from campaigns.services.qrels import current_qrels, judgment_log


class Command(BaseCommand):
    help = "Write a campaign's qrels, its prels, or its whole judgment log, to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument(
            "--what",
            choices=["qrels", "prels", "judgments"],
            default="qrels",
            help="qrels: what holds now, TREC format; prels: the same with the probability that each "
            "document was drawn; judgments: every act ever made, one JSON a line",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        write = {"qrels": self._qrels, "prels": self._prels, "judgments": self._log}
        write[options["what"]](campaign)

    def _qrels(self, campaign: Campaign) -> None:
        for topic, docno, grade in current_qrels(campaign=campaign):
            self.stdout.write(format_qrel(topic, docno, grade), ending="")

    def _prels(self, campaign: Campaign) -> None:
        for row in current_prels(campaign=campaign):
            line = format_prel(row.topic, row.docno, row.grade, row.method, row.inclusion)
            self.stdout.write(line, ending="")

    def _log(self, campaign: Campaign) -> None:
        for row in judgment_log(campaign=campaign):
            self.stdout.write(json.dumps(row, default=str))
