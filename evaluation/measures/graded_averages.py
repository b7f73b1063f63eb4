"""trec_eval's averages of nDCG over ranks, and its gain measures G and binG (Buckley 2008).

Gains are at least 0 and have no highest value. Unjudged documents have gain 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.gains import check_count, relevant_of, share, total


def ndcg_at_levels(gains: ArrayLike, judged: FloatArray, lengths: IntArray) -> FloatArray:
    """Rndcg: the mean of nDCG at the ranks where the best order's gain changes, and at the run's end.

    With 5 documents of gain 2 and 8 of gain 1, the ranks are 5 and 13. A run that ends at least two ranks
    below the last of them counts its end, too.

    Parameters
    ----------
    gains : array_like, shape (..., n)
        At least 0, NaN where not judged.
    judged : ndarray of float64, shape (m,)
        Gains of all the topic's judged documents.
    lengths : ndarray of int, shape (...)
        How many documents each ranking has.

    Returns
    -------
    ndarray of float64, shape (...), at least 0; 0 if no document has a gain

    Raises
    ------
    ValueError
        If a gain is negative or not finite.

    References
    ----------
    Rndcg of trec_eval 10.0.

    Examples
    --------
    >>> judged = np.array([2.0, 1.0])
    >>> float(ndcg_at_levels([2.0, 0.0, 0.0, 1.0], judged, np.array(4)).round(6))
    0.894691
    """
    gains, ideal = _checked(gains, judged)
    if not len(ideal):
        return np.zeros(gains.shape[:-1])
    ends = np.flatnonzero(np.r_[ideal[1:] != ideal[:-1], True]) + 1
    reached, best = _cumulated(gains, len(ideal)), _cumulated(ideal, len(ideal))
    sums = (reached[..., ends - 1] / best[ends - 1]).sum(axis=-1)
    counts_end = np.asarray(lengths) > len(ideal) + 1
    return np.asarray((sums + counts_end * reached[..., -1] / best[-1]) / (len(ends) + counts_end))


def ndcg_at_relevant(gains: ArrayLike, judged: FloatArray) -> FloatArray:
    """ndcg_rel: the mean, over documents with a gain, of nDCG at their ranks.

    One that is not retrieved has the DCG of the whole run over that of the whole best order.

    Parameters, returns and errors as for `ndcg_at_levels`; ndcg_rel of trec_eval 10.0.

    Examples
    --------
    >>> float(ndcg_at_relevant([2.0, 0.0, 0.0, 1.0], np.array([2.0, 1.0])).round(6))
    0.961943
    """
    gains, ideal = _checked(gains, judged)
    if not len(ideal):
        return np.zeros(gains.shape[:-1])
    reached, best = _cumulated(gains, len(ideal)), _cumulated(ideal, gains.shape[-1])
    width = gains.shape[-1]
    hits = gains > 0
    at_hits = total(hits * reached[..., :width] / best[:width])
    missed = len(ideal) - hits.sum(axis=-1)
    return np.asarray((at_hits + missed * reached[..., -1] / best[-1]) / len(ideal))


def normalised_gain(gains: ArrayLike, judged: FloatArray) -> FloatArray:
    """G: gains, each over log2(2 + what the documents down to its rank lack), over all of the topic's gains.

    Lacking is the gain of the best order to that rank, where each of its documents counts at least 1, less
    the gain of the ranking.

    Parameters, returns and errors as for `ndcg_at_levels`; G of trec_eval 10.0.

    Examples
    --------
    >>> float(normalised_gain([2.0, 0.0, 1.0], np.array([2.0, 1.0])).round(6))
    0.876977
    """
    gains, ideal = _checked(gains, judged)
    most = np.ones(gains.shape[-1])
    shown = min(len(most), len(ideal))
    most[:shown] = np.maximum(ideal[:shown], 1.0)
    lacking = most.cumsum() - gains.cumsum(axis=-1)
    return share(total(gains / np.log2(2.0 + lacking)), float(ideal.sum()))


def binary_gain(gains: FloatArray, relevant: int) -> FloatArray:
    """binG: the mean, over relevant documents, of 1 / log2(2 + those not relevant above); 0 if not retrieved.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged, which counts as not relevant.
    relevant : int
        R, at least 0.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 if nothing is relevant

    Raises
    ------
    ValueError
        If R < 0 or a gain is outside [0, 1].

    References
    ----------
    binG of trec_eval 10.0.

    Examples
    --------
    >>> float(binary_gain(np.array([1.0, 0.0, 0.0, 1.0]), 2))
    0.75
    """
    hits = relevant_of(gains)
    wrong = (~hits).cumsum(axis=-1)
    return share(total(hits / np.log2(2.0 + wrong)), check_count("relevant", relevant))


def _checked(gains: ArrayLike, judged: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ranking's gains without NaN, and those above 0 of all judged documents, in their best order."""
    known = np.nan_to_num(np.asarray(gains, dtype=np.float64))
    best = np.sort(np.asarray(judged, dtype=np.float64))[::-1]
    for each in (known, best):
        if not (np.isfinite(each) & (each >= 0)).all():
            raise ValueError("a gain is negative or not finite")
    return known, best[best > 0]


def _cumulated(gains: FloatArray, width: int) -> FloatArray:
    """DCG to each rank, of at least `width` ranks."""
    padded = np.zeros((*gains.shape[:-1], max(gains.shape[-1], width)))
    padded[..., : gains.shape[-1]] = gains
    return np.asarray((padded * discounts(padded.shape[-1], None)).cumsum(axis=-1))
