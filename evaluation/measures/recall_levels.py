"""Precision where a share of the relevant documents is found, or at a multiple of their number.

A document is relevant if its gain is above 0; an unjudged one is not.
"""

from __future__ import annotations

from math import floor

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.gains import check_count, cut, ranks_of, relevant_of, share

ELEVEN_LEVELS = tuple(level / 10 for level in range(11))


def interpolated_precision(gains: FloatArray, relevant: int, level: float) -> FloatArray:
    """IPrec@level: the best precision from the rank on at which this share of the relevant is found.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged, which counts as not relevant.
    relevant : int
        R, at least 0. The share is of round(level R) documents, halves up.
    level : float
        In [0, 1]. At level 0, the best precision at any rank.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 where fewer documents are found, or none is relevant

    Raises
    ------
    ValueError
        If level is outside [0, 1], R < 0 or a gain is outside [0, 1].

    References
    ----------
    iprec_at_recall of trec_eval 10; up to 9.0.8 it rounds level R + 0.9 down.

    Examples
    --------
    >>> gains = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    >>> [float(interpolated_precision(gains, 4, level)) for level in (0.25, 0.5, 1)]
    [1.0, 0.75, 0.0]
    """
    if not 0 <= level <= 1:
        raise ValueError(f"recall level {level} is outside [0, 1]")
    hits = relevant_of(gains).cumsum(axis=-1, dtype=np.float64)
    if not hits.shape[-1] or not check_count("relevant", relevant):
        return np.zeros(hits.shape[:-1])
    best = np.maximum.accumulate((hits / ranks_of(hits))[..., ::-1], axis=-1)[..., ::-1]
    reached = hits >= floor(level * relevant + 0.5)
    at = reached.argmax(axis=-1)
    values = np.take_along_axis(best, at[..., None], axis=-1)[..., 0]
    return np.asarray(np.where(reached.any(axis=-1), values, 0.0))


def eleven_point_precision(gains: FloatArray, relevant: int) -> FloatArray:
    """Mean of `interpolated_precision` at the recall levels 0, 0.1, … 1.

    Parameters, returns and errors as for `interpolated_precision`; 11pt_avg of trec_eval 10.0.

    Examples
    --------
    >>> float(eleven_point_precision(np.array([1.0, 0.0]), 1))
    1.0
    """
    points = [interpolated_precision(gains, relevant, level) for level in ELEVEN_LEVELS]
    return np.asarray(np.mean(points, axis=0))


def precision_at_multiple(gains: FloatArray, relevant: int, multiple: float) -> FloatArray:
    """Precision at a multiple of R, the number of relevant documents; 0 if there are none.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged. Ranks that the ranking lacks count as not relevant.
    relevant : int
        R, at least 0.
    multiple : float
        Above 0. The rank is multiple R + 0.9, rounded down, and at least 1.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    Raises
    ------
    ValueError
        If multiple <= 0, R < 0 or a gain is outside [0, 1].

    References
    ----------
    Rprec_mult of trec_eval 10.0.

    Examples
    --------
    >>> gains = np.array([1.0, 0.0, 1.0])
    >>> [float(precision_at_multiple(gains, 2, multiple)) for multiple in (0.5, 1, 2)]
    [1.0, 0.5, 0.5]
    """
    if not 0 < multiple < np.inf:
        raise ValueError(f"multiple = {multiple} is not above 0")
    if not check_count("relevant", relevant):
        return np.zeros(relevant_of(gains).shape[:-1])
    rank = max(floor(multiple * relevant + 0.9), 1)
    return share(cut(relevant_of(gains), rank).sum(axis=-1), rank)
