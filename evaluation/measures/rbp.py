"""Rank-biased precision and what unjudged documents leave open (Moffat and Zobel 2008; Moffat, Webber
and Zobel 2007, section 2)."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.bounds import Bounds
from evaluation.measures.weights import WEIGHT_GRID, exact_product, exact_rank_weights


def rbp_bounds(gains: FloatArray, p: float) -> Bounds:
    """Base and residual of one ranking; the tail beyond its end, p**n, is part of the residual.

    Parameters
    ----------
    gains : ndarray of float64, shape (n,)
        Gain in [0, 1] of the document at each rank, best rank first; NaN where it is not judged.
    p : float
        Persistence, inside (0, 1).

    Returns
    -------
    Bounds
        base = sum of weight times gain over the judged; residual = weights of the unjudged + p**n.
        Both in [0, 1], and so is their sum. An empty ranking has base 0 and residual 1.

    Raises
    ------
    ValueError
        If `p` is not inside (0, 1), or a gain is outside [0, 1], or `gains` is not one-dimensional.

    References
    ----------
    Moffat, Webber and Zobel 2007, section 2; graded gains: Moffat and Zobel 2008, section 3.

    Examples
    --------
    >>> nan = float("nan")
    >>> bounds = rbp_bounds(np.array([0, 1, 1, 0, 0, 1, nan, 0, 0, 1]), p=0.8)
    >>> round(bounds.base, 7), round(bounds.residual, 7)
    (0.3803795, 0.159803)
    """
    gains = check_gains(gains)
    weights = exact_rank_weights(p, len(gains))
    judged = ~np.isnan(gains)
    weights = weights[judged]
    return Bounds(
        base=float(exact_product(weights, gains[judged]).sum()), residual=1.0 - float(weights.sum())
    )


def rbp_bounds_with_ties(gains: FloatArray, tied: BoolArray, p: float, depth: int | None = None) -> Bounds:
    """`rbp_bounds` where documents with equal scores share the weights of the ranks they occupy.

    Parameters
    ----------
    gains : ndarray of float64, shape (n,)
        As for `rbp_bounds`.
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
        As for `rbp_bounds`, and if `tied` has another shape or `depth` is negative.

    References
    ----------
    The tie rule of the RBP authors' own evaluation program.

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
