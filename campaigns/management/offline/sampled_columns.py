"""Scores estimated from a random sample, as columns beside those of `evaluate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.management.offline import options as option
from campaigns.management.offline.command_line import CommandParser
from campaigns.management.offline.files import read_contributing
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.sampled_weights import is_estimable
from campaigns.scoring.score_tables import ScoreRow
from evaluation.measure import Measure

if TYPE_CHECKING:
    from campaigns.scoring.sampled_estimates import RunEstimate, SampledEstimates
    from evaluation.estimation.corrected import TooEarly

SAMPLE_P = 0.8
COLUMNS = ("sampled", "sampled_low", "sampled_high", "topics_low", "topics_high")
_TOO_EARLY = {
    "topics": "{:g} topics have a sample, and intervals need {:g}",
    "judgments": "{:.3g} judgments a topic are sampled, and intervals need {:g}",
    "relevant": "{:g} sampled documents are relevant, and intervals need {:g}",
    "depth": "It weighs documents that the sample hardly ever draws",
    "ideal": "Its ideal order depends on relevant documents that the sample does not show",
}


def add_sample(parser: CommandParser) -> None:
    parser.add_argument(
        "--sample-p",
        type=option.persistence,
        metavar="P",
        help="persistence by which the sample in --prels was drawn (default: "
        f"{SAMPLE_P}). Without it, --prels is read as a random sample only where no measure of statAP is "
        "asked for",
    )
    parser.add_argument(
        "--contributing",
        type=Path,
        metavar="FILE",
        help="file listing the runs whose documents were drawn, one tag a line (default: all runs)",
    )


def reads_sample(measures: Sequence[Measure], options: dict[str, Any]) -> bool:
    """True if scores are to be estimated from the prels, as those of a random sample."""
    if not options["prels"] or not any(map(is_estimable, measures)):
        return False
    return options["sample_p"] is not None or all(measure.needs != "drawn" for measure in measures)


@dataclass(frozen=True, eq=False)
class SampledColumns:
    """Estimates of the measures that have them."""

    estimates: Sequence[SampledEstimates]
    topics: int

    @classmethod
    def of(
        cls,
        collection: JudgedCollection,
        measures: Sequence[Measure],
        grading: Grading,
        options: dict[str, Any],
    ) -> SampledColumns:
        """Estimate; FormatError naming the document if the prels are no sample of these runs."""
        # Only samples need it, and importing scipy takes longer than scoring a small file.
        from campaigns.scoring.sampled_estimates import SampleMismatch, sampled_estimates

        p = SAMPLE_P if options["sample_p"] is None else options["sample_p"]
        contributing = read_contributing(options["contributing"], collection.runs)
        try:
            estimates = [
                sampled_estimates(collection, measure, grading, p=p, contributing=contributing)
                for measure in measures
                if is_estimable(measure)
            ]
        except SampleMismatch as error:
            detail = f"{error}. Give the p of the sample with --sample-p"
            raise FormatError(str(options["prels"]), [LineError(None, detail)]) from error
        return cls(estimates, len(collection.topics))

    def columns(self, row: ScoreRow) -> dict[str, float | None]:
        """Columns of a line; empty ones for a single topic, and for measures without an estimate."""
        line: dict[str, float | None] = dict.fromkeys(COLUMNS)
        for estimates in self.estimates:
            for run in estimates.runs:
                if row.topic is None and (row.measure, row.run) == (estimates.measure, run.run):
                    line |= self._within_bounds(run, row, estimates)
        return line

    def _within_bounds(
        self, run: RunEstimate, row: ScoreRow, estimates: SampledEstimates
    ) -> dict[str, float | None]:
        bounds = row.scored.bounds
        # The bounds are those of all topics.
        if bounds is not None and len(estimates.topics) == self.topics:
            run = run.within(bounds.base, bounds.top)
        values = run.score, run.low, run.high, run.topics_low, run.topics_high
        return dict(zip(COLUMNS, values, strict=True))

    def notices(self) -> Iterator[str]:
        """Sentences about topics without a sample and runs without an interval."""
        if self.estimates and (left_out := self.estimates[0].left_out):
            reasons = Counter(left_out.values()).most_common()
            words = ", ".join(f"{count} because {reason}" for reason, count in reasons)
            yield f"sampled: {len(self.estimates[0].topics)} of {self.topics} topics; left out: {words}"
        for one in self.estimates:
            if one.too_early is not None:
                yield f"{one.measure}: no interval yet. {_too_early(one.too_early)}"
            elif one.approximate:
                yield f"{one.measure}: the sampling interval is approximate"
            for run in one.runs:
                if run.score is None and run.beyond:
                    yield (
                        f"{one.measure}: no estimate of {run.run}, {100 * run.beyond:.2g}% of its weight is "
                        "on documents that could not be drawn"
                    )


def _too_early(early: TooEarly) -> str:
    return _TOO_EARLY[early.of].format(early.count, early.needed)
