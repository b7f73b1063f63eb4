"""Estimates from judgments drawn with known, unequal probabilities (Aslam and Pavlu 2007): each document
counts 1 / its inclusion probability."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from evaluation.measures.gains import check_cut_off, gains_of, ranks_of, share, total


@dataclass(frozen=True, eq=False)
class Sample:
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
        """Of the relevant documents: how many each stands for."""
        return np.asarray(1.0 / self.inclusion[self.gains > 0])

    @property
    def relevant(self) -> float:
        """Estimate of the number of relevant documents of the topic."""
        return float(self.weights.sum())


def check_inclusion(inclusion: FloatArray, gains: FloatArray) -> None:
    """Where a gain (or grade) is known, so must be a probability in (0, 1]; one alone is refused."""
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
    Counting it as the paper prints biases the estimate upward. Precisions may exceed 1.

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
    Carterette et al. 2008, section 3.2, in the form of the evaluation program released with it.

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


def stat_ap(gains: FloatArray, inclusion: FloatArray, sample: Sample) -> FloatArray:
    """statAP: the weighted sum of the estimated precisions over the estimated number of relevant documents.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.
    sample : Sample
        All sampled documents of the topic, retrieved or not.

    Returns
    -------
    ndarray of float64, shape (...), at least 0, may exceed 1; NaN if no sampled document is relevant, which
    leaves the topic out of the mean.

    Raises, reference
        As for `sampled_precisions`.

    Examples
    --------
    >>> sample = Sample(np.array([1.0, 1.0]), np.array([0.5, 1.0]))
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


def stat_r_precision(gains: FloatArray, inclusion: FloatArray, sample: Sample) -> FloatArray:
    """statRprec: statPC at the estimated number of relevant documents, rounded; NaN if there are none.

    Parameters, errors and reference as for `stat_ap`.

    Examples
    --------
    >>> sample = Sample(np.array([1.0, 1.0]), np.array([0.5, 1.0]))
    >>> float(stat_r_precision(np.array([1.0]), np.array([0.5]), sample).round(6))
    0.666667
    """
    if not sample.relevant:
        return np.full(np.shape(gains)[:-1], np.nan)
    return stat_precision(gains, inclusion, floor(sample.relevant + 0.5))


def _over(parts: FloatArray, relevant: float) -> FloatArray:
    return np.asarray(parts / relevant if relevant else np.full(np.shape(parts), np.nan))
