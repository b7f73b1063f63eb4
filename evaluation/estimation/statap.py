"""statAP and its companions: estimates from judgments drawn with known, unequal probabilities, and their
variances (Aslam and Pavlu 2007).

Each document counts 1 / its inclusion probability. Variances are those of Stevens sampling, in which
documents of one bucket share their inclusion probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from evaluation.measures.gains import check_cut_off, gains_of, ranks_of, share, total


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """The documents of one topic that were drawn for judging.

    `gains` (n,): in [0, 1]; `inclusion` (n,): in (0, 1], the probability that the document was drawn;
    `grades` (n,): as judged, before any gain was made of them.
    """

    gains: FloatArray
    inclusion: FloatArray
    grades: FloatArray | None = None

    def __post_init__(self) -> None:
        if np.isnan(gains_of(self.gains)).any():
            raise ValueError("gains holds NaN: a sample is of judged documents")
        check_inclusion(self.inclusion, self.gains)
        if self.grades is not None:
            check_inclusion(self.inclusion, self.grades)

    @cached_property
    def weights(self) -> FloatArray:
        """Number of documents that each relevant document stands for."""
        return np.asarray(1.0 / self.inclusion[self.gains > 0])

    @property
    def relevant(self) -> float:
        """Estimate of the number of relevant documents of the topic."""
        return float(self.weights.sum())


def check_inclusion(inclusion: FloatArray, gains: FloatArray) -> None:
    """Check that inclusion probabilities are in (0, 1] and known for exactly the documents with a gain (or
    grade)."""
    if np.shape(inclusion) != np.shape(gains):
        raise ValueError(f"inclusion has shape {np.shape(inclusion)}, gains {np.shape(gains)}")
    if (np.isnan(inclusion) != np.isnan(gains)).any():
        raise ValueError("a gain and its inclusion probability must be known together")
    wrong = (inclusion <= 0) | (inclusion > 1)
    if wrong.any():
        raise ValueError(f"inclusion probability {inclusion[wrong][0]} is outside (0, 1]")


def sampled_precisions(gains: FloatArray, inclusion: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Estimated precision at each rank that holds a sampled relevant document, 0 elsewhere; and weights.

    The document itself counts 1, not 1 / its probability: given that it was drawn, it is there for certain.
    Counting it as the paper prints biases the estimate upward: with 40 judgments of each Cranfield topic,
    mean statMAP is .687 by the paper's formula and .417 by this one, where MAP is .398. Precisions may
    exceed 1.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.

    Returns
    -------
    precision, weights : ndarray of float64, shape (..., n)
        `weights` is 1 / inclusion of the relevant, 0 elsewhere.

    Raises
    ------
    ValueError
        As for `gains_of` and `check_inclusion`.

    References
    ----------
    Carterette et al. 2008, section 2.2, in the form of the evaluation program released with it.

    Examples
    --------
    >>> precision, _ = sampled_precisions(np.array([1.0, 0.0, 1.0]), np.array([0.5, 0.5, 0.25]))
    >>> precision.tolist()
    [1.0, 0.0, 1.0]
    """
    gains, inclusion = gains_of(gains), np.asarray(inclusion, dtype=np.float64)
    check_inclusion(inclusion, gains)
    hits: BoolArray = gains > 0
    weights = np.where(hits, 1.0 / inclusion, 0.0)
    above = weights.cumsum(axis=-1) - weights
    return np.where(hits, (1.0 + above) / ranks_of(gains), 0.0), weights


def stat_ap(gains: FloatArray, inclusion: FloatArray, sample: JudgedSample) -> FloatArray:
    """statAP: the weighted sum of the estimated precisions over the estimated number of relevant documents.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.
    sample : JudgedSample
        All sampled documents of the topic, retrieved or not.

    Returns
    -------
    ndarray of float64, shape (...), at least 0, may exceed 1; NaN if no sampled document is relevant, which
    leaves the topic out of the mean.

    Raises, reference
        As for `sampled_precisions`.

    Examples
    --------
    >>> sample = JudgedSample(np.array([1.0, 1.0]), np.array([0.5, 1.0]))
    >>> float(stat_ap(np.array([1.0]), np.array([0.5]), sample).round(6))
    0.666667
    """
    precision, weights = sampled_precisions(gains, inclusion)
    return _over(total(precision * weights), sample.relevant)


def stat_precision(gains: FloatArray, inclusion: FloatArray, k: int) -> FloatArray:
    """statPC@k: the estimated number of relevant documents in the first k ranks, over k.

    Parameters, errors and reference as for `stat_ap`; k at least 1.

    Examples
    --------
    >>> float(stat_precision(np.array([1.0, 0.0]), np.array([0.5, 1.0]), k=4))
    0.5
    """
    _, weights = sampled_precisions(gains, inclusion)
    return share(total(weights[..., : check_cut_off(k)]), k)


def stat_r_precision(gains: FloatArray, inclusion: FloatArray, sample: JudgedSample) -> FloatArray:
    """statRprec: statPC at the estimated number of relevant documents, rounded; NaN if there are none.

    Parameters, errors and reference as for `stat_ap`.

    Examples
    --------
    >>> sample = JudgedSample(np.array([1.0, 1.0]), np.array([0.5, 1.0]))
    >>> float(stat_r_precision(np.array([1.0]), np.array([0.5]), sample).round(6))
    0.666667
    """
    if not sample.relevant:
        return np.full(np.shape(gains)[:-1], np.nan)
    return stat_precision(gains, inclusion, floor(sample.relevant + 0.5))


def _over(parts: FloatArray, relevant: float) -> FloatArray:
    return np.asarray(parts / relevant if relevant else np.full(np.shape(parts), np.nan))


def stat_relevant_variance(sample: JudgedSample) -> float:
    """Variance of the estimated number of relevant documents.

    Two documents of one bucket are drawn independently; two of different buckets are drawn together
    (m - 1) / m times as often as if they were, of m draws. Documents that were certain to be judged add
    nothing and are not counted as draws.

    Parameters
    ----------
    sample : JudgedSample

    Returns
    -------
    float
        At least 0. NaN if one document only was drawn by chance: it says nothing of its spread.

    References
    ----------
    Horvitz and Thompson 1952, with the joint probabilities of Stevens 1958.

    Examples
    --------
    >>> stat_relevant_variance(JudgedSample(np.array([1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.1])))
    4.0
    """
    relevant = (sample.gains > 0).astype(np.float64)
    everything = Shares(relevant, np.zeros(len(relevant)), sample.inclusion)
    return float(ratio_variance(everything, np.zeros(len(relevant)), sample, 0.0))


def stat_precision_variance(
    gains: FloatArray, inclusion: FloatArray, sample: JudgedSample, k: int
) -> FloatArray:
    """Variance of statPC@k, as for `stat_relevant_variance` of the relevant documents in the first k ranks.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.
    sample : JudgedSample
        All sampled documents of the topic, retrieved or not.
    k : int
        At least 1.

    Returns
    -------
    ndarray of float64, shape (...)

    Raises
    ------
    ValueError
        If k < 1, or as for `sampled_precisions`.

    Examples
    --------
    >>> sample = JudgedSample(np.array([1.0, 0.0]), np.array([0.5, 0.5]))
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
    """Terms of a ratio of two totals, in rank order (..., n): each sampled document's part of the numerator
    and of the denominator, 0 where none is sampled, and its inclusion probability, NaN there."""

    above: FloatArray
    below: FloatArray
    inclusion: FloatArray


def ratio_variance(
    ranked: Shares, below: FloatArray, sample: JudgedSample, ratio: FloatArray | float
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


def _draws(sample: JudgedSample) -> int:
    return int((sample.inclusion < 1).sum())


# Keeps the published scaling defined for a run that retrieved nothing of the sample.
SPARE = 0.1


@dataclass(frozen=True, eq=False)
class StatAP:
    """Estimates and variances, (...); NaN where there is none."""

    estimate: FloatArray
    variance: FloatArray


def stat_ap_with_variance(gains: FloatArray, inclusion: FloatArray, sample: JudgedSample) -> StatAP:
    """statAP and its variance, scaled up for runs that retrieved little of the sample.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.
    sample : JudgedSample
        All sampled documents of the topic, retrieved or not.

    Returns
    -------
    StatAP
        Variance in [0, 1]; NaN for a sample of one document, and where the estimate is. It is 0 with one
        relevant document drawn, and no interval is made of it: see `evaluation.estimation.statap_interval`.

    Raises
    ------
    ValueError
        As for `sampled_precisions`.

    References
    ----------
    The evaluation program released with Carterette et al. 2008, version 4.

    Examples
    --------
    >>> sample = JudgedSample(np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.5, 0.5]))
    >>> found = stat_ap_with_variance(np.array([1.0, 0.0]), np.array([1.0, 0.5]), sample)
    >>> float(found.estimate), float(found.variance)
    (1.0, 0.0)
    """
    estimate = stat_ap(gains, inclusion, sample)
    size = len(sample.gains)
    if size == 1:
        return StatAP(estimate, np.full(estimate.shape, np.nan))
    precision, weights = sampled_precisions(gains, inclusion)
    # 1 - probability, for the relevant; the 1 elsewhere meets a weight of 0.
    uncertain = 1.0 - np.divide(1.0, weights, out=np.zeros_like(weights), where=weights > 0)
    errors = (precision - estimate[..., None]) * weights
    missed = _MissedSums.of(weights, uncertain, sample)
    spread = total(uncertain * errors**2) + estimate**2 * missed.spread
    squares = total(errors**2) + estimate**2 * missed.squares
    together = total(errors) - estimate * missed.weights
    per_rank = weights / ranks_of(weights)
    below = total(per_rank)[..., None] - per_rank.cumsum(axis=-1)
    shared = total(uncertain * weights**2 * below**2)
    inside = (~np.isnan(gains)).sum(axis=-1)
    scale = size / (inside + SPARE) / sample.relevant**2 if sample.relevant else np.nan
    variance = (spread - (together**2 - squares) / (size - 1) + shared) * scale
    return StatAP(estimate, np.clip(variance, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class _MissedSums:
    """Sums over the sampled relevant documents that a run did not retrieve, whose precision is 0."""

    weights: FloatArray
    squares: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, weights: FloatArray, uncertain: FloatArray, sample: JudgedSample) -> _MissedSums:
        all_, doubt = sample.weights, 1.0 - 1.0 / sample.weights
        return cls(
            all_.sum() - total(weights),
            (all_**2).sum() - total(weights**2),
            (doubt * all_**2).sum() - total(uncertain * weights**2),
        )
