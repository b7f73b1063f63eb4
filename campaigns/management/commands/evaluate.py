from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path
from typing import Any

from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandError, CommandParser
from campaigns.management.offline.output import OfflineCommand, as_csv, as_json, as_table, progress_bar
from campaigns.management.offline.sampled_columns import SampledColumns, add_sample, reads_sample
from campaigns.scoring.further_judgments import with_further_judgments
from campaigns.scoring.score_tables import (
    EstimateOptions,
    ScoreRow,
    ScoreTable,
    fitted_rate,
    score_runs,
)
from evaluation.estimation.points import BACKGROUND
from evaluation.measure import RBP, Measure
from evaluation.names import measure_names

ALL_TOPICS = "all"


class Command(OfflineCommand):
    help = "Score runs against qrels, with the bounds that unjudged documents leave."

    def add_arguments(self, parser: CommandParser) -> None:
        option.add_files(parser)
        parser.add_argument(
            "--measure",
            action="extend",
            type=option.measures,
            metavar="M",
            help=f"measure; may be repeated (default: RBP(p=0.8)). Forms: {measure_names()}".replace(
                "%", "%%"
            ),
        )
        parser.add_argument(
            "--prels",
            type=Path,
            metavar="FILE",
            help="file of judgments with inclusion probabilities (topic docno rel method iprob), for statAP, "
            "and for sampling intervals of RBP, P@k, DCG@k and nDCG@k from a random sample",
        )
        add_sample(parser)
        parser.add_argument(
            "--strata",
            type=Path,
            metavar="FILE",
            help="file of the pool with its strata (topic 0 docno stratum rel; rel -1: not judged), for "
            "xinfAP",
        )
        parser.add_argument(
            "--subtopics",
            type=Path,
            metavar="FILE",
            help="file of judgments of subtopics (topic subtopic docno rel), for alpha_nDCG and ERR_IA",
        )
        option.add_cuts(parser)
        option.add_relevance(parser)
        parser.add_argument(
            "--jobs",
            type=option.count,
            default=1,
            metavar="N",
            help="processes that read run files (default: %(default)s)",
        )
        parser.add_argument("--per-topic", action="store_true", help="also show the scores of each topic")
        _add_estimates(parser)

    def run(self, options: dict[str, Any]) -> None:
        given: list[Measure] = options["measure"] or [RBP(0.8)]
        measures = list({measure.name: measure for measure in given}.values())
        _check(measures, options)
        # Neither gains and grades in rank order nor ties tell documents apart that the qrels do not name.
        samples = reads_sample(measures, options)
        only_named = (
            not samples
            and options["background"] is not None
            and all(measure.needs in (None, "tied", "graded") for measure in measures)
        )
        campaign, grading = self.read(options, only_named=only_named)
        files = {name: options[name] for name in ("prels", "strata", "subtopics")}
        campaign = with_further_judgments(campaign, grading, **files)
        background = options["background"]
        if background is None:
            background = fitted_rate(campaign, grading, str(options["qrels"]), self.stderr.write)
        with progress_bar("Scoring", len(campaign.topics)) as advance:
            outcome = score_runs(campaign, measures, grading, advance, options["relevance"])
        sampled = SampledColumns.of(campaign, measures, grading, options) if samples else None
        for notice in sampled.notices() if sampled else ():
            self.stderr.write(notice)
        head: dict[str, Any] = {"topics": len(campaign.topics), "judged": campaign.judged}
        head |= self.gains_used(campaign, grading, [one.name for one in measures if one.reads_gains])
        head |= {} if options["background"] is not None else {"background": background}
        showing = EstimateOptions(background, options["smoothing"], options["split"])
        self.stdout.write(_written(outcome, measures, showing, sampled, head, options))


def _add_estimates(parser: CommandParser) -> None:
    parser.add_argument(
        "--background",
        type=option.background,
        default=BACKGROUND,
        metavar="0.01",
        help="expected gain of an unjudged document, for the estimates, in [0, 1]; or fit: fit it to the "
        "judgments by a cubic (default: %(default)s)",
    )
    parser.add_argument(
        "--smoothing",
        type=option.probability,
        metavar="LAMBDA",
        help="share of the interpolated estimate in the smoothed one, in [0, 1] (default: 1 - residual)",
    )
    parser.add_argument(
        "--split",
        action="store_true",
        help="also show the two parts of the residual: unjudged documents, and the tail below the last rank",
    )


def _check(measures: Sequence[Measure], options: dict[str, Any]) -> None:
    for measure in measures:
        needed = option.FILES_NEEDED.get(measure.needs)
        if needed and not options[needed[0].removeprefix("--")]:
            raise CommandError(f"{measure.name} reads {needed[1]}: give {needed[0]}", returncode=2)
    if options["sample_p"] is not None and not reads_sample(measures, options):
        raise CommandError(
            "--sample-p needs --prels, and one of RBP, P@k, DCG@k, nDCG@k and AP", returncode=2
        )
    option.check_relevance(measures, options["relevance"])


def _written(
    outcome: ScoreTable,
    measures: Sequence[Measure],
    showing: EstimateOptions,
    sampled: SampledColumns | None,
    head: dict[str, Any],
    options: dict[str, Any],
) -> str:
    def lines_of(rows: Sequence[ScoreRow]) -> list[dict[str, Any]]:
        return [row.as_dict(showing) | (sampled.columns(row) if sampled else {}) for row in rows]

    per_topic = options["per_topic"]
    if options["format"] == "json":
        return as_json(head | _shape(outcome, per_topic, lines_of))
    place = {measure.name: n for n, measure in enumerate(measures)}
    lines = lines_of(sorted(outcome.means, key=lambda row: (place[row.measure], *_best_first(row))))
    if per_topic:
        of_all = [
            {"run": line["run"], "measure": line["measure"], "topic": ALL_TOPICS} | line for line in lines
        ]
        lines = lines_of(outcome.by_topic) + of_all
    return as_csv(lines) if options["format"] == "csv" else as_table(lines)


def _best_first(row: ScoreRow) -> tuple[bool, float]:
    score = row.scored.score
    return isnan(score), -score


def _shape(
    outcome: ScoreTable, per_topic: bool, lines_of: Callable[[Sequence[ScoreRow]], list[dict[str, Any]]]
) -> dict[str, Any]:
    means = lines_of(outcome.means)
    return {"scores": lines_of(outcome.by_topic), "means": means} if per_topic else {"scores": means}
