"""Scores in units of how much runs differ on a topic (Webber, Moffat and Zobel 2008)."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

from evaluation.arrays import FloatArray


def standardised(scores: FloatArray) -> FloatArray:
    """Each run's score on a topic, less the mean of all runs, over their deviation; as a normal probability.

    Topics on which all runs score high then count no more than others.

    Parameters
    ----------
    scores : ndarray of float64, shape (runs,)
        Of all runs, on one topic.

    Returns
    -------
    ndarray of float64, shape (runs,), in [0, 1]
        0.5 where all runs score the same. NaN with fewer than two runs, or where a score is NaN.

    References
    ----------
    Webber, Moffat and Zobel 2008, "Score standardization for inter-collection comparison of retrieval
    systems"; for SP: Moffat and Zobel 2008, section 3.1. The deviation is that of a sample (n - 1).

    Examples
    --------
    >>> standardised(np.array([0.1, 0.2, 0.3])).round(6).tolist()
    [0.158655, 0.5, 0.841345]
    """
    scores = np.asarray(scores, dtype=np.float64)
    if len(scores) < 2 or np.isnan(scores).any():
        return np.full(len(scores), np.nan)
    if scores.min() == scores.max():
        return np.full(len(scores), 0.5)
    units = (scores - scores.mean()) / scores.std(ddof=1)
    return np.array([(1 + erf(unit / sqrt(2))) / 2 for unit in units])
