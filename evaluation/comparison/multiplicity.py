"""Corrections for testing many pairs at once."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from scipy import stats

from evaluation.arrays import FloatArray

Correction = Literal["none", "holm", "bh"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def adjust(p: FloatArray, correction: Correction) -> FloatArray:
    """p-values to compare with alpha as they are, after a correction for their number.

    Parameters
    ----------
    p : ndarray of float64, shape (tests,)
        In [0, 1].
    correction : {"none", "holm", "bh"}
        Holm bounds the chance of any false claim; Benjamini-Hochberg (bh) the expected share of false
        claims among those made.

    Returns
    -------
    ndarray of float64, shape (tests,)
        Never below `p`, at most 1.

    Raises
    ------
    ValueError
        If a value is outside [0, 1] or `correction` is none of those above.

    References
    ----------
    Holm 1979; Benjamini and Hochberg 1995.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p, dtype=np.float64)
    if correction not in CORRECTIONS:
        raise ValueError(f"no correction is called {correction!r}; there are {', '.join(CORRECTIONS)}")
    if p.ndim != 1:
        raise ValueError(f"p has {p.ndim} dimensions, not 1")
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        raise ValueError(f"p = {p[wrong][0]} is outside [0, 1]")
    if correction == "none" or not len(p):
        return p
    if correction == "bh":
        return np.asarray(stats.false_discovery_control(p, method="bh"))
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
