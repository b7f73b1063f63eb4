"""Agreement of two orders of the same runs: Kendall's tau, AP correlation, Spearman's rho, Pearson's r and
rank-biased overlap, with intervals over topics."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray
from evaluation.resampling import Estimate, bootstrap

Coefficient = Callable[[FloatArray, FloatArray], float]


@dataclass(frozen=True)
class OrderAgreement:
    """Each coefficient with its interval. `tau_ap` takes the first matrix as the reference."""

    kendall: Estimate
    tau_ap: Estimate
    spearman: Estimate
    pearson: Estimate
    rbo: Estimate


def compare_orders(
    first: FloatArray,
    second: FloatArray,
    *,
    rbo_p: float = 0.9,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> OrderAgreement:
    """Compare the orders of runs by their mean scores in two matrices.

    Parameters
    ----------
    first, second : ndarray of float64, shape (runs, topics)
        Scores of the same runs on the same topics: of two measures, two assessors, two sets of judgments.
        Topics are drawn for both together.
    rbo_p : float
        Persistence of rank-biased overlap, inside (0, 1).
    confidence, resamples, seed
        As for `evaluation.resampling.bootstrap`.

    Returns
    -------
    OrderAgreement

    Raises
    ------
    ValueError
        If the shapes differ, there are fewer than 2 runs or topics, or a score is not finite.

    References
    ----------
    Kendall 1945; Yilmaz, Aslam and Robertson 2008; Webber, Moffat and Zobel 2010.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.4]])
    >>> compare_orders(scores, scores, resamples=10).kendall
    Estimate(value=1.0, low=1.0, high=1.0, undefined=0)
    """
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    if first.ndim != 2 or first.shape != second.shape:
        raise ValueError(f"scores of shape {first.shape} and {second.shape}: not the same runs and topics")
    if len(first) < 2:
        raise ValueError(f"an order needs at least 2 runs, got {len(first)}")

    def estimate(coefficient: Coefficient) -> Estimate:
        def of(topics: IntArray) -> float:
            return coefficient(first[:, topics].mean(axis=1), second[:, topics].mean(axis=1))

        return bootstrap(of, first.shape[1], confidence=confidence, resamples=resamples, seed=seed)

    return OrderAgreement(
        estimate(kendall),
        estimate(tau_ap),
        estimate(spearman),
        estimate(pearson),
        estimate(lambda one, other: rbo(one, other, rbo_p)),
    )


def kendall(first: FloatArray, second: FloatArray) -> float:
    """Kendall's tau-b of two score vectors (runs,); NaN where either is constant.

    >>> round(kendall(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 6)
    0.333333
    """
    return _quietly(scipy.stats.kendalltau, first, second)


def spearman(first: FloatArray, second: FloatArray) -> float:
    """Spearman's rho of two score vectors (runs,); NaN where either is constant.

    >>> spearman(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]))
    0.5
    """
    return _quietly(scipy.stats.spearmanr, first, second)


def pearson(first: FloatArray, second: FloatArray) -> float:
    """Pearson's r of two score vectors (runs,); NaN where either is constant.

    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 12)
    0.5
    """
    return _quietly(scipy.stats.pearsonr, first, second)


def _quietly(coefficient: Callable[..., object], first: FloatArray, second: FloatArray) -> float:
    first, second = check_scores(first, second)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.stats.ConstantInputWarning)
        warnings.simplefilter("ignore", scipy.stats.NearConstantInputWarning)
        return float(coefficient(first, second).statistic)  # type: ignore[attr-defined]


def tau_ap(reference: FloatArray, estimate: FloatArray) -> float:
    """AP correlation of the order by `estimate` with the order by `reference`, best first.

    Parameters
    ----------
    reference, estimate : ndarray of float64, shape (runs,)
        Scores of the same runs; higher is better. Not symmetric: the top is that of `estimate`.

    Returns
    -------
    float
        In [-1, 1]. With ties in either, the mean over all orders of the tied runs. NaN with fewer than 2
        runs.

    Raises
    ------
    ValueError
        If the shapes differ or a score is not finite.

    References
    ----------
    Yilmaz, Aslam and Robertson 2008, equation 5; ties as in Urbano and Marrero 2017 (tau_ap,a), taken
    for both sides.

    Examples
    --------
    >>> tau_ap(np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 2, 1])) < 1
    True
    """
    reference, estimate = check_scores(reference, estimate)
    runs = len(reference)
    if runs < 2:
        return float("nan")
    # 1 where the run of the column belongs above that of the row, a half where the reference ties them.
    above = np.heaviside(reference[None, :] - reference[:, None], 0.5)
    first = (estimate[None, :] > estimate[:, None]).sum(axis=1)  # runs surely above, by the estimate
    size = (estimate[None, :] == estimate[:, None]).sum(axis=1)
    correct = (above * (estimate[None, :] > estimate[:, None])).sum(axis=1)
    # A run of a tied group stands at each of the group's positions equally often; the members above it
    # there are as often right as wrong. The first position of all counts for nothing.
    positions = np.arange(1, runs + 1)
    inverse = np.r_[0.0, 1.0 / positions[:-1]]
    sums = np.r_[0.0, np.cumsum(inverse)]
    inverses = sums[first + size] - sums[first]
    # Over the group's positions k = first + 1 .. first + size, the sum of (k - first - 1) / (k - 1).
    inside = np.where(first == 0, size - 1, size) - first * inverses
    total = ((correct * inverses + inside / 2) / size).sum()
    return float(2 * total / (runs - 1) - 1)


def rbo(first: FloatArray, second: FloatArray, p: float = 0.9) -> float:
    """The extrapolated rank-biased overlap of the orders by two vectors of scores.

    Parameters
    ----------
    first, second : ndarray of float64, shape (runs,)
        Scores of the same runs; higher is better.
    p : float
        Persistence, inside (0, 1): how deep the comparison looks.

    Returns
    -------
    float
        In [0, 1]. Tied runs all stand at the first of their ranks; the agreement at a depth is twice the
        overlap by the sizes of both prefixes. NaN without runs.

    Raises
    ------
    ValueError
        If the shapes differ, a score is not finite or `p` is not inside (0, 1).

    References
    ----------
    Webber, Moffat and Zobel 2010, equation 23 (even lists) and section 4.4 (ties).

    Examples
    --------
    >>> round(rbo(np.array([3.0, 2, 1]), np.array([3.0, 2, 1])), 12)
    1.0
    """
    if not 0 < p < 1:
        raise ValueError(f"p = {p} is not inside (0, 1)")
    first, second = check_scores(first, second)
    runs = len(first)
    if not runs:
        return float("nan")
    ranks = [scipy.stats.rankdata(-scores, method="min").astype(np.int64) for scores in (first, second)]
    sizes = [np.cumsum(np.bincount(rank, minlength=runs + 1))[1:] for rank in ranks]
    overlap = np.cumsum(np.bincount(np.maximum(*ranks), minlength=runs + 1))[1:]
    agreement = 2 * overlap / (sizes[0] + sizes[1])
    weights = (1 - p) * p ** np.arange(runs)
    return float(weights @ agreement + agreement[-1] * p**runs)


def check_scores(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two score vectors of the same runs, rounded to 12 decimals so that ties on paper are ties."""
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"scores of shape {first.shape} and {second.shape} are not of the same runs")
    for scores in (first, second):
        if not np.isfinite(scores).all():
            raise ValueError(f"a score is {scores[~np.isfinite(scores)][0]}")
    return np.round(first, 12) + 0.0, np.round(second, 12) + 0.0
