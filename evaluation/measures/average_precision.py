"""Average precision and its variants. None of them has bounds: a new judgment can move them either way."""

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
    found = cut(relevant_of(gains), k)
    counts = found.cumsum(axis=-1, dtype=np.float64)
    counts *= found
    counts /= ranks_of(found)
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


def average_precision_of_found(gains: FloatArray) -> FloatArray:
    """AP*: SP over the number of relevant documents retrieved; 0 if there are none.

    Parameters, returns, errors and reference as for `sum_of_precisions`. Finding more can lower it.

    Examples
    --------
    >>> float(average_precision_of_found(np.array([1.0, 0.0, 0.0, 1.0])))
    0.75
    """
    found = relevant_of(gains).sum(axis=-1)
    return np.asarray(sum_of_precisions(gains) / np.maximum(found, 1))
