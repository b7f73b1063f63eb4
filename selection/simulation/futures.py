"""A few futures in three numbers: their median, and ends between which one more would lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.arrays import FloatArray, IntArray

# Of what lies between the ends, in expectation: at least so much, where there are enough futures.
HELD = 0.8


def low_median_high(made: Sequence[float] | FloatArray | IntArray) -> FloatArray:
    """float64 (3,), of numbers (futures,): the k-th least, the (lower) median, the k-th greatest.

    One more number of the same kind lies from the k-th least to the k-th greatest of n with probability
    (n + 1 - 2k) / (n + 1), or more where numbers are equal. k is the greatest for which that is at least
    `HELD`, and 1 where none is: of fewer than nine futures the ends hold less. (The 10 % and 90 % quantiles
    of twenty are the 2nd and the 18th, and hold less above than below.)

    Raises
    ------
    ValueError
        If there are no numbers.

    Examples
    --------
    >>> low_median_high(range(1, 21)).tolist()
    [2.0, 10.0, 19.0]
    """
    ordered = np.sort(np.asarray(made, dtype=np.float64))
    count = len(ordered)
    if not count:
        raise ValueError("no futures")
    outside = max(int((count + 1) * (1 - HELD) / 2 + 1e-9), 1)
    return ordered[[outside - 1, (count - 1) // 2, count - outside]]
