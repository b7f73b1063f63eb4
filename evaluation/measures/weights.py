"""Rank-biased precision's weight of each rank."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray

# Sums of multiples of 2**-53 that stay within [0, 1] are exact in float64, in whatever order.
WEIGHT_GRID = 2.0**53


def rank_weights(p: float, depth: int) -> FloatArray:
    """The share of the score that each rank carries, (1 - p) p**(i - 1).

    Parameters
    ----------
    p : float
        Persistence, inside (0, 1).
    depth : int
        Number of ranks, at least 0.

    Returns
    -------
    ndarray of float64, shape (depth,)

    Raises
    ------
    ValueError
        If `p` is not inside (0, 1) or `depth` is negative.

    References
    ----------
    Moffat and Zobel 2008, equation 1.

    Examples
    --------
    >>> rank_weights(0.5, 3)
    array([0.5  , 0.25 , 0.125])
    """
    _check(p, depth)
    return np.asarray((1.0 - p) * np.power(p, np.arange(depth, dtype=np.float64)))


def exact_rank_weights(p: float, depth: int) -> FloatArray:
    """`rank_weights` on a grid of 2**-53, so that sums and differences of them are exact.

    Bounds made of these do not depend on the order of the judgments, and taking a judgment back
    restores them to the last bit. Each weight is the difference of two rounded tails p**i, so the
    weights of ranks 1..n and the tail add up to exactly 1. Off `rank_weights` by at most 2**-53:
    good for bounds, useless for comparing documents deep in a ranking.

    Parameters, errors and reference as for `rank_weights`.

    Examples
    --------
    >>> float(exact_rank_weights(0.8, 1000).sum())
    1.0
    """
    _check(p, depth)
    tails = np.rint(np.power(p, np.arange(depth + 1, dtype=np.float64)) * WEIGHT_GRID) / WEIGHT_GRID
    return np.asarray(tails[:-1] - tails[1:])


def exact_product(weights: FloatArray, gains: FloatArray | float) -> FloatArray:
    """Weights times gains, rounded back onto the grid of `exact_rank_weights`; never above the weight."""
    return np.asarray(np.rint(weights * gains * WEIGHT_GRID) / WEIGHT_GRID)


def _check(p: float, depth: int) -> None:
    if not 0 < p < 1:
        raise ValueError(f"p = {p} is not inside (0, 1)")
    if depth < 0:
        raise ValueError(f"depth = {depth} is negative")
