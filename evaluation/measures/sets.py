"""Measures of a run's documents as a set, whatever their ranks."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.gains import check_count, share


def set_precision(hits: IntArray, retrieved: IntArray) -> FloatArray:
    """The share of the retrieved documents that are relevant.

    Parameters
    ----------
    hits, retrieved : ndarray of int, shape (...)
        How many relevant documents, and how many in all, each run retrieved: 0 <= hits <= retrieved.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 where nothing is retrieved

    References
    ----------
    set_P of trec_eval 10.0.

    Examples
    --------
    >>> set_precision(np.array([3, 0]), np.array([4, 0])).tolist()
    [0.75, 0.0]
    """
    return np.asarray(np.asarray(hits) / np.maximum(retrieved, 1))


def set_recall(hits: IntArray, relevant: int) -> FloatArray:
    """The share of the `relevant` documents that are retrieved; 0 if there are none.

    Parameters, returns and source as for `set_precision`; ValueError if `relevant` is below 0.

    Examples
    --------
    >>> set_recall(np.array([3]), 6).tolist()
    [0.5]
    """
    return share(hits, check_count("relevant", relevant))


def set_f(hits: IntArray, retrieved: IntArray, relevant: int, beta: float = 1.0) -> FloatArray:
    """Weighted harmonic mean of set precision P and set recall R: (1 + beta) P R / (R + beta P).

    Parameters
    ----------
    hits, retrieved, relevant
        As for `set_precision` and `set_recall`.
    beta : float
        At least 0: the weight of recall. trec_eval's parameter, which is the square of van Rijsbergen's.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 where nothing relevant is retrieved

    Raises
    ------
    ValueError
        If beta < 0 or relevant < 0.

    References
    ----------
    van Rijsbergen 1979, chapter 7; set_F of trec_eval 10.0.

    Examples
    --------
    >>> set_f(np.array([3]), np.array([4]), 6).round(9).tolist()
    [0.6]
    """
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta = {beta} is negative or not finite")
    # P R / (R + beta P) is hits / (retrieved + beta relevant).
    whole = np.asarray(retrieved) + beta * check_count("relevant", relevant)
    return np.asarray(np.where(np.asarray(hits) > 0, (1 + beta) * hits / np.maximum(whole, 1), 0.0))


def set_average_precision(hits: IntArray, retrieved: IntArray, relevant: int) -> FloatArray:
    """Set precision times set recall: average precision if every relevant document had the set's precision.

    Parameters, returns and errors as for `set_f`; set_map of trec_eval 10.0.

    Examples
    --------
    >>> set_average_precision(np.array([3]), np.array([4]), 6).tolist()
    [0.375]
    """
    hits = np.asarray(hits, dtype=np.float64)
    whole = np.asarray(retrieved) * check_count("relevant", relevant)
    # One division is rounded once, as in trec_eval: a score halfway between two printed ones is the same.
    return np.asarray(hits * hits / np.maximum(whole, 1))


def relative_precision(hits: IntArray, retrieved: IntArray, relevant: int) -> FloatArray:
    """Precision over the best that so many documents allow: hits / min(retrieved, relevant).

    Parameters, returns and errors as for `set_f`; `retrieved` may be a cut-off. relative_P and
    set_relative_P of trec_eval 10.0.

    Examples
    --------
    >>> relative_precision(np.array([3]), np.array([10]), 6).tolist()
    [0.5]
    """
    most = np.minimum(retrieved, check_count("relevant", relevant))
    return np.asarray(np.asarray(hits) / np.maximum(most, 1))


def utility(
    hits: IntArray, retrieved: IntArray, relevant: int, weights: tuple[float, float, float]
) -> FloatArray:
    """Linear utility of a set: a weight for each relevant document found, each other one, each missed.

    Parameters
    ----------
    hits, retrieved, relevant
        As for `set_f`.
    weights : tuple of float
        Of a relevant document retrieved, of another one retrieved, and of a relevant one not retrieved.

    Returns
    -------
    ndarray of float64, shape (...), any number

    Raises
    ------
    ValueError
        If relevant < 0.

    References
    ----------
    utility of trec_eval 10.0, without its fourth weight, for which the collection's size would be needed.

    Examples
    --------
    >>> utility(np.array([3]), np.array([4]), 6, (1, -1, -0.5)).tolist()
    [0.5]
    """
    missed = check_count("relevant", relevant) - np.asarray(hits)
    wrong = np.asarray(retrieved) - hits
    return np.asarray(weights[0] * np.asarray(hits) + weights[1] * wrong + weights[2] * missed)
