"""Standings by one of the campaign's measures: all runs by their best estimates, and every pair.

Bounds are certain. Intervals of a random sample are guaranteed by its probabilities. A model expects. A
statement is about these topics, or about topics like these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import ceil, floor, isfinite, log10
from typing import Literal

from campaigns.measurement.measured_scores import (
    CALIBRATED,
    DIFFERENCE,
    HALF_WIDTH,
    PROVED,
    PUBLISHED,
    TOPICS_HALF_WIDTH,
    Column,
    Estimate,
    MeasuredCampaign,
    MeasureScores,
    Unmeasured,
)
from campaigns.models import Campaign
from evaluation.arrays import FloatArray

# "estimated": by a sample that states no interval, which guarantees nothing; "usual": no estimate, only the
# value for which unjudged documents are not relevant.
StatementKind = Literal["sampled", "estimated", "expected", "usual"]
PairState = Literal["certain", "guaranteed", "likely", "leaning", "open"]
VerdictKind = Literal["unmeasured", "alone", "certain", "sampled", "estimated", "expected", "usual"]
# From this probability by the model on, a pair counts as separated, or leans to one side.
SEPARATED, LEANING = 0.95, 0.8
SURE: tuple[PairState, ...] = ("certain", "guaranteed", "likely")
NOISE = 1e-9


@dataclass(frozen=True)
class Span:
    """Ends of an interval, or of certain bounds."""

    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Statement:
    """A run's score, and its 95% intervals on these topics and for topics like these."""

    score: float | None
    interval: Span | None = None
    like_these: Span | None = None


@dataclass(frozen=True)
class MeasuredRow:
    """One run. `score`: its best estimate, None where it has none; `interval`, `like_these`: 95% intervals on
    these topics and for topics like these; `bounds`: certain."""

    id: int
    run: str
    group: str
    contributes: bool
    score: float | None
    interval: Span | None = None
    like_these: Span | None = None
    bounds: Span | None = None


@dataclass(frozen=True)
class MeasuredPair:
    """A difference: how much higher `run` scores than `other`. `bounds`: certain ones of it; `interval`,
    `like_these`: 95%, by a sample; `calibrated`, `published`: the probability, by the model, that `run` has
    the higher score; `reverse`: that `other` has it, calibrated, which leaves something open between them.
    None where there is no such statement. `proved`: no unjudged document can reverse it."""

    run: MeasuredRow
    other: MeasuredRow
    difference: float | None
    bounds: Span | None = None
    interval: Span | None = None
    like_these: Span | None = None
    calibrated: float | None = None
    published: float | None = None
    proved: bool = False
    reverse: float | None = None

    @property
    def state(self) -> PairState:
        """The surest statement about these topics."""
        if self.proved or (self.bounds is not None and self.bounds.excludes_zero):
            return "certain"
        if self.interval is not None:
            return "guaranteed" if self.interval.excludes_zero else "open"
        surer = max(self.calibrated or 0.0, self.reverse or 0.0) + NOISE
        return "likely" if surer >= SEPARATED else "leaning" if surer >= LEANING else "open"

    @property
    def percent(self) -> int | None:
        """The calibrated probability, rounded down, so that 95 is not shown of less; never 0 or 100, which
        would be certain."""
        return None if self.calibrated is None else min(max(floor(100 * self.calibrated + NOISE), 1), 99)

    @property
    def nearness(self) -> float:
        """Nearness to being separated: 1 or more where the pair is."""
        if self.interval is not None and self.difference is not None:
            half = (self.interval.high - self.interval.low) / 2
            return abs(self.difference) / half if half > 0 else 1.0
        return 0.0 if self.calibrated is None else abs(2 * self.calibrated - 1) / (2 * SEPARATED - 1)


@dataclass(frozen=True)
class MeasuredVerdict:
    """Verdict on the first row. `better`, `better_like_these`: the number of `others` than which it is better
    by its sample, on these topics and on topics like these; `least`: the model's lowest probability that it
    is better than one of them. None where there is no such statement. `tied`: others have the same score."""

    kind: VerdictKind
    row: MeasuredRow | None = None
    others: int = 0
    better: int | None = None
    better_like_these: int | None = None
    least: float | None = None
    tied: bool = False

    @property
    def is_probable(self) -> bool:
        return self.least is not None and self.least >= LEANING


@dataclass(frozen=True, eq=False)
class MeasuredStandings:
    """Runs by one measure, the highest estimate first; `scores` is None, and there are no rows, where nothing
    is measured for a `reason`."""

    name: str
    measured: MeasuredCampaign
    scores: MeasureScores | None
    rows: Sequence[MeasuredRow] = ()
    matrices: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def as_of(self) -> int:
        return self.measured.as_of

    @property
    def reason(self) -> Unmeasured | Literal[""]:
        return self.measured.content.reason if self.scores is None else ""

    @property
    def estimate(self) -> Estimate | None:
        return None if self.scores is None else self.scores.best_estimate

    @property
    def kind(self) -> StatementKind:
        return "usual" if self.estimate is None else self.estimate.kind

    @property
    def shown_kind(self) -> StatementKind:
        return "estimated" if self.kind == "sampled" and not self.has_intervals else self.kind

    @property
    def pair_kind(self) -> StatementKind:
        """The kind of statement about pairs: a sample may estimate runs without intervals of pairs."""
        return (
            "sampled"
            if DIFFERENCE in self.matrices
            else "expected"
            if CALIBRATED in self.matrices
            else "usual"
        )

    @property
    def topics(self) -> int:
        """The number of topics of which scores are means."""
        of = self.estimate or self.scores
        return 0 if of is None else of.topics

    @cached_property
    def has_intervals(self) -> bool:
        return any(row.interval for row in self.rows)

    @cached_property
    def has_like_these(self) -> bool:
        return any(row.like_these for row in self.rows)

    @property
    def has_bounds(self) -> bool:
        return self.scores is not None and self.scores.has_bounds

    @cached_property
    def reach(self) -> float:
        """The end of an axis that begins at 0."""
        spans = [span for row in self.rows for span in (row.interval, row.like_these, row.bounds) if span]
        most = max([*(span.high for span in spans), *(row.score or 0.0 for row in self.rows)], default=1.0)
        if most <= 1:
            return 1.0
        step = 10.0 ** (ceil(log10(most)) - 1)
        return ceil(most / step - NOISE) * step

    @property
    def ticks(self) -> list[float]:
        return [self.reach * fifth / 5 for fifth in range(6)]

    def row(self, run: int) -> MeasuredRow | None:
        return next((row for row in self.rows if row.id == run), None)

    def pair(self, run: MeasuredRow, other: MeasuredRow) -> MeasuredPair:
        at = self.measured.place[run.id], self.measured.place[other.id]
        gap, bounds = None, None
        if run.score is not None and other.score is not None:
            gap = run.score - other.score
        if run.bounds is not None and other.bounds is not None:
            bounds = Span(run.bounds.low - other.bounds.high, run.bounds.high - other.bounds.low)
        return MeasuredPair(
            run,
            other,
            gap,
            bounds,
            self._interval(at, HALF_WIDTH),
            self._interval(at, TOPICS_HALF_WIDTH),
            self._value(at, CALIBRATED),
            self._value(at, PUBLISHED),
            bool(self._value(at, PROVED)),
            self._value(at[::-1], CALIBRATED),
        )

    def _value(self, at: tuple[int, int], name: str) -> float | None:
        value = float(self.matrices[name][at]) if name in self.matrices else float("nan")
        return value if isfinite(value) else None

    def _interval(self, at: tuple[int, int], width: str) -> Span | None:
        middle, half = self._value(at, DIFFERENCE), self._value(at, width)
        return None if middle is None or half is None else Span(middle - half, middle + half)

    def pairs(self, runs: int) -> list[MeasuredPair]:
        """Pairs of the first runs; none where nothing is stated about pairs."""
        if not self.matrices and not self.has_bounds:
            return []
        return [self.pair(*two) for two in combinations(self.rows[:runs], 2)]

    @cached_property
    def verdict(self) -> MeasuredVerdict:
        if not self.rows or self.rows[0].score is None:
            return MeasuredVerdict("unmeasured")
        first, *others = self.rows
        if not others:
            return MeasuredVerdict("alone", first)
        pairs = [self.pair(first, other) for other in others]
        if all(pair.state == "certain" for pair in pairs):
            return MeasuredVerdict("certain", first, len(others))
        chances = [pair.calibrated for pair in pairs if pair.calibrated is not None]
        return MeasuredVerdict(
            self.kind,
            first,
            len(others),
            _better([pair.interval for pair in pairs]),
            _better([pair.like_these for pair in pairs]),
            min(chances, default=None),
            pairs[0].difference is not None and pairs[0].difference < NOISE,
        )


def _better(spans: Sequence[Span | None]) -> int | None:
    return sum(span.low > 0 for span in spans if span) if any(spans) else None


def has_own_standings(campaign: Campaign, measured: MeasuredCampaign) -> bool:
    """True if the campaign's verdict is by its primary measure as measured: it is not the RBP of score
    ranges, or a sample guarantees more than the prediction expects."""
    primary = measured.primary
    return campaign.measure != campaign.rbp or (primary is not None and bool(primary.estimate("sampled")))


def measured_standings(
    *, campaign: Campaign, measured: MeasuredCampaign, measure: str = ""
) -> MeasuredStandings:
    """Rank by the primary measure, if no other is named. `measured` has its pairs."""
    name = measure or campaign.measure
    scores = measured.named(name)
    if scores is None:
        return MeasuredStandings(name, measured, None)
    runs = campaign.runs.filter(id__in=measured.runs).values_list("id", "tag", "group", "contributes_to_pool")
    rows = [_row(scores, measured.place[row[0]], row) for row in runs]
    rows.sort(key=lambda row: (row.score is None, -(row.score or 0.0), row.id))
    matrices = {
        of: measured.matrix(scores, estimate, of) for estimate in scores.estimates for of in estimate.pairs
    }
    return MeasuredStandings(name, measured, scores, rows, matrices)


def _row(scores: MeasureScores, at: int, named: tuple[int, str, str, bool]) -> MeasuredRow:
    stated = statement_of(scores, scores.best_estimate, at)
    return MeasuredRow(*named, stated.score, stated.interval, stated.like_these, bounds_of(scores, at))


def statement_of(scores: MeasureScores, estimate: Estimate | None, at: int) -> Statement:
    """State the score of the run at a place, by the estimate or, without one, as usual."""
    if estimate is None:
        return Statement(scores.score[at])
    like_these = _span(estimate.topics_low, estimate.topics_high, at)
    return Statement(estimate.score[at], _span(estimate.low, estimate.high, at), like_these)


def bounds_of(scores: MeasureScores, at: int) -> Span | None:
    return _span(scores.base, scores.top, at)


def _span(low: Column, high: Column, at: int) -> Span | None:
    ends = (low[at], high[at]) if low and high else (None, None)
    return None if ends[0] is None or ends[1] is None else Span(ends[0], ends[1])
