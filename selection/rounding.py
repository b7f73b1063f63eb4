"""Rounding to significant digits, so that equal weights tie."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray

DIGITS = 12
# Powers of ten by exponent, from 1e-300 on; correctly rounded, which pow() is not everywhere.
_FIRST = -300
_POWERS = np.array([float(f"1e{k}") for k in range(_FIRST, 309)])
_TINY = 1e-290


def round_significant(values: FloatArray) -> FloatArray:
    """Weights rounded to 12 significant digits, so that sums of the same parts in another order tie.

    Parameters
    ----------
    values : ndarray of float64, any shape
        Not negative. Values below 1e-290 come back as they are.

    Returns
    -------
    ndarray of float64, same shape

    Examples
    --------
    >>> bool(round_significant(np.array(0.1 + 0.2)) == round_significant(np.array(0.3)))
    True
    """
    values = np.asarray(values, dtype=np.float64)
    if values.min(initial=1.0) < _TINY:
        ordinary = values >= _TINY
        return np.where(ordinary, round_significant(np.where(ordinary, values, 1.0)), values)
    exponent = np.floor(np.log10(values)).astype(np.intp)
    scale = _POWERS[DIGITS - 1 - _FIRST - exponent]
    return np.asarray(np.rint(values * scale) / scale)
