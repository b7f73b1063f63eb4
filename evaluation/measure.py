"""What measures read and what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Literal

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.statap import Sample
from evaluation.estimation.stratified import StratifiedPool
from evaluation.measures.bounds import Bounds

# What a measure may need to know beyond gains in rank order; each is a field of `Rankings`.
Need = Literal["tied", "drawn", "stratified", "expected"]


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """Of what was drawn for judging with known probabilities: gains, inclusion and grades (runs, n), NaN
    where a document was not drawn, and all that was drawn for the topic."""

    gains: FloatArray
    inclusion: FloatArray
    sample: Sample
    grades: FloatArray


@dataclass(frozen=True, eq=False)
class StratifiedRankings:
    """Of a pool judged at different rates in its strata: gains (runs, n), NaN where not judged, strata
    (runs, n), -1 where not in the pool, and all of the topic's pool."""

    gains: FloatArray
    strata: IntArray
    pool: StratifiedPool


@dataclass(frozen=True, eq=False)
class ExpectedRankings:
    """Each run's documents as places in `relevance` (documents,): the probability that each document of the
    topic's pool is relevant, 0 or 1 for the judged."""

    rankings: Sequence[IntArray | None]
    relevance: FloatArray


@dataclass(frozen=True, eq=False)
class Rankings:
    """What runs retrieved for one topic, and what is known of the topic.

    `gains` (runs, n): in rank order, in [0, 1], NaN where not judged or beyond a run's end. `judged` (m,):
    the gains of all the topic's judged documents. `pooled` (runs, n): where a document is judged, or was in
    the pool and left unjudged on purpose; the judged alone if not given. `lengths` (runs,): how many
    documents each run has; n if not given. The rest is read by measures that need it, which have no value
    where it is missing; `tied` (runs, n): where a document has the score of the one before it.
    """

    gains: FloatArray
    judged: FloatArray
    pooled: BoolArray | None = None
    lengths: IntArray | None = None
    tied: BoolArray | None = None
    drawn: DrawnRankings | None = None
    stratified: StratifiedRankings | None = None
    expected: ExpectedRankings | None = None

    @cached_property
    def relevant(self) -> int:
        return int((self.judged > 0).sum())

    @cached_property
    def nonrelevant(self) -> int:
        return len(self.judged) - self.relevant


@dataclass(frozen=True)
class Scored:
    """The measure's usual value (unjudged counts as not relevant), and its bounds where it has any.

    A score of NaN says that the measure has no value for the topic; such topics leave the mean. `tail`: the
    part of the bounds' residual below the run's last document. `variance`: of an estimate, None where the
    measure is none, NaN where it is not known.
    """

    score: float
    bounds: Bounds | None = None
    tail: float | None = None
    variance: float | None = None

    @property
    def deviation(self) -> float | None:
        return None if self.variance is None else sqrt(self.variance)

    @property
    def low(self) -> float | None:
        return None if self.deviation is None else self.score - 2 * self.deviation

    @property
    def high(self) -> float | None:
        """With `low` two standard deviations about the score."""
        return None if self.deviation is None else self.score + 2 * self.deviation


@dataclass(frozen=True, eq=False)
class Scores:
    """`Scored` of many runs: score (runs,); base, residual and tail (runs,) where there are bounds; variance
    (runs,) where the score is an estimate."""

    score: FloatArray
    bounds: tuple[FloatArray, FloatArray, FloatArray] | None = None
    full: float = 1.0
    variance: FloatArray | None = None

    def each(self) -> list[Scored]:
        values = self.score.tolist()
        if self.variance is not None:
            pairs = zip(values, self.variance.tolist(), strict=True)
            return [Scored(value, variance=variance) for value, variance in pairs]
        if self.bounds is None:
            return [Scored(value) for value in values]
        lines = zip(values, *(part.tolist() for part in self.bounds), strict=True)
        return [Scored(value, Bounds(base, rest, self.full), tail) for value, base, rest, tail in lines]


def padded(rankings: Sequence[FloatArray]) -> FloatArray:
    """Rankings of different lengths as one array (runs, longest), filled up with NaN."""
    out = np.full((len(rankings), max(map(len, rankings), default=0)), np.nan)
    for row, ranking in zip(out, rankings, strict=True):
        row[: len(ranking)] = ranking
    return out
