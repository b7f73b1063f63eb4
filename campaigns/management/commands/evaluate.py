from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from campaigns.offline import options as option
from campaigns.offline.command import OfflineCommand, progress_bar
from campaigns.offline.output import as_csv, as_json, as_table
from campaigns.offline.scoring import Outcome, score_runs
from evaluation.measures import RBP

ALL = "all"


class Command(OfflineCommand):
    help = "Score runs against qrels, with the bounds that unjudged documents leave."

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument(
            "--measure",
            action="append",
            type=option.measure,
            metavar="M",
            help="RBP(p=0.8), with any p inside (0, 1); may be given several times",
        )
        parser.add_argument("--per-topic", action="store_true", help="each topic's scores as well")

    def run(self, options: dict[str, Any]) -> None:
        campaign, grading = self.read(options)
        measures = options["measure"] or [RBP(0.8)]
        with progress_bar("Scoring", len(campaign.topics)) as advance:
            outcome = score_runs(campaign, measures, grading, advance)
        if options["format"] == "json":
            head = {"topics": len(campaign.topics), "judged": campaign.judged}
            self.stdout.write(as_json(head | _shape(outcome, options["per_topic"])))
            return
        rows = sorted(outcome.means, key=lambda row: -row.scored.score)
        lines = [row.as_dict() for row in rows]
        if options["per_topic"]:
            lines = [row.as_dict() for row in outcome.by_topic]
            lines += [{name: row.as_dict().get(name, ALL) for name in lines[0]} for row in rows]
        self.stdout.write(as_csv(lines) if options["format"] == "csv" else as_table(lines))


def _shape(outcome: Outcome, per_topic: bool) -> dict[str, Any]:
    means = [row.as_dict() for row in outcome.means]
    if not per_topic:
        return {"scores": means}
    return {"scores": [row.as_dict() for row in outcome.by_topic], "means": means}
