from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.offline import options as option
from campaigns.offline.command import OfflineCommand, progress_bar
from campaigns.offline.output import as_csv, as_json, as_table
from campaigns.offline.prels import read_prels
from campaigns.offline.scoring import Outcome, Row, score_runs
from evaluation.measures import RBP, measure_names

ALL = "all"


class Command(OfflineCommand):
    help = "Score runs against qrels, with the bounds that unjudged documents leave."

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument(
            "--measure",
            action="append",
            type=option.any_measure,
            metavar="M",
            help=f"{measure_names()}; may be given several times".replace("%", "%%"),
        )
        parser.add_argument(
            "--prels",
            type=Path,
            metavar="FILE",
            help="judgments with inclusion probabilities (topic docno rel method iprob), for statAP",
        )
        parser.add_argument("--per-topic", action="store_true", help="each topic's scores as well")

    def run(self, options: dict[str, Any]) -> None:
        measures = options["measure"] or [RBP(0.8)]
        without = [measure.name for measure in measures if measure.needs_sample and not options["prels"]]
        if without:
            raise CommandError(f"{without[0]} reads inclusion probabilities: give --prels", returncode=2)
        campaign, grading = self.read(options)
        if options["prels"]:
            campaign = campaign.with_samples(read_prels(options["prels"], grading))
        with progress_bar("Scoring", len(campaign.topics)) as advance:
            outcome = score_runs(campaign, measures, grading, advance)
        if options["format"] == "json":
            head = {"topics": len(campaign.topics), "judged": campaign.judged}
            self.stdout.write(as_json(head | _shape(outcome, options["per_topic"])))
            return
        place = {measure.name: n for n, measure in enumerate(measures)}
        rows = sorted(outcome.means, key=lambda row: (place[row.measure], *_best_first(row)))
        lines = [row.as_dict() for row in rows]
        if options["per_topic"]:
            lines = [row.as_dict() for row in outcome.by_topic]
            lines += [{name: row.as_dict().get(name, ALL) for name in lines[0]} for row in rows]
        self.stdout.write(as_csv(lines) if options["format"] == "csv" else as_table(lines))


def _best_first(row: Row) -> tuple[bool, float]:
    score = row.scored.score
    return isnan(score), -score


def _shape(outcome: Outcome, per_topic: bool) -> dict[str, Any]:
    means = [row.as_dict() for row in outcome.means]
    if not per_topic:
        return {"scores": means}
    return {"scores": [row.as_dict() for row in outcome.by_topic], "means": means}
