"""How alike two orders of the same runs are, with intervals over topics."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.rbo import rbo
from evaluation.comparison.tau_ap import check_scores, tau_ap
from evaluation.resampling import Estimate, bootstrap

Coefficient = Callable[[FloatArray, FloatArray], float]


@dataclass(frozen=True)
class Agreement:
    """Each coefficient with its interval. `tau_ap` takes the first matrix as the reference."""

    kendall: Estimate
    tau_ap: Estimate
    spearman: Estimate
    pearson: Estimate
    rbo: Estimate


def kendall(first: FloatArray, second: FloatArray) -> float:
    """Kendall's tau-b of two score vectors (runs,); NaN where either is constant.

    >>> round(kendall(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 6)
    0.333333
    """
    return _quietly(stats.kendalltau, first, second)


def spearman(first: FloatArray, second: FloatArray) -> float:
    """Spearman's rho of two score vectors (runs,); NaN where either is constant.

    >>> spearman(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]))
    0.5
    """
    return _quietly(stats.spearmanr, first, second)


def pearson(first: FloatArray, second: FloatArray) -> float:
    """Pearson's r of two score vectors (runs,); NaN where either is constant.

    >>> round(pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 12)
    0.5
    """
    return _quietly(stats.pearsonr, first, second)


def compare_orders(
    first: FloatArray,
    second: FloatArray,
    *,
    rbo_p: float = 0.9,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Agreement:
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
    Agreement

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

    return Agreement(
        estimate(kendall),
        estimate(tau_ap),
        estimate(spearman),
        estimate(pearson),
        estimate(lambda one, other: rbo(one, other, rbo_p)),
    )


def _quietly(coefficient: Callable[..., object], first: FloatArray, second: FloatArray) -> float:
    first, second = check_scores(first, second)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        return float(coefficient(first, second).statistic)  # type: ignore[attr-defined]
