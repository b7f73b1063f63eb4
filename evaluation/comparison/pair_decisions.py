"""Pairs of runs that the judgments have decided, whatever the grades of the unjudged documents.

Pairs are decided by the runs' score ranges, or by the bounds of their difference, in which unjudged documents
that both rank cancel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray

# A lead smaller than this is none: what bounds add up to is known no better.
MARGIN = 1e-12


@dataclass(frozen=True, eq=False)
class PairDecisions:
    """`lead` (k, k) float64: by how much the row's run beats the column's at the least; 0 with itself."""

    lead: FloatArray

    @property
    def better(self) -> BoolArray:
        """(k, k), True where the row's run is better in every case."""
        return np.asarray(self.lead > MARGIN)

    @property
    def open(self) -> BoolArray:
        """(k, k), True for pairs of different runs of which neither is better in every case."""
        better = self.better
        return ~(better | better.T | np.eye(len(better), dtype=np.bool_))

    @property
    def all_decided(self) -> bool:
        return not self.open.any()


def top_is_distinct(base: FloatArray, residual: FloatArray) -> bool:
    """Test if one run's base is above every other run's base + residual.

    Parameters
    ----------
    base, residual : ndarray of float64, shape (runs,)
        Means over topics, in [0, 1].

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the shapes differ, or there are fewer than two runs.

    References
    ----------
    The stop rule of the program by the authors of Moffat, Webber and Zobel 2007.

    Examples
    --------
    >>> top_is_distinct(np.array([0.5, 0.2]), np.array([0.3, 0.2]))
    True
    >>> top_is_distinct(np.array([0.5, 0.2]), np.array([0.3, 0.4]))
    False
    """
    base, residual = _check(base, residual)
    first = int(base.argmax())
    others = np.delete(base + residual, first)
    return bool(base[first] - others.max() > MARGIN)


def leaders(base: FloatArray, k: int) -> IntArray:
    """The k best runs by base; best first, ties in the order given.

    Parameters
    ----------
    base : ndarray of float64, shape (runs,)
        Means over topics, in [0, 1].
    k : int
        From 2 to the number of runs.

    Returns
    -------
    ndarray of int, shape (k,)

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> leaders(np.array([0.2, 0.1, 0.3]), 2).tolist()
    [2, 0]
    """
    base, _ = _check(base, base)
    if not 2 <= k <= len(base):
        raise ValueError(f"pairs among the top {k} of {len(base)} runs")
    # The last bits of a mean depend on the order of summing; they must not decide.
    return np.argsort(-np.round(base, 12), kind="stable")[:k]


def by_score_ranges(base: FloatArray, residual: FloatArray) -> PairDecisions:
    """Decide pairs by their intervals alone: one run's base against the other's base + residual.

    Parameters
    ----------
    base, residual : ndarray of float64, shape (k,)
        Means over topics, in [0, 1].

    Returns
    -------
    PairDecisions

    Raises
    ------
    ValueError
        If the shapes differ, or there are fewer than two runs.

    References
    ----------
    Moffat, Webber and Zobel 2007, section 5: base against top.

    Examples
    --------
    >>> by_score_ranges(np.array([0.5, 0.2]), np.array([0.1, 0.2])).better.tolist()
    [[False, True], [False, False]]
    """
    base, residual = _check(base, residual)
    lead = base[:, None] - (base + residual)[None, :]
    np.fill_diagonal(lead, 0.0)
    return PairDecisions(lead)


def by_differences(base: FloatArray, residual: FloatArray, shared: FloatArray) -> PairDecisions:
    """Decide pairs by the bounds of their difference, in which documents that both rank cancel.

    An unjudged document of gain u adds (c_a - c_b) u to the difference of runs a and b, and so at the
    least min(c_a - c_b, 0); what follows the end of a's ranking adds 0, of b's takes all it weighs. In
    sum, the least difference is base_a - (base_b + residual_b) + shared_ab.

    Parameters
    ----------
    base, residual : ndarray of float64, shape (k,)
        Means over topics, in [0, 1].
    shared : ndarray of float64, shape (k, k)
        Means over topics of `shared_weight`.

    Returns
    -------
    PairDecisions
        Decides at least the pairs that `by_score_ranges` decides.

    Raises
    ------
    ValueError
        If the shapes differ, or there are fewer than two runs.

    References
    ----------
    This project's choice.

    Examples
    --------
    >>> base, residual = np.array([0.5, 0.3]), np.array([0.3, 0.3])
    >>> by_score_ranges(base, residual).all_decided
    False
    >>> by_differences(base, residual, np.full((2, 2), 0.2)).all_decided
    True
    """
    lead = by_score_ranges(base, residual).lead
    shared = np.asarray(shared, dtype=np.float64)
    if shared.shape != lead.shape:
        raise ValueError(f"shared has shape {shared.shape} for {len(lead)} runs")
    lead = lead + shared
    np.fill_diagonal(lead, 0.0)
    return PairDecisions(lead)


def _check(base: FloatArray, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
    base, residual = np.asarray(base, dtype=np.float64), np.asarray(residual, dtype=np.float64)
    if base.ndim != 1 or base.shape != residual.shape:
        raise ValueError(f"base of shape {base.shape}, residual of {residual.shape}")
    if len(base) < 2:
        raise ValueError(f"a pair needs two runs, not {len(base)}")
    return base, residual


# Pairs of occurrences held at a time, some 30 bytes each.
PAIRS_AT_ONCE = 1_000_000


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
    This project's choice; see `by_differences`.

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
    of_chosen = np.flatnonzero(at & (column >= 0))
    column, share = column[of_chosen], weights[rank[of_chosen] - 1]
    first = np.searchsorted(of_chosen, start)
    first, count = first[:-1], np.diff(first)
    total = np.zeros(k * k)
    # Documents with equally many occurrences make square blocks.
    for size in np.unique(count[count > 1]):
        of_size = first[count == size]
        step = max(PAIRS_AT_ONCE // int(size) ** 2, 1)
        for begin in range(0, len(of_size), step):
            entries = of_size[begin : begin + step, None] + np.arange(size)
            lesser = np.minimum(share[entries][:, :, None], share[entries][:, None, :])
            cells = column[entries][:, :, None] * k + column[entries][:, None, :]
            total += np.bincount(cells.ravel(), lesser.ravel(), minlength=k * k)
    shared = total.reshape(k, k)
    np.fill_diagonal(shared, 0.0)
    return shared
