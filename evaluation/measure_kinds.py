"""The kinds of measures: those of fixed weights, which have bounds, and the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measure import Need, Rankings, Scored, Scores
from evaluation.measures.rbp import rbp_bounds_with_ties
from evaluation.measures.weighted import Weighting, depth_for_accuracy, rbp_weighting, weighted_bounds
from evaluation.measures.weights import exact_rank_weights


class Measure(ABC):
    @property
    def needs(self) -> Need | None:
        """The field of `Rankings` without which it has no value."""
        return None

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
class Needing(Measure):
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
        return _bounded(gains, self.weighting, topic.lengths)


@dataclass(frozen=True)
class RBP(Measure):
    """`ties_shared`: documents of equal score share the weights of the ranks that they occupy."""

    p: float
    ties_shared: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise ValueError(f"p = {self.p} is not inside (0, 1)")

    @property
    def needs(self) -> Need | None:
        return "tied" if self.ties_shared else None

    @property
    def name(self) -> str:
        return f"RBP(p={self.p!r}{',ties=shared' if self.ties_shared else ''})"

    def depth(self, accuracy: float) -> int:
        """How many ranks must be judged for a residual of at most `accuracy`."""
        return depth_for_accuracy(self.p, accuracy)

    def scores(self, topic: Rankings) -> Scores:
        if self.ties_shared:
            return _with_ties(topic, self.p)
        return _bounded(topic.gains, rbp_weighting(self.p, topic.gains.shape[-1]), topic.lengths)


def _bounded(gains: FloatArray, weighting: Weighting, lengths: IntArray | None) -> Scores:
    found = weighted_bounds(gains, weighting, lengths)
    return Scores(found.base, (found.base, found.residual, found.tail), weighting.full)


def _with_ties(topic: Rankings, p: float) -> Scores:
    """Without `tied` no document is tied."""
    runs, width = topic.gains.shape
    lengths = np.full(runs, width) if topic.lengths is None else topic.lengths
    tied = np.zeros(topic.gains.shape, dtype=np.bool_) if topic.tied is None else topic.tied
    rows = zip(topic.gains, tied, lengths, strict=True)
    bounds = [rbp_bounds_with_ties(gains[:length], ties[:length], p) for gains, ties, length in rows]
    base, residual = (np.array([getattr(b, name) for b in bounds]) for name in ("base", "residual"))
    tails = 1.0 - np.r_[0.0, exact_rank_weights(p, width).cumsum()][lengths]
    return Scores(base, (base, residual, tails))
