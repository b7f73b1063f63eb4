"""Inputs and results of measures, and the kinds of measures: those of fixed weights, which have bounds, and
the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Literal

import numpy as np

from evaluation.aggregation import Aggregation
from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.statap import JudgedSample
from evaluation.estimation.statap_interval import SamplingError, stat_map_interval
from evaluation.estimation.strata import StratifiedPool
from evaluation.measures.adaptive_readers import expected_reciprocal_rank, stopping_probabilities
from evaluation.measures.bounds import Bounds, Weighting, rbp_weighting, weighted_bounds
from evaluation.measures.gains import cut
from evaluation.measures.rbp import rbp_bounds_with_ties
from evaluation.measures.weights import exact_rank_weights

# What a measure may need to know beyond gains in rank order; each is a field of `Rankings`.
Need = Literal["tied", "graded", "drawn", "stratified", "subtopics", "expected"]


@dataclass(frozen=True, eq=False)
class GradedRankings:
    """Grades as assessors gave them: of the runs' documents, (runs, n), NaN where not judged, and of all the
    topic's judged documents, (m,). `has_gains`: whether gains were given for them, or follow a default.
    `highest`: the highest grade of any topic; that of this topic if not given."""

    grades: FloatArray
    judged: FloatArray
    has_gains: bool = False
    highest: float | None = None


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """Rankings of documents drawn for judging with known probabilities: gains, inclusion and grades (runs,
    n), NaN where a document was not drawn, and the topic's whole sample."""

    gains: FloatArray
    inclusion: FloatArray
    sample: JudgedSample
    grades: FloatArray


@dataclass(frozen=True, eq=False)
class StratifiedRankings:
    """Rankings of a pool judged at different rates in its strata: gains (runs, n), NaN where not judged,
    strata (runs, n), -1 where not in the pool, and the topic's whole pool."""

    gains: FloatArray
    strata: IntArray
    pool: StratifiedPool


@dataclass(frozen=True, eq=False)
class SubtopicRankings:
    """Relevance of documents to subtopics: for the runs (runs, n, subtopics), and for all the topic's judged
    documents (m, subtopics), by docno descending."""

    relevance: BoolArray
    pool: BoolArray


@dataclass(frozen=True, eq=False)
class ExpectedRankings:
    """Each run's documents as places in `relevance` (documents,): the probability that each document of the
    topic's pool is relevant, 0 or 1 for the judged. `calibrated` (documents,): the same, with what was
    learned of unjudged documents on past collections; None where the probabilities allow no such
    correction."""

    rankings: Sequence[IntArray | None]
    relevance: FloatArray
    calibrated: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Rankings:
    """Runs' rankings for one topic, and the topic's judgments.

    `gains` (runs, n): in rank order, in [0, 1], NaN where not judged or beyond a run's end. `judged` (m,):
    the gains of all the topic's judged documents. `pooled` (runs, n): where a document is judged, or was in
    the pool and left unjudged on purpose; the judged alone if not given. `lengths` (runs,): how many
    documents each run has; n if not given. The rest is read by measures that need it; `tied` (runs, n):
    where a document has the score of the one before it.
    """

    gains: FloatArray
    judged: FloatArray
    pooled: BoolArray | None = None
    lengths: IntArray | None = None
    tied: BoolArray | None = None
    graded: GradedRankings | None = None
    drawn: DrawnRankings | None = None
    stratified: StratifiedRankings | None = None
    subtopics: SubtopicRankings | None = None
    expected: ExpectedRankings | None = None

    @cached_property
    def relevant(self) -> int:
        return int((self.judged > 0).sum())

    @cached_property
    def nonrelevant(self) -> int:
        return len(self.judged) - self.relevant


@dataclass(frozen=True)
class Score:
    """The measure's usual value (unjudged counts as not relevant), and its bounds where it has any.

    A score of NaN says that the measure has no value for the topic; such topics leave the mean. `tail`: the
    part of the bounds' residual below the run's last document. `variance`: of an estimate, None where the
    measure is none, NaN where it is not known. `error`: what the sample says of the estimate's error, where
    the measure has an interval; `low` and `high`: its 95% interval, NaN where the sample cannot say.
    """

    score: float
    bounds: Bounds | None = None
    tail: float | None = None
    variance: float | None = None
    error: SamplingError | None = field(default=None, compare=False)
    low: float | None = None
    high: float | None = None

    @property
    def deviation(self) -> float | None:
        return None if self.variance is None else sqrt(self.variance)


@dataclass(frozen=True, eq=False)
class Scores:
    """`Score` of many runs: score (runs,); base, residual and tail (runs,) where there are bounds; variance
    (runs,) where the score is an estimate; error (runs,) where it has an interval."""

    score: FloatArray
    bounds: tuple[FloatArray, FloatArray, FloatArray] | None = None
    full: float = 1.0
    variance: FloatArray | None = None
    error: SamplingError | None = None

    def each(self) -> list[Score]:
        values = self.score.tolist()
        if self.variance is not None:
            variances = self.variance.tolist()
            if self.error is not None:
                return _with_intervals(values, variances, self.error)
            return [Score(value, variance=one) for value, one in zip(values, variances, strict=True)]
        if self.bounds is None:
            return [Score(value) for value in values]
        lines = zip(values, *(part.tolist() for part in self.bounds), strict=True)
        return [Score(value, Bounds(base, rest, self.full), tail) for value, base, rest, tail in lines]


def _with_intervals(values: list[float], variances: list[float], error: SamplingError) -> list[Score]:
    interval = stat_map_interval(np.array([values]), SamplingError.of_topics([error]))
    ends = zip(interval.low.tolist(), interval.high.tolist(), strict=True)
    return [
        Score(value, variance=variance, error=error.of_run(run), low=low, high=high)
        for run, (value, variance, (low, high)) in enumerate(zip(values, variances, ends, strict=True))
    ]


def pad_rankings(rankings: Sequence[FloatArray]) -> FloatArray:
    """Rankings of different lengths as one array (runs, longest), filled up with NaN."""
    out = np.full((len(rankings), max(map(len, rankings), default=0)), np.nan)
    for row, ranking in zip(out, rankings, strict=True):
        row[: len(ranking)] = ranking
    return out


class Measure(ABC):
    @property
    def needs(self) -> Need | None:
        """The field of `Rankings` that it reads beside gains. Without it the measure has no value, but for
        shared ties (no document is tied) and cumulated gain (the gains are those in rank order)."""
        return None

    @property
    def reads_gains(self) -> bool:
        """True if scores depend on the size of gains on the scale up to 1, not on grades or relevance."""
        return False

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    def aggregation(self) -> Aggregation:
        """Aggregation of topic scores into one figure."""
        return "mean"

    @property
    def highest_grade(self) -> int | None:
        """The highest grade that it is defined for, where gains are not given; None: any."""
        return None

    def wider(self, grade: int) -> str:
        """The name of the same measure for grades up to this one; empty if it has no scale of its own."""
        return ""

    @abstractmethod
    def scores(self, topic: Rankings) -> Scores:
        """All runs of one topic at once."""

    def score(self, ranked: FloatArray, judged: FloatArray) -> Score:
        """One ranking of one topic: gains in rank order, NaN = unjudged; `judged`: the gains of all the
        topic's judged documents."""
        return self.scores(Rankings(ranked[None], judged)).each()[0]


@dataclass(frozen=True)
class Formula(Measure):
    """A measure without bounds. `graded`: it reads how high gains are, not only which are above 0."""

    label: str
    formula: Callable[[Rankings], FloatArray] = field(compare=False)
    graded: bool = False
    over_topics: Aggregation = "mean"

    @property
    def name(self) -> str:
        return self.label

    @property
    def reads_gains(self) -> bool:
        return self.graded

    @property
    def aggregation(self) -> Aggregation:
        return self.over_topics

    def scores(self, topic: Rankings) -> Scores:
        return Scores(self.formula(topic))


@dataclass(frozen=True)
class FieldMeasure(Measure):
    """A measure that reads one field more; no value for topics that have none there. `spread`: whether its
    scores come with variances."""

    label: str
    field_read: Need
    formula: Callable[[Rankings], Scores] = field(compare=False)
    spread: bool = False

    @property
    def needs(self) -> Need:
        return self.field_read

    @property
    def name(self) -> str:
        return self.label

    def scores(self, topic: Rankings) -> Scores:
        if getattr(topic, self.field_read) is None:
            nothing = np.full(len(topic.gains), np.nan)
            return Scores(nothing, variance=nothing if self.spread else None)
        return self.formula(topic)


@dataclass(frozen=True)
class WeightedMeasure(Measure):
    """A measure of fixed weights; its score is its base. `binary`: any gain above 0 counts 1."""

    label: str
    weighting: Weighting = field(compare=False)
    binary: bool = False

    @property
    def name(self) -> str:
        return self.label

    @property
    def reads_gains(self) -> bool:
        return not self.binary

    def scores(self, topic: Rankings) -> Scores:
        gains = np.where(topic.gains > 0, 1.0, topic.gains) if self.binary else topic.gains
        return bounded_scores(gains, self.weighting, topic.lengths)


@dataclass(frozen=True)
class DerivedMeasure(Measure):
    """A measure made of another, whose properties it has unless it says otherwise."""

    measure: Measure

    @property
    def needs(self) -> Need | None:
        return self.measure.needs

    @property
    def reads_gains(self) -> bool:
        return self.measure.reads_gains

    @property
    def aggregation(self) -> Aggregation:
        return self.measure.aggregation

    @property
    def highest_grade(self) -> int | None:
        return self.measure.highest_grade

    def named_with(self, parameter: str) -> str:
        """The name of the other measure with one parameter more, before the cut-off."""
        front, at, k = self.measure.name.partition("@")
        front = f"{front[:-1]}," if front.endswith(")") else f"{front}("
        return f"{front}{parameter}){at}{k}"


@dataclass(frozen=True)
class GradedMeasure(DerivedMeasure):
    """A measure of binary relevance, for which documents of a grade from `rel` on are relevant."""

    rel: float

    reads_gains = False
    highest_grade = None

    def __post_init__(self) -> None:
        if not 0 <= self.rel < float("inf"):
            raise ValueError(f"rel = {self.rel:g} is not a grade: it is 0 or above")

    @property
    def needs(self) -> Need:
        return "graded"

    @property
    def name(self) -> str:
        return self.named_with(f"rel={self.rel:g}")

    def scores(self, topic: Rankings) -> Scores:
        if topic.graded is None:
            return Scores(np.full(len(topic.gains), np.nan))
        gains, judged = (
            np.where(np.isnan(grades), np.nan, grades >= self.rel)
            for grades in (topic.graded.grades, topic.graded.judged)
        )
        return self.measure.scores(replace(topic, gains=gains, judged=judged))


@dataclass(frozen=True)
class ExpectedReciprocalRank(Measure):
    """ERR@k. `highest`: of the scale of grades. Where gains are given, they are the probabilities of
    stopping."""

    label: str
    k: int
    highest: int

    @property
    def needs(self) -> Need:
        return "graded"

    @property
    def name(self) -> str:
        return self.label

    @property
    def highest_grade(self) -> int:
        return self.highest

    def wider(self, grade: int) -> str:
        return f"ERR(max_rel={grade})@{self.k}"

    def scores(self, topic: Rankings) -> Scores:
        if topic.graded is None:
            return Scores(np.full(len(topic.gains), np.nan))
        graded = topic.graded
        stops = topic.gains if graded.has_gains else stopping_probabilities(graded.grades, self.highest)
        return Scores(expected_reciprocal_rank(stops, self.k))


@dataclass(frozen=True)
class RBP(Measure):
    """`ties_shared`: documents of equal score share the weights of the ranks that they occupy. `k`: only the
    first k ranks count; the weight below them stays in the residual."""

    p: float
    ties_shared: bool = False
    k: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise ValueError(f"p = {self.p} is not inside (0, 1)")

    @property
    def needs(self) -> Need | None:
        return "tied" if self.ties_shared else None

    @property
    def reads_gains(self) -> bool:
        return True

    @property
    def name(self) -> str:
        cut_off = "" if self.k is None else f"@{self.k}"
        return f"RBP(p={self.p!r}{',ties=shared' if self.ties_shared else ''}){cut_off}"

    def scores(self, topic: Rankings) -> Scores:
        if self.ties_shared:
            return _with_ties(topic, self.p, self.k)
        gains, lengths = cut(topic.gains, self.k), topic.lengths
        if lengths is not None:
            lengths = np.minimum(lengths, gains.shape[-1])
        return bounded_scores(gains, rbp_weighting(self.p, gains.shape[-1]), lengths)


def bounded_scores(gains: FloatArray, weighting: Weighting, lengths: IntArray | None) -> Scores:
    """The base as the score, with its bounds; arguments and errors as for `weighted_bounds`."""
    bounds = weighted_bounds(gains, weighting, lengths)
    return Scores(bounds.base, (bounds.base, bounds.residual, bounds.tail), weighting.full)


def _with_ties(topic: Rankings, p: float, k: int | None) -> Scores:
    """Without `tied` no document is tied."""
    runs, width = topic.gains.shape
    lengths = np.full(runs, width) if topic.lengths is None else topic.lengths
    tied = np.zeros(topic.gains.shape, dtype=np.bool_) if topic.tied is None else topic.tied
    rows = zip(topic.gains, tied, lengths, strict=True)
    bounds = [rbp_bounds_with_ties(gains[:length], ties[:length], p, k) for gains, ties, length in rows]
    base, residual = (np.array([getattr(b, name) for b in bounds]) for name in ("base", "residual"))
    inside = lengths if k is None else np.minimum(lengths, k)
    tails = 1.0 - np.r_[0.0, exact_rank_weights(p, width).cumsum()][inside]
    return Scores(base, (base, residual, tails))
