"""Differences in average precision that no further judgment can reverse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray

# Of more unjudged documents in two lists, the difference may be anything: their pairs take 8 bytes each.
MOST_OPEN = 4000


def least_difference(one: IntArray | None, other: IntArray | None, relevance: FloatArray) -> float:
    """Bound how far one ranking's average precision is above another's, whatever the unjudged documents are.

    Parameters
    ----------
    one, other : ndarray of int, shape (n,), or None
        Documents in rank order, as places in `relevance`; None or empty where a run misses the topic.
    relevance : ndarray of float64, shape (documents,)
        1 or 0 of the judged, NaN of the unjudged documents of the topic.

    Returns
    -------
    float
        In [-1, 1]: AP of the first minus AP of the second is never below it. With everything judged, it is
        the difference.

    Raises
    ------
    ValueError
        If a judged document is neither 0 nor 1.

    References
    ----------
    Carterette, Pavlu, Kanoulas, Aslam and Allan 2008, section 2.1: the difference of sums of precisions is
    Σ c_ii x_i + Σ c_ij x_i x_j. Every unjudged document, and every pair of them, is taken as relevant where
    that lowers the difference, whether or not all of that can be at once.

    Examples
    --------
    >>> lists = np.array([0, 1]), np.array([1, 0])
    >>> least_difference(*lists, np.array([1.0, 0.0])), least_difference(*lists, np.array([1.0, np.nan]))
    (0.5, 0.0)
    """
    return _least(one, other, relevance, with_pairs=True)


def _least(one: IntArray | None, other: IntArray | None, relevance: FloatArray, *, with_pairs: bool) -> float:
    """Without pairs of unjudged documents it may be too high, and is much faster."""
    known = ~np.isnan(relevance)
    if not np.isin(relevance[known], (0.0, 1.0)).all():
        raise ValueError("a judged document is neither relevant (1) nor not relevant (0)")
    ranks = np.stack([_inverse_ranks(ranking, len(relevance)) for ranking in (one, other)])
    relevant, open_ = relevance == 1, ~known & (ranks > 0).any(axis=0)
    least = _pair_sum(ranks, relevant) + float(_own(ranks)[relevant].sum())
    if open_.any():
        alone = _own(ranks)[open_] + _with_relevant(ranks, open_, relevant)
        least += float(np.minimum(alone, 0).sum())
        if with_pairs:
            least += _pair_sum(ranks, open_, lowest=True) if open_.sum() <= MOST_OPEN else -np.inf
    judged, unjudged = int(relevant.sum()), int((~known).sum())
    # Relevant documents divide: few of them where the difference is below 0, many where it is above.
    count = max(judged, 1) if least < 0 else max(judged + unjudged, 1)
    return max(least / count, -1.0)


def proved_pairs(
    topics: Sequence[tuple[Sequence[IntArray | None], FloatArray]], runs: IntArray | None = None
) -> BoolArray:
    """Pairs of runs whose order by mean average precision no unjudged document can reverse.

    Parameters
    ----------
    topics : sequence of (rankings, relevance)
        As for `least_difference`, the same runs in each; at least one.
    runs : ndarray of int, shape (chosen,), optional
        The runs that are compared, by index; by default all.

    Returns
    -------
    ndarray of bool, shape (runs, runs)
        Whether the row's run is above the column's in every case; False for runs that are not compared.

    References
    ----------
    Carterette and others 2008, section 2.1: this is when their algorithm stops.
    """
    count = len(topics[0][0])
    compared = range(count) if runs is None else runs.tolist()
    proved = np.zeros((count, count), dtype=np.bool_)
    for row in compared:
        for column in compared:
            proved[row, column] = row != column and _is_proved(topics, row, column)
    return proved


def _is_proved(topics: Sequence[tuple[Sequence[IntArray | None], FloatArray]], row: int, column: int) -> bool:
    def total(with_pairs: bool) -> float:
        return sum(
            _least(rankings[row], rankings[column], relevance, with_pairs=with_pairs)
            for rankings, relevance in topics
        )

    return total(False) > 0 and total(True) > 0


def _inverse_ranks(ranking: IntArray | None, documents: int) -> FloatArray:
    """1 / rank by document, 0 where it is not ranked."""
    inverse = np.zeros(documents)
    if ranking is not None and len(ranking):
        inverse[ranking] = 1 / np.arange(1, len(ranking) + 1)
    return inverse


def _own(ranks: FloatArray) -> FloatArray:
    """c_ii by document."""
    return np.asarray(ranks[0] - ranks[1])


def _pairs(ranks: FloatArray, some: BoolArray, others: BoolArray) -> FloatArray:
    """c_ij of documents of the one kind with those of the other: 1 / the greater rank, and 0 if a ranking
    lacks one of them."""
    first, second = (np.minimum.outer(of[some], of[others]) for of in ranks)
    return np.asarray(first - second)


def _pair_sum(ranks: FloatArray, some: BoolArray, *, lowest: bool = False) -> float:
    """Sum of c_ij over the pairs of one kind of documents; with `lowest`, of those below 0."""
    pairs = _pairs(ranks, some, some)
    if lowest:
        pairs = np.minimum(pairs, 0)
    return float((pairs.sum() - np.trace(pairs)) / 2)


def _with_relevant(ranks: FloatArray, open_: BoolArray, relevant: BoolArray) -> FloatArray:
    """Sum of c_ij of each unjudged document with all relevant ones."""
    return np.asarray(_pairs(ranks, open_, relevant).sum(axis=1))
