"""Rank-biased overlap of two orders of the same runs."""

from __future__ import annotations

import numpy as np
from scipy import stats

from evaluation.arrays import FloatArray
from evaluation.comparison.tau_ap import check_scores


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
    ranks = [stats.rankdata(-scores, method="min").astype(np.int64) for scores in (first, second)]
    sizes = [np.cumsum(np.bincount(rank, minlength=runs + 1))[1:] for rank in ranks]
    overlap = np.cumsum(np.bincount(np.maximum(*ranks), minlength=runs + 1))[1:]
    agreement = 2 * overlap / (sizes[0] + sizes[1])
    weights = (1 - p) * p ** np.arange(runs)
    return float(weights @ agreement + agreement[-1] * p**runs)
