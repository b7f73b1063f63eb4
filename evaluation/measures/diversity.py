"""Measures of rankings whose documents are relevant to subtopics of the topic: each further document of a
subtopic is worth less (Clarke et al. 2008)."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.gains import check_cut_off, share, total


def check_alpha(alpha: float) -> float:
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha = {alpha:g} is outside [0, 1)")
    return alpha


def novelty_gains(relevance: BoolArray, alpha: float = 0.5) -> FloatArray:
    """Each document's gain: the sum, over its subtopics, of (1 - alpha) to the power of those above.

    Parameters
    ----------
    relevance : ndarray of bool, shape (..., n, subtopics)
        Which subtopics the document of each rank is relevant to; none where it is not judged.
    alpha : float
        In [0, 1): how much a document loses if another one above has its subtopic.

    Returns
    -------
    ndarray of float64, shape (..., n), at least 0

    Raises
    ------
    ValueError
        If alpha is outside its range.

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon 2008, equation 5.

    Examples
    --------
    >>> novelty_gains(np.array([[True, False], [True, True], [True, False]])).tolist()
    [1.0, 1.5, 0.25]
    """
    relevance = np.asarray(relevance, dtype=np.bool_)
    above = relevance.cumsum(axis=-2) - relevance
    return np.asarray((relevance * (1.0 - check_alpha(alpha)) ** above).sum(axis=-1))


def alpha_ndcg(relevance: BoolArray, pool: BoolArray, k: int, alpha: float = 0.5) -> FloatArray:
    """alpha-nDCG@k: DCG of `novelty_gains`, over that of the best order, with 1 / log2(i + 1).

    The best order is made step by step, each time with the document of the highest gain: to find the best
    of all orders is not feasible.

    Parameters
    ----------
    relevance, alpha
        As for `novelty_gains`.
    pool : ndarray of bool, shape (m, subtopics)
        Of all the topic's judged documents. Of several of the highest gain, the first one comes first.
    k : int
        At least 1; cuts both rankings.

    Returns
    -------
    ndarray of float64, shape (...), at least 0; 0 if nothing is relevant

    Raises
    ------
    ValueError
        If k or alpha is outside its range.

    References
    ----------
    Clarke et al. 2008, section 4; TREC's ndeval, where ties are by docno descending.

    Examples
    --------
    >>> pool = np.array([[True, False], [True, True]])
    >>> float(alpha_ndcg(pool, pool, k=2).round(6))
    0.840606
    """
    best = _dcg(_greedy(np.asarray(pool, dtype=np.bool_), check_cut_off(k), alpha), k, alpha)
    return share(_dcg(relevance, k, alpha), float(best))


def intent_aware_err(relevance: BoolArray, subtopics: int, k: int, alpha: float = 0.5) -> FloatArray:
    """ERR-IA@k: the sum of `novelty_gains` over ranks, over that of documents relevant to every subtopic.

    Parameters
    ----------
    relevance, alpha
        As for `novelty_gains`.
    subtopics : int
        How many subtopics have a relevant document.
    k : int
        At least 1.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 if nothing is relevant

    Raises
    ------
    ValueError
        If k or alpha is outside its range.

    References
    ----------
    Chapelle et al. 2009, section 7; TREC's ndeval, which does not divide for k = 1.

    Examples
    --------
    >>> relevance = np.array([[True, False], [False, True]])
    >>> float(intent_aware_err(relevance, subtopics=2, k=2))
    0.6
    """
    gains = novelty_gains(relevance[..., : check_cut_off(k), :], alpha)
    ranks = np.arange(1, k + 1)
    most = subtopics * ((1.0 - alpha) ** (ranks - 1) / ranks).sum()
    return share(total(gains / ranks[: gains.shape[-1]]), float(most))


def _dcg(relevance: BoolArray, k: int, alpha: float) -> FloatArray:
    gains = novelty_gains(relevance[..., :k, :], alpha)
    return total(gains * discounts(gains.shape[-1], None))


def _greedy(pool: BoolArray, k: int, alpha: float) -> BoolArray:
    """The first k documents of the best order."""
    worth, open_ = np.ones(pool.shape[1]), np.ones(len(pool), dtype=np.bool_)
    order: list[int] = []
    for _ in range(min(k, len(pool))):
        best = int(np.where(open_, pool @ worth, -1.0).argmax())
        order.append(best)
        open_[best] = False
        worth = np.where(pool[best], worth * (1.0 - alpha), worth)
    return pool[np.array(order, dtype=np.int64)]
