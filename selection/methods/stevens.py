"""Sampling without replacement, about proportionally to size, with known probabilities (Stevens 1958)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from evaluation.arrays import FloatArray, IntArray
from selection.rounding import significant


@dataclass(frozen=True, eq=False)
class Buckets:
    """Documents by prior descending, in buckets of as many as are to be drawn.

    Buckets are drawn with replacement, as often as the sample has documents, in proportion to their mass;
    one that was hit k times gives k of its documents, any k alike. Only the last bucket may be short, and
    then gives all it has if it is hit more often: the sample is smaller then.

    order : int64 (n,), the documents whose prior is above 0, by prior descending
    size : int, of the buckets and of the sample
    mass : float64 (buckets,), sum 1
    """

    order: IntArray
    size: int
    mass: FloatArray

    @property
    def bucket(self) -> IntArray:
        """Which bucket each place of `order` is in, (n,)."""
        return np.arange(len(self.order)) // self.size

    @property
    def sizes(self) -> IntArray:
        return np.bincount(self.bucket, minlength=len(self.mass))

    def inclusion(self) -> FloatArray:
        """The probability that each place of `order` is drawn, (n,), in (0, 1]."""
        chances = self.mass.copy()
        if self._short:
            chances[-1] = _expected(self.size, self._short, self._last).sum() / self._short
        return np.minimum(chances, 1.0)[self.bucket]

    def joint(self) -> FloatArray:
        """The probability that two documents are both drawn, (buckets, buckets) by where they are; on the
        diagonal that of two different ones of the same bucket, 0 if it has but one."""
        m, short = self.size, self._short
        chances = (m - 1) / m * np.outer(self.mass, self.mass)
        np.fill_diagonal(chances, self.mass**2 if m > 1 else 0.0)
        if short:
            # Given one hit elsewhere, the other m - 1 fall as before.
            chances[-1, :-1] = self.mass[:-1] * _expected(m - 1, short, self._last).sum() / short
            chances[:-1, -1] = chances[-1, :-1]
            pairs = 2 * np.arange(short) @ _expected(m, short, self._last)
            chances[-1, -1] = pairs / (short * (short - 1)) if short > 1 else 0.0
        return np.minimum(chances, 1.0)

    def draw(self, generator: np.random.Generator) -> IntArray:
        """Places of `order`, in random order."""
        if not len(self.order):
            return np.zeros(0, dtype=np.int64)
        hits = np.minimum(generator.multinomial(self.size, self.mass), self.sizes)
        drawn = [
            bucket * self.size + generator.choice(self.sizes[bucket], hits[bucket], replace=False)
            for bucket in np.flatnonzero(hits)
        ]
        return generator.permutation(np.concatenate(drawn))

    @property
    def _short(self) -> int:
        """How many documents the last bucket has, 0 if it is full."""
        return len(self.order) % self.size

    @property
    def _last(self) -> float:
        return float(self.mass[-1])


def stevens(prior: FloatArray, size: int) -> Buckets:
    """Lay out the buckets for a sample.

    Parameters
    ----------
    prior : ndarray of float64, shape (n,)
        Not negative; need not add up to 1. Compared at 12 significant digits, ties by index. A document
        with prior 0 is never drawn.
    size : int
        How many draws are made, at least 1. If there are no more documents, all are drawn for certain.

    Returns
    -------
    Buckets

    Raises
    ------
    ValueError
        If size < 1, or a prior is negative or not finite.

    References
    ----------
    Stevens 1958; Carterette et al. 2008, section 2.2.

    Examples
    --------
    >>> buckets = stevens(np.array([0.1, 0.2, 0.3, 0.4]), 2)
    >>> buckets.order.tolist(), buckets.inclusion().round(6).tolist()
    ([3, 2, 1, 0], [0.7, 0.7, 0.3, 0.3])
    """
    prior = np.asarray(prior, dtype=np.float64)
    if size < 1:
        raise ValueError(f"size = {size} is below 1")
    wrong = ~np.isfinite(prior) | (prior < 0)
    if wrong.any():
        raise ValueError(f"prior {prior[wrong][0]} is negative or not finite")
    order = np.argsort(-significant(prior), kind="stable")[: np.count_nonzero(prior)]
    if not len(order):
        return Buckets(order, size, np.zeros(0))
    mass = np.add.reduceat(prior[order], np.arange(0, len(order), size))
    return Buckets(order, size, mass / mass.sum())


def _expected(draws: int, most: int, chance: float) -> FloatArray:
    """The probabilities that there are more than 0, 1, ..., most - 1 hits, (most,): their sum is the mean
    number of hits, counted up to `most`."""
    return np.asarray(bdtrc(np.arange(most), draws, chance), dtype=np.float64)
