"""Probabilities of relevance for documents that nobody has judged."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray


def constant_relevance(judged: FloatArray, p: float = 0.5) -> FloatArray:
    """The same probability for every unjudged document.

    Parameters
    ----------
    judged : ndarray of float64, shape (documents,)
        1 relevant, 0 not relevant, NaN not judged.
    p : float
        In [0, 1]. One half is the published neutral choice.

    Returns
    -------
    ndarray of float64, shape (documents,)

    Raises
    ------
    ValueError
        If `p` is outside [0, 1] or a judgment is none of 0, 1 and NaN.

    References
    ----------
    Carterette, Allan and Sitaraman 2006, section 4.

    Examples
    --------
    >>> constant_relevance(np.array([1.0, float("nan")])).tolist()
    [1.0, 0.5]
    """
    judged = _check(judged)
    if not 0 <= p <= 1:
        raise ValueError(f"p = {p} is outside [0, 1]")
    return np.where(np.isnan(judged), p, judged)


def smoothed_relevance(judged: FloatArray) -> FloatArray:
    """The rate among the judged, by Laplace's rule of succession: (relevant + 1) / (judged + 2).

    Parameters, returned array and errors as for `constant_relevance`.

    References
    ----------
    This project's choice.

    Examples
    --------
    >>> smoothed_relevance(np.array([1.0, 0.0, 0.0, float("nan")])).tolist()
    [1.0, 0.0, 0.0, 0.4]
    """
    judged = _check(judged)
    known = ~np.isnan(judged)
    return constant_relevance(judged, float((judged[known].sum() + 1) / (known.sum() + 2)))


def _check(judged: FloatArray) -> FloatArray:
    judged = np.asarray(judged, dtype=np.float64)
    wrong = ~(np.isnan(judged) | (judged == 0) | (judged == 1))
    if judged.ndim != 1 or wrong.any():
        raise ValueError(
            f"judgments are not (documents,) of 0, 1 or NaN: {judged[wrong].ravel()[:1].tolist()}"
        )
    return judged
