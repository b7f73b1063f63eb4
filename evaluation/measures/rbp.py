"""Bounds of rank-biased precision where documents with equal scores share the weights of their ranks.

Without ties they are `evaluation.measures.bounds.weighted_bounds` with `rbp_weighting`.
"""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.bounds import Bounds
from evaluation.measures.weights import WEIGHT_GRID, exact_product, exact_rank_weights


def rbp_bounds_with_ties(gains: FloatArray, tied: BoolArray, p: float, depth: int | None = None) -> Bounds:
    """Base and residual of one ranking whose documents with equal scores share the weights of their ranks.

    Parameters
    ----------
    gains : ndarray of float64, shape (n,)
        Gain in [0, 1] of the document at each rank, best rank first; NaN where it is not judged.
    tied : ndarray of bool, shape (n,)
        True where a document is tied with the one before it.
    p : float
        Persistence, inside (0, 1).
    depth : int, optional
        Count only the first `depth` ranks. A group that crosses the cut-off has the mean weight of
        all its ranks, times its fraction inside. The residual's tail is p**min(depth, n).

    Returns
    -------
    Bounds
        Sums are those of `exact_rank_weights`; a shared weight is rounded down to its grid, and what that
        leaves over, less than 2**-53 a document, stays in the residual.

    Raises
    ------
    ValueError
        If `p` is not inside (0, 1), a gain is outside [0, 1], `gains` is not one-dimensional, `tied` has
        another shape or `depth` is negative.

    References
    ----------
    Moffat, Webber and Zobel 2007, section 2; graded gains and ties: Moffat and Zobel 2008, section 4.7.

    Examples
    --------
    >>> rbp_bounds_with_ties(np.array([1.0, 0.0]), np.array([False, True]), p=0.5)
    Bounds(base=0.375, residual=0.25)
    """
    gains = check_gains(gains)
    tied = np.asarray(tied, dtype=np.bool_)
    if tied.shape != gains.shape:
        raise ValueError(f"tied has shape {tied.shape}, gains {gains.shape}")
    if depth is not None and depth < 0:
        raise ValueError(f"depth = {depth} is negative")
    inside = len(gains) if depth is None else min(depth, len(gains))
    weights = _shared(exact_rank_weights(p, len(gains)), tied, inside)
    judged = ~np.isnan(gains)
    known = float(weights[judged].sum())
    tail = 1.0 - float(exact_rank_weights(p, inside).sum())
    return Bounds(
        base=float(exact_product(weights[judged], gains[judged]).sum()),
        residual=1.0 - known if inside == len(gains) else float(weights[~judged].sum()) + tail,
    )


def _shared(weights: FloatArray, tied: BoolArray, inside: int) -> FloatArray:
    """Each document's share of its group's weights, as far as the group is inside the cut-off."""
    if not len(weights):
        return weights
    group: IntArray = np.cumsum(~tied) - (not tied[0])
    sizes = np.bincount(group)
    within = np.bincount(group, np.arange(len(weights)) < inside) / sizes
    return np.asarray(
        np.floor((np.bincount(group, weights) / sizes * within)[group] * WEIGHT_GRID) / WEIGHT_GRID
    )


def check_gains(gains: FloatArray) -> FloatArray:
    gains = np.asarray(gains, dtype=np.float64)
    if gains.ndim != 1:
        raise ValueError(f"gains has {gains.ndim} dimensions, not 1")
    wrong = (gains < 0) | (gains > 1)
    if wrong.any():
        raise ValueError(f"gain {gains[wrong][0]} is outside [0, 1]")
    return gains
