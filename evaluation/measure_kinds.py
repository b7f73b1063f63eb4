"""The kinds of measures: those of fixed weights, which have bounds, and the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.scored import DrawnRankings, Rankings, Scored, Scores
from evaluation.weighted import Weighting, rbp_weighting, weighted_bounds


class Measure(ABC):
    @property
    def needs_sample(self) -> bool:
        """Whether it reads `Rankings.drawn`."""
        return False

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def scores(self, topic: Rankings) -> Scores:
        """All runs of one topic at once."""

    def score(self, ranked: FloatArray, judged: FloatArray) -> Scored:
        """One ranking of one topic: gains in rank order, NaN = unjudged; `judged`: the gains of all the
        topic's judged documents."""
        return self.scores(Rankings(ranked[None], judged)).each()[0]


@dataclass(frozen=True)
class Formula(Measure):
    """A measure without bounds."""

    label: str
    formula: Callable[[Rankings], FloatArray] = field(compare=False)

    @property
    def name(self) -> str:
        return self.label

    def scores(self, topic: Rankings) -> Scores:
        return Scores(self.formula(topic))


@dataclass(frozen=True)
class Sampled(Measure):
    """A measure of judgments drawn with known probabilities; no value for topics that have none."""

    label: str
    formula: Callable[[DrawnRankings], FloatArray] = field(compare=False)

    @property
    def needs_sample(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return self.label

    def scores(self, topic: Rankings) -> Scores:
        if topic.drawn is None:
            return Scores(np.full(len(topic.gains), np.nan))
        return Scores(self.formula(topic.drawn))


@dataclass(frozen=True)
class Weighted(Measure):
    """A measure of fixed weights; its score is its base. `binary`: any gain above 0 counts 1."""

    label: str
    weighting: Weighting = field(compare=False)
    binary: bool = False

    @property
    def name(self) -> str:
        return self.label

    def scores(self, topic: Rankings) -> Scores:
        gains = np.where(topic.gains > 0, 1.0, topic.gains) if self.binary else topic.gains
        return _bounded(gains, self.weighting)


@dataclass(frozen=True)
class RBP(Measure):
    p: float

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise ValueError(f"p = {self.p} is not inside (0, 1)")

    @property
    def name(self) -> str:
        return f"RBP(p={self.p!r})"

    def scores(self, topic: Rankings) -> Scores:
        return _bounded(topic.gains, rbp_weighting(self.p, topic.gains.shape[-1]))


def _bounded(gains: FloatArray, weighting: Weighting) -> Scores:
    found = weighted_bounds(gains, weighting)
    return Scores(found.base, (found.base, found.residual), weighting.full)
