"""Cumulated gain with discounted ranks (Järvelin and Kekäläinen 2002)."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.gains import MOST_GAIN, cut, gains_of, judged_of, ranks_of, share, total


def discounts(depth: int, base: float | None = 2.0) -> FloatArray:
    """Weight of a gain at each rank, (depth,).

    Parameters
    ----------
    depth : int
        At least 0.
    base : float or None
        Above 1. With b: 1 for ranks up to b, 1 / log_b(i) after. None: 1 / log2(i + 1), as in trec_eval 10.0.

    Returns
    -------
    ndarray of float64, shape (depth,), in (0, 1], never rising

    Raises
    ------
    ValueError
        If depth < 0 or base <= 1.

    References
    ----------
    Järvelin and Kekäläinen 2002, equation 2; the form without a base: Burges et al. 2005.

    Examples
    --------
    >>> discounts(4).tolist()[::3], discounts(3, base=None).tolist()[::2]
    ([1.0, 0.5], [1.0, 0.5])
    """
    if depth < 0:
        raise ValueError(f"depth = {depth} is negative")
    if base is not None and not 1 < base < np.inf:
        raise ValueError(f"base = {base} is not above 1")
    ranks = np.arange(1.0, depth + 1)
    if base is None:
        return np.asarray(1.0 / np.log2(ranks + 1))
    return np.asarray(np.log2(base) / np.log2(np.maximum(ranks, base)))


def dcg(gains: FloatArray, k: int | None = None, base: float | None = 2.0) -> FloatArray:
    """DCG@k: the sum of gains times discounts over the first k ranks, or all.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        At least 0, NaN where not judged, which counts as gain 0.
    k : int, optional
        At least 1.
    base : float or None
        As for `discounts`.

    Returns
    -------
    ndarray of float64, shape (...), at least 0

    Raises
    ------
    ValueError
        If k is below 1 or above `gains.MOST_RANKS`, base <= 1, or a gain is negative or infinite.

    References
    ----------
    Järvelin and Kekäläinen 2002, equation 2.

    Examples
    --------
    >>> float(dcg(np.array([1.0, 0.5, 0.0, 1.0]), k=4))
    2.0
    """
    top = np.nan_to_num(cut(gains_of(gains, MOST_GAIN), k))
    top *= discounts(top.shape[-1], base)
    return total(top)


def ndcg(gains: FloatArray, judged: FloatArray, k: int | None = None) -> FloatArray:
    """nDCG@k: DCG@k over that of the judged documents in their best order, with 1 / log2(i + 1).

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        At least 0, NaN where not judged, which counts as gain 0; trec_eval 10.0 takes the grades themselves.
    judged : ndarray of float64, shape (m,)
        Gains of all the topic's judged documents.
    k : int, optional
        At least 1; cuts both rankings.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 if no document has a gain

    Raises
    ------
    ValueError
        If k < 1, a gain is negative or infinite, or `judged` holds NaN.

    References
    ----------
    Järvelin and Kekäläinen 2002, section 2.3, with the discounts of ndcg_cut in trec_eval 10.0.

    Examples
    --------
    >>> float(ndcg(np.array([1.0, 3.0, 0.0]), np.array([3.0, 1.0, 0.0])).round(4))
    0.7967
    """
    best = np.sort(judged_of(judged, MOST_GAIN))[::-1]
    return share(dcg(gains, k, base=None), float(dcg(best, k, base=None)))


def check_beta(beta: float) -> float:
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta = {beta} is negative or not finite")
    return beta


def q_measure(gains: FloatArray, judged: FloatArray, beta: float = 1.0) -> FloatArray:
    """Q: mean over the relevant documents of (count so far + beta gain so far) / (rank + beta ideal gain).

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged, which counts as gain 0.
    judged : ndarray of float64, shape (m,)
        Gains of all the topic's judged documents; those of the best order are the ideal.
    beta : float
        At least 0; with 0, Q is AP. It scales gains: gains 0, 0.5, 1 with beta 2 are gains 0, 1, 2 with 1.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 if nothing is relevant

    Raises
    ------
    ValueError
        If beta < 0, a gain is outside [0, 1], or `judged` holds NaN.

    References
    ----------
    Sakai 2004; in binary form, Moffat and Zobel 2008, section 3.3.

    Examples
    --------
    >>> float(q_measure(np.array([1.0, 0.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0])).round(6))
    0.833333
    """
    check_beta(beta)
    best = np.sort(judged_of(judged))[::-1]
    gains = np.nan_to_num(gains_of(gains))
    hits = gains > 0
    ideal = np.zeros(gains.shape[-1])
    ideal[: len(best)] = best[: len(ideal)]
    blended = hits.cumsum(axis=-1) + beta * gains.cumsum(axis=-1)
    terms = hits * blended / (ranks_of(gains) + beta * ideal.cumsum())
    return share(total(terms), int((best > 0).sum()))
