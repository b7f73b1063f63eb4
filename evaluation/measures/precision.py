"""Measures that count the relevant documents above a rank: average precision and its variants, precision at
R, recall, success and reciprocal rank.

A document is relevant if its gain is above 0; an unjudged one is not. No function here returns bounds: what
is divided by the number of relevant documents can fall with a new judgment.
"""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.gains import check_count, cut, ranks_of, relevant_of, share, total


def sum_of_precisions(gains: FloatArray, k: int | None = None) -> FloatArray:
    """SP: the sum, over the relevant documents retrieved, of the precision at their ranks.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged, which counts as not relevant.
    k : int, optional
        Count the first k ranks only.

    Returns
    -------
    ndarray of float64, shape (...), at least 0

    Raises
    ------
    ValueError
        If k < 1 or a gain is outside [0, 1].

    References
    ----------
    Moffat and Zobel 2008, section 3.1.

    Examples
    --------
    >>> float(sum_of_precisions(np.array([1.0, 0.0, 0.0, 1.0])))
    1.5
    """
    is_relevant = cut(relevant_of(gains), k)
    counts = is_relevant.cumsum(axis=-1, dtype=np.float64)
    counts *= is_relevant
    counts /= ranks_of(is_relevant)
    return total(counts)


def average_precision(gains: FloatArray, relevant: int, k: int | None = None) -> FloatArray:
    """AP: SP / R for R relevant documents in all; 0 if there are none.

    Parameters, returns, errors and reference as for `sum_of_precisions`; `relevant` is R, at least 0.

    Examples
    --------
    >>> float(average_precision(np.array([1.0, 0.0, 0.0, 1.0]), relevant=3))
    0.5
    """
    return share(sum_of_precisions(gains, k), check_count("relevant", relevant))


def average_precision_of_retrieved(gains: FloatArray) -> FloatArray:
    """AP*: SP over the number of relevant documents retrieved; 0 if there are none.

    Parameters, returns, errors and reference as for `sum_of_precisions`. Finding more can lower it.

    Examples
    --------
    >>> float(average_precision_of_retrieved(np.array([1.0, 0.0, 0.0, 1.0])))
    0.75
    """
    retrieved = relevant_of(gains).sum(axis=-1)
    return np.asarray(sum_of_precisions(gains) / np.maximum(retrieved, 1))


def r_precision(gains: FloatArray, relevant: int) -> FloatArray:
    """Rprec: precision at rank R, the number of relevant documents; 0 if there are none.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged. Ranks that the ranking lacks count as not relevant.
    relevant : int
        R, at least 0.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    Raises
    ------
    ValueError
        If R < 0 or a gain is outside [0, 1].

    References
    ----------
    Moffat and Zobel 2008, section 3.2.

    Examples
    --------
    >>> float(r_precision(np.array([1.0, 0.0, 1.0]), 2))
    0.5
    """
    is_relevant = relevant_of(gains)[..., : check_count("relevant", relevant)]
    return share(is_relevant.sum(axis=-1), relevant)


def recall_at(gains: FloatArray, relevant: int, k: int) -> FloatArray:
    """R@k: the share of all `relevant` documents in the first k ranks; 0 if there are none.

    Parameters, returns, errors and reference as for `r_precision`; k is at least 1.

    Examples
    --------
    >>> float(recall_at(np.array([1.0, 0.0, 1.0]), relevant=4, k=2))
    0.25
    """
    return share(cut(relevant_of(gains), k).sum(axis=-1), check_count("relevant", relevant))


def success_at(gains: FloatArray, k: int) -> FloatArray:
    """Success@k: 1 if a relevant document is in the first k ranks, else 0.

    Parameters, returns and errors as for `recall_at`, without R. Craswell and Hawking, TREC 2004 web track.

    Examples
    --------
    >>> float(success_at(np.array([0.0, 1.0]), 1)), float(success_at(np.array([0.0, 1.0]), 2))
    (0.0, 1.0)
    """
    return np.asarray(cut(relevant_of(gains), k).any(axis=-1), dtype=np.float64)


def reciprocal_rank(gains: FloatArray, nth: int = 1, damping: float = 0.0) -> FloatArray:
    """1 / (damping + rank of the nth relevant document), 0 if there is none.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged.
    nth : int
        At least 1. RR is the first; RR2, of a sceptical reader, the second.
    damping : float
        At least 0: how many documents a cautious reader looks at beyond the one found.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    Raises
    ------
    ValueError
        If nth < 1, damping < 0, or a gain is outside [0, 1].

    References
    ----------
    Moffat and Zobel 2008, section 4.3.

    Examples
    --------
    >>> gains = np.array([0.0, 1.0, 0.0, 1.0])
    >>> float(reciprocal_rank(gains)), float(reciprocal_rank(gains, nth=2))
    (0.5, 0.25)
    """
    if nth < 1:
        raise ValueError(f"nth = {nth} is below 1")
    if not damping >= 0:
        raise ValueError(f"damping = {damping} is negative")
    enough = relevant_of(gains).cumsum(axis=-1) >= nth
    rank = enough.shape[-1] - enough.sum(axis=-1) + 1
    return np.asarray(np.where(enough.any(axis=-1), 1.0 / (damping + rank), 0.0))
