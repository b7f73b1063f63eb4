"""RBP bounds of every run on every topic, exact while gains change."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.bounds import mean_projection
from evaluation.measures.weights import exact_product, exact_rank_weights
from selection.pool import Pools

LAST_BITS = 16


@dataclass(frozen=True, eq=False)
class Shift:
    """Effect of one change of a gain on the runs that rank the document."""

    runs: IntArray
    base: FloatArray
    residual: FloatArray
    total_base: NDArray[np.int64]
    total_residual: NDArray[np.int64]


class RunBounds:
    """RBP base and residual of every run on every topic, kept while judgments come, change and go.

    base, residual : float64 (topics, runs). A run that misses a topic has base 0 and residual 1
    there, and the topic counts in its mean.

    All values are multiples of 2**-53 (see `exact_rank_weights`) and their sums over topics are kept
    as integers: nothing drifts, the order of the judgments leaves no trace, a judgment taken back
    restores every bit, and a copy rebuilt from the log equals the one that lived through it.
    """

    def __init__(self, pools: Pools, runs: int, p: float) -> None:
        self._share = np.concatenate([[0.0], exact_rank_weights(p, pools.depth)])
        self.base: FloatArray = np.zeros((len(pools), runs))
        self.residual: FloatArray = np.ones((len(pools), runs))
        self._unit = _unit(len(pools))
        self._all = max(len(pools), 1) * self._unit
        self._total_base = np.zeros(runs, dtype=np.int64)
        self._total_residual = np.full(runs, len(pools) * int(self._unit), dtype=np.int64)

    def copy(self) -> RunBounds:
        other = copy(self)
        other.base, other.residual = self.base.copy(), self.residual.copy()
        other._total_base, other._total_residual = self._total_base.copy(), self._total_residual.copy()
        return other

    def without_residual(self, topics: Sequence[int]) -> RunBounds:
        """A copy in which nothing is open on these topics: what is not judged there has gain 0."""
        other = self.copy()
        chosen = np.array(sorted(topics), dtype=np.int64)
        other._total_residual -= np.rint(self.residual[chosen] * self._unit).astype(np.int64).sum(axis=0)
        other.residual[chosen] = 0.0
        return other

    def load(self, base: FloatArray, residual: FloatArray) -> None:
        """Take over the bounds (topics, runs) of a campaign that others have kept."""
        self.base[:], self.residual[:] = base, residual
        self._total_base, self._total_residual = _total(base, self._unit), _total(residual, self._unit)

    def score(
        self, topic: int, rankings: Sequence[IntArray | None], judged: IntArray, gains: FloatArray
    ) -> None:
        """Set a topic's bounds from its runs' lists of document ids, and what is judged: ids ascending, a
        gain for each. The same to the last bit as one change after the other, and needs no pool."""
        lengths = [0 if ranking is None else len(ranking) for ranking in rankings]
        ids = np.concatenate([np.zeros(0, dtype=np.int32), *(one for one in rankings if one is not None)])
        which, at = _those_of(ids, judged)
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        runs = np.repeat(np.arange(len(rankings)), lengths)[which]
        share = self._share[which - starts[which] + 1]
        won = exact_product(share, gains[at])
        base: FloatArray = np.bincount(runs, won, minlength=len(rankings)).astype(np.float64)
        residual: FloatArray = 1.0 - np.bincount(runs, share, minlength=len(rankings)).astype(np.float64)
        self._total_base += self._units(base, self.base[topic])
        self._total_residual += self._units(residual, self.residual[topic])
        self.base[topic], self.residual[topic] = base, residual

    def shift(
        self, topic: int, at: tuple[IntArray, IntArray], before: float | None, after: float | None
    ) -> Shift:
        """The change that a document ranked so (runs, ranks) makes when its gain changes."""
        runs, ranks = at[0].astype(np.intp), at[1]
        share = self._share[ranks]
        old_base, old_residual = self.base[topic][runs], self.residual[topic][runs]
        base, residual = old_base, old_residual
        # What goes comes first: above 1 the grid would not be exact.
        if before:
            base = base - exact_product(share, before)
        if after:
            base = base + exact_product(share, after)
        if after is None:
            residual = residual + share
        elif before is None:
            residual = residual - share
        return Shift(runs, base, residual, self._units(base, old_base), self._units(residual, old_residual))

    def apply(self, topic: int, shift: Shift) -> None:
        self.base[topic][shift.runs] = shift.base
        self.residual[topic][shift.runs] = shift.residual
        self._total_base[shift.runs] += shift.total_base
        self._total_residual[shift.runs] += shift.total_residual

    def of_topic(self, topic: int, shift: Shift | None = None) -> tuple[FloatArray, FloatArray]:
        """Base and residual (runs,) on one topic, with a shift of that topic that is not applied."""
        base, residual = self.base[topic], self.residual[topic]
        if shift is not None:
            base, residual = base.copy(), residual.copy()
            base[shift.runs], residual[shift.runs] = shift.base, shift.residual
        return base, residual

    def means(self, shift: Shift | None = None) -> tuple[FloatArray, FloatArray]:
        """Means (runs,) of base and residual over all topics, with a shift that is not applied."""
        base, residual = self._total_base, self._total_residual
        if shift is not None:
            base, residual = base.copy(), residual.copy()
            base[shift.runs] += shift.total_base
            residual[shift.runs] += shift.total_residual
        return base / self._all, residual / self._all

    def means_of_others(self) -> tuple[FloatArray, FloatArray]:
        """Means (topics, runs) of base and residual over all topics, as if nothing of the row's topic were
        judged."""
        base = self._total_base - np.rint(self.base * self._unit).astype(np.int64)
        residual = self._total_residual + np.rint((1.0 - self.residual) * self._unit).astype(np.int64)
        return base / self._all, residual / self._all

    def projections(self) -> FloatArray:
        """Means (runs,) of the projected scores (`mean_projection`)."""
        return mean_projection(self.base, self.residual)

    def _units(self, new: FloatArray, old: FloatArray) -> NDArray[np.int64]:
        return (np.rint(new * self._unit) - np.rint(old * self._unit)).astype(np.int64)


def exact_mean(bounds: FloatArray) -> FloatArray:
    """Means over topics (runs,) of bases or residuals (topics, runs), as `RunBounds.means` gives them.

    >>> exact_mean(np.array([[0.5, 0.25], [0.25, 0.25]]))
    array([0.375, 0.25 ])
    """
    unit = _unit(len(bounds))
    return np.asarray(_total(bounds, unit) / (max(len(bounds), 1) * unit))


def _unit(topics: int) -> float:
    """Finest unit with which int64 can sum so many values in [0, 1]: exact up to 512 topics."""
    return float(2.0 ** min(53, 62 - ceil(log2(max(topics, 1)))))


def _total(bounds: FloatArray, unit: float) -> NDArray[np.int64]:
    return np.asarray(np.rint(bounds * unit).astype(np.int64).sum(axis=0))


def _those_of(ids: IntArray, few: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of the ids that are among the few (ascending), and each one's index in the few."""
    # Their last bits rule out nearly all others, at a twentieth of the time that a search takes.
    ends = np.zeros(1 << LAST_BITS, dtype=np.bool_)
    ends[few & (len(ends) - 1)] = True
    likely = np.flatnonzero(ends[ids & (len(ends) - 1)])
    at = np.searchsorted(few, ids[likely])
    same = np.append(few, -1)[at] == ids[likely]
    return likely[same], at[same]
