"""How far counts estimated from a stratified sample may be off (Stevens sampling, as of Aslam and Pavlu
2007): documents of one bucket share their inclusion probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.estimation.statap import Sample, sampled_precisions
from evaluation.measures.gains import check_cut_off, total


def stat_relevant_variance(sample: Sample) -> float:
    """Variance of the estimated number of relevant documents.

    Two documents of one bucket are drawn independently; two of different buckets are drawn together
    (m - 1) / m times as often as if they were, of m draws. Documents that were certain to be judged add
    nothing and are not counted as draws.

    Parameters
    ----------
    sample : Sample

    Returns
    -------
    float
        At least 0. NaN if one document only was drawn by chance: it says nothing of its spread.

    References
    ----------
    Horvitz and Thompson 1952, with the joint probabilities of Stevens 1958.

    Examples
    --------
    >>> stat_relevant_variance(Sample(np.array([1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.1])))
    4.0
    """
    relevant = (sample.gains > 0).astype(np.float64)
    everything = Shares(relevant, np.zeros(len(relevant)), sample.inclusion)
    return float(ratio_variance(everything, np.zeros(len(relevant)), sample, 0.0))


def stat_precision_variance(gains: FloatArray, inclusion: FloatArray, sample: Sample, k: int) -> FloatArray:
    """Variance of statPC@k, as for `stat_relevant_variance` of the relevant documents in the first k ranks.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.
    sample : Sample
        All sampled documents of the topic, retrieved or not.
    k : int
        At least 1.

    Returns
    -------
    ndarray of float64, shape (...)

    Raises
    ------
    ValueError
        If k < 1, or as for `evaluation.estimation.statap.sampled_precisions`.

    Examples
    --------
    >>> sample = Sample(np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    >>> float(stat_precision_variance(np.array([1.0]), np.array([0.5]), sample, k=2))
    0.5
    """
    gains = np.asarray(gains)
    _, weights = sampled_precisions(gains, inclusion)
    first = (weights > 0) & (np.arange(gains.shape[-1]) < check_cut_off(k))
    ranked = Shares(first.astype(np.float64), np.zeros(gains.shape), np.asarray(inclusion))
    return ratio_variance(ranked, np.zeros(len(sample.gains)), sample, 0.0) / k**2


@dataclass(frozen=True, eq=False)
class Shares:
    """Of a ratio of two totals, in rank order (..., n): what each sampled document adds to the numerator and
    to the denominator, 0 where none is sampled, and its inclusion probability, NaN there."""

    above: FloatArray
    below: FloatArray
    inclusion: FloatArray


def ratio_variance(
    ranked: Shares, below: FloatArray, sample: Sample, ratio: FloatArray | float
) -> FloatArray:
    """Variance of sum((above - ratio below) / inclusion) over the sample, of which `below` (sampled,) is the
    denominator's part, retrieved or not; (...). The ratio is linearised (Särndal, Swensson and Wretman 1992,
    section 5.6)."""
    draws = _draws(sample)
    alone = np.zeros(ranked.above.shape[:-1])
    if draws == 1:
        return np.full(alone.shape, np.nan)
    together, apart = alone.copy(), alone.copy()
    for bucket in np.unique(sample.inclusion[sample.inclusion < 1]):
        here, all_ = ranked.inclusion == bucket, below[sample.inclusion == bucket]
        mine, theirs = ranked.above * here, ranked.below * here
        sums = (total(mine) - ratio * all_.sum()) / bucket
        # Multiplied out, since what the run did not retrieve is known by its sums alone.
        squares = total(mine**2) - 2 * ratio * total(mine * theirs) + ratio**2 * (all_**2).sum()
        alone += (1 - bucket) * squares / bucket**2
        together += sums
        apart -= sums**2
    return np.asarray(np.maximum(alone - (together**2 + apart) / max(draws - 1, 1), 0.0))


def _draws(sample: Sample) -> int:
    return int((sample.inclusion < 1).sum())
