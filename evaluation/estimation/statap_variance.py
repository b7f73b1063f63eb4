"""How far statAP may be off, from the sample itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.estimation.statap import Sample, sampled_precisions, stat_ap
from evaluation.measures.gains import ranks_of, total

# Keeps the published scaling defined for a run that retrieved nothing of the sample.
SPARE = 0.1


@dataclass(frozen=True, eq=False)
class StatAP:
    """Estimates and variances, (...); NaN where there is none."""

    estimate: FloatArray
    variance: FloatArray

    @property
    def low(self) -> FloatArray:
        return np.asarray(self.estimate - 2 * np.sqrt(self.variance))

    @property
    def high(self) -> FloatArray:
        """With `low` two standard deviations about the estimate: about 92 % of samples cover the truth."""
        return np.asarray(self.estimate + 2 * np.sqrt(self.variance))


def stat_ap_with_variance(gains: FloatArray, inclusion: FloatArray, sample: Sample) -> StatAP:
    """statAP and its variance, scaled up for runs that retrieved little of the sample.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.
    sample : Sample
        All sampled documents of the topic, retrieved or not.

    Returns
    -------
    StatAP
        Variance in [0, 1]; NaN for a sample of one document, and where the estimate is.

    Raises
    ------
    ValueError
        As for `sampled_precisions`.

    References
    ----------
    The evaluation program released with Carterette et al. 2008, version 4.

    Examples
    --------
    >>> sample = Sample(np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.5, 0.5]))
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
    missed = _Missed.of(weights, uncertain, sample)
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
class _Missed:
    """Sums over the sampled relevant documents that a run did not retrieve, whose precision is 0."""

    weights: FloatArray
    squares: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, weights: FloatArray, uncertain: FloatArray, sample: Sample) -> _Missed:
        all_, doubt = sample.weights, 1.0 - 1.0 / sample.weights
        return cls(
            all_.sum() - total(weights),
            (all_**2).sum() - total(weights**2),
            (doubt * all_**2).sum() - total(uncertain * weights**2),
        )
