from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray

DIGITS = 12
_LOWEST, _HIGHEST = -290, 20
_POWERS = np.array([float(f"1e{k}") for k in range(_LOWEST, 309)])


def significant(values: FloatArray) -> FloatArray:
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
    >>> bool(significant(np.array(0.1 + 0.2)) == significant(np.array(0.3)))
    True
    """
    values = np.asarray(values, dtype=np.float64)
    ordinary = values >= _POWERS[0]
    safe = np.where(ordinary, values, 1.0)
    exponent = np.clip(np.floor(np.log10(safe)).astype(np.intp), _LOWEST, _HIGHEST)
    scale = _POWERS[DIGITS - 1 - exponent - _LOWEST]
    return np.asarray(np.where(ordinary, np.rint(safe * scale) / scale, values))
