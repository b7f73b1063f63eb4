"""What two rankings have in common among the unjudged: it cancels in the bounds of their difference."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray

# Pairs of occurrences held at a time, some 30 bytes each.
PAIRS = 1_000_000


def shared_weight(
    start: IntArray, run: IntArray, rank: IntArray, judged: BoolArray, weights: FloatArray, chosen: IntArray
) -> FloatArray:
    """Sum over unjudged documents of the lesser of the weights that two runs give each, on one topic.

    Parameters
    ----------
    start : ndarray of int, shape (documents + 1,)
        Document i occurs at entries start[i]:start[i + 1] of `run` and `rank`.
    run, rank : ndarray of int, shape (entries,)
        Ranks from 1.
    judged : ndarray of bool, shape (documents,)
    weights : ndarray of float64
        By rank - 1, not negative.
    chosen : ndarray of int, shape (k,)
        The runs asked about, each once.

    Returns
    -------
    ndarray of float64, shape (k, k)
        Symmetric; a run with itself has 0. Exact if sums of the weights are (`exact_rank_weights`).

    Raises
    ------
    ValueError
        If shapes disagree, a rank has no weight, or a run is chosen twice.

    References
    ----------
    This project's choice; see `evaluation.comparison.decisions.by_differences`.

    Examples
    --------
    >>> start, run, rank = np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([1, 2, 2])
    >>> unjudged = np.array([False, False])
    >>> shared_weight(start, run, rank, unjudged, np.array([0.5, 0.25]), np.array([0, 1])).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """
    if len(run) != len(rank) or len(start) != len(judged) + 1 or start[-1] != len(run):
        raise ValueError(f"{len(start)} starts, {len(run)} runs, {len(rank)} ranks, {len(judged)} documents")
    if len(rank) and not 1 <= rank.min() <= rank.max() <= len(weights):
        raise ValueError(f"ranks from {rank.min()} to {rank.max()} for {len(weights)} weights")
    if len(np.unique(chosen)) < len(chosen):
        raise ValueError("a run is chosen twice")
    return _shared_weight(start, run, rank, judged, weights, chosen)


def _shared_weight(
    start: IntArray, run: IntArray, rank: IntArray, judged: BoolArray, weights: FloatArray, chosen: IntArray
) -> FloatArray:
    k = len(chosen)
    place = np.full(max(int(run.max(initial=-1)), int(chosen.max(initial=-1))) + 1, -1)
    place[chosen] = np.arange(k)
    at, column = np.repeat(~judged, np.diff(start)), place[run]
    kept = np.flatnonzero(at & (column >= 0))
    column, share = column[kept], weights[rank[kept] - 1]
    first = np.searchsorted(kept, start)
    first, count = first[:-1], np.diff(first)
    total = np.zeros(k * k)
    # Documents with equally many occurrences make square blocks.
    for size in np.unique(count[count > 1]):
        of_size = first[count == size]
        step = max(PAIRS // int(size) ** 2, 1)
        for begin in range(0, len(of_size), step):
            entries = of_size[begin : begin + step, None] + np.arange(size)
            lesser = np.minimum(share[entries][:, :, None], share[entries][:, None, :])
            cells = column[entries][:, :, None] * k + column[entries][:, None, :]
            total += np.bincount(cells.ravel(), lesser.ravel(), minlength=k * k)
    shared = total.reshape(k, k)
    np.fill_diagonal(shared, 0.0)
    return shared
