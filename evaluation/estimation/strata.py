"""Average precision and nDCG inferred from judgments sampled at different rates in strata of the pool."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.gains import check_cut_off, gains_of, ranks_of, share, total
from evaluation.measures.incomplete_judgments import EPSILON

# The published program's depth.
STRATIFIED_DEPTH = 1000
NOT_POOLED = -1


@dataclass(frozen=True, eq=False)
class StratifiedPool:
    """One topic's pool. `strata` (m,): each document's stratum, 0, 1, …; `gains` (m,): in [0, 1], NaN where
    the document was not drawn for judging."""

    strata: IntArray
    gains: FloatArray

    def __post_init__(self) -> None:
        if np.shape(self.strata) != gains_of(self.gains).shape or np.ndim(self.strata) != 1:
            raise ValueError(f"strata has shape {np.shape(self.strata)}, gains {np.shape(self.gains)}")
        if (np.asarray(self.strata) < 0).any():
            raise ValueError(f"stratum {np.min(self.strata)} of a document in the pool is negative")

    def _count(self, where: BoolArray | None = None) -> FloatArray:
        counted = self.strata if where is None else self.strata[where]
        counts = np.bincount(counted, minlength=int(self.strata.max(initial=-1)) + 1)
        return counts.astype(np.float64)

    @cached_property
    def documents_per_judged(self) -> FloatArray:
        """(strata,): how many documents of a stratum each judged one stands for; 0 if none is judged."""
        judged = self._count(~np.isnan(self.gains))
        return np.divide(self._count(), judged, out=np.zeros_like(judged), where=judged > 0)

    @cached_property
    def sampled_relevant(self) -> FloatArray:
        """(strata,)"""
        return self._count(self.gains > 0)

    @property
    def relevant(self) -> float:
        """Estimate of how many documents of the pool are relevant."""
        return float(self.sampled_relevant @ self.documents_per_judged)

    def ideal_dcg(self, depth: int) -> float:
        """DCG of the best order of as many documents of each gain as are estimated, rounded by gain."""
        levels = np.unique(self.gains[self.gains > 0])[::-1]
        counts = [self._count(self.gains == level) @ self.documents_per_judged for level in levels]
        best = np.repeat(levels, [int(count + 0.5) for count in counts])[:depth]
        return float(best @ discounts(len(best), base=None))


def stratified_ap(
    gains: FloatArray, strata: IntArray, pool: StratifiedPool, depth: int = STRATIFIED_DEPTH
) -> FloatArray:
    """xinfAP: AP where, above each relevant document, each stratum is relevant at its own judged rate.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged.
    strata : ndarray of int, shape (..., n)
        Each document's stratum; -1 where it is not in the pool.
    pool : StratifiedPool
        All of the topic's pool, retrieved or not.
    depth : int
        Count the first `depth` ranks only; at least 1.

    Returns
    -------
    ndarray of float64, shape (...), at least 0; 0 if nothing is relevant

    Raises
    ------
    ValueError
        If a gain is outside [0, 1], shapes differ, depth < 1, or a judged document is not in the pool.

    References
    ----------
    Yilmaz, Kanoulas and Aslam 2008, section 3.1, with the smoothing of TREC's sampled evaluation program.

    Examples
    --------
    >>> pool = StratifiedPool(np.array([0, 0, 1, 1]), np.array([1.0, 0.0, 1.0, np.nan]))
    >>> float(stratified_ap(np.array([1.0, 1.0]), np.array([0, 1]), pool).round(3))
    1.0
    """
    gains, strata = _checked(gains, strata, pool, depth)
    hits, judged = gains > 0, ~np.isnan(gains)
    expected = np.zeros(gains.shape)
    for stratum in range(len(pool.sampled_relevant)):
        inside = strata == stratum
        documents, known, relevant = (
            (where & inside).cumsum(axis=-1) - (where & inside) for where in (inside, judged, hits)
        )
        expected += documents * (relevant + EPSILON) / (known + 3 * EPSILON)
    # A judged relevant document counts for all those of its stratum that it stands for.
    stands_for = np.r_[pool.documents_per_judged, 0.0][strata]
    precision = (1.0 + expected) / ranks_of(gains)
    return share(total(hits * precision * stands_for), pool.relevant)


def stratified_ndcg(
    gains: FloatArray, strata: IntArray, pool: StratifiedPool, depth: int = STRATIFIED_DEPTH
) -> FloatArray:
    """infNDCG: the retrieved part of each stratum earns at the mean rate of its judged documents there.

    Parameters, errors and reference as for `stratified_ap`. Gains are linear, discounts 1 / log2(i + 1).

    Returns
    -------
    ndarray of float64, shape (...), at least 0; 0 if nothing is relevant

    Examples
    --------
    >>> pool = StratifiedPool(np.array([0, 0]), np.array([1.0, 0.0]))
    >>> float(stratified_ndcg(np.array([1.0, 0.0]), np.array([0, 0]), pool))
    1.0
    """
    gains, strata = _checked(gains, strata, pool, depth)
    judged, earned = ~np.isnan(gains), np.nan_to_num(gains) * discounts(gains.shape[-1], base=None)
    sums = np.zeros(gains.shape[:-1])
    for stratum in range(len(pool.sampled_relevant)):
        inside = strata == stratum
        known = (inside & judged).sum(axis=-1)
        sums += inside.sum(axis=-1) * total(earned * inside) / np.maximum(known, 1)
    return share(sums, pool.ideal_dcg(depth))


def _checked(
    gains: FloatArray, strata: IntArray, pool: StratifiedPool, depth: int
) -> tuple[FloatArray, IntArray]:
    gains, strata = gains_of(gains), np.asarray(strata)
    if strata.shape != gains.shape:
        raise ValueError(f"strata has shape {strata.shape}, gains {gains.shape}")
    if ((strata < 0) & ~np.isnan(gains)).any():
        raise ValueError("a document is judged and not in the pool")
    if strata.max(initial=NOT_POOLED) >= len(pool.sampled_relevant):
        raise ValueError(f"stratum {strata.max()} is not in the pool")
    check_cut_off(depth)
    return gains[..., :depth], strata[..., :depth]
