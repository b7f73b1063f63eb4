"""What measures read and what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from evaluation.bounds import Bounds
from evaluation.statap import Sample


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """Of what was drawn for judging with known probabilities: gains and inclusion (runs, n), NaN where a
    document was not drawn, and all that was drawn for the topic."""

    gains: FloatArray
    inclusion: FloatArray
    sample: Sample


@dataclass(frozen=True, eq=False)
class Rankings:
    """What runs retrieved for one topic, and what is known of the topic.

    `gains` (runs, n): in rank order, in [0, 1], NaN where not judged or beyond a run's end. `judged` (m,):
    the gains of all the topic's judged documents. `pooled` (runs, n): where a document is judged, or was in
    the pool and left unjudged on purpose; the judged alone if not given.
    `drawn`: only measures of `needs_sample` read it; they have no value where it is missing.
    """

    gains: FloatArray
    judged: FloatArray
    pooled: BoolArray | None = None
    drawn: DrawnRankings | None = None

    @cached_property
    def relevant(self) -> int:
        return int((self.judged > 0).sum())

    @cached_property
    def nonrelevant(self) -> int:
        return len(self.judged) - self.relevant


@dataclass(frozen=True)
class Scored:
    """The measure's usual value (unjudged counts as not relevant), and its bounds where it has any.

    A score of NaN says that the measure has no value for the topic; such topics leave the mean.
    """

    score: float
    bounds: Bounds | None


@dataclass(frozen=True, eq=False)
class Scores:
    """`Scored` of many runs: score (runs,), and base and residual (runs,) where there are bounds."""

    score: FloatArray
    bounds: tuple[FloatArray, FloatArray] | None = None
    full: float = 1.0

    def each(self) -> list[Scored]:
        values = self.score.tolist()
        if self.bounds is None:
            return [Scored(value, None) for value in values]
        pairs = zip(*(bound.tolist() for bound in self.bounds), strict=True)
        bounds = [Bounds(base, residual, self.full) for base, residual in pairs]
        return [Scored(value, bound) for value, bound in zip(values, bounds, strict=True)]


def padded(rankings: Sequence[FloatArray]) -> FloatArray:
    """Rankings of different lengths as one array (runs, longest), filled up with NaN."""
    out = np.full((len(rankings), max(map(len, rankings), default=0)), np.nan)
    for row, ranking in zip(out, rankings, strict=True):
        row[: len(ranking)] = ranking
    return out
