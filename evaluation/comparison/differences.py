"""Differences between two runs, topic by topic: what every paired test starts from."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray

# Scores such as 0.3 - 0.1 and 0.2 differ in their last bit only; tests on ranks must see them as tied.
DECIMALS = 12


def check_differences(differences: FloatArray, at_least: int = 1) -> FloatArray:
    """Differences (pairs, topics), rounded to 12 decimals; one pair may be given as (topics,).

    Raises ValueError if there are fewer topics than `at_least`, or a value is not finite.
    """
    rows = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    if rows.ndim != 2:
        raise ValueError(f"differences has {rows.ndim} dimensions, not 2")
    if rows.shape[1] < at_least:
        raise ValueError(f"the test needs at least {at_least} topics, got {rows.shape[1]}")
    if not np.isfinite(rows).all():
        raise ValueError(f"a difference is {rows[~np.isfinite(rows)][0]}")
    return np.asarray(np.round(rows, DECIMALS) + 0.0)
