"""Gains in rank order: what every measure reads.

The last axis is the rank, best first; axes before it (runs, topics) are kept. NaN is an unjudged document
or no document at all: every measure here treats the two alike, so rankings of different lengths share an
array by filling up with NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.arrays import BoolArray, FloatArray

# Some measures hold a number for each rank down to k: 8 MB.
MOST_RANKS = 1_000_000
# Measures of cumulated gain take any finite gain, such as a grade.
MOST_GAIN = float(np.finfo(np.float64).max)


def gains_of(gains: ArrayLike, highest: float = 1.0) -> FloatArray:
    """Return gains as float64; ValueError if one is outside [0, highest] or there is no axis of ranks."""
    array = np.asarray(gains, dtype=np.float64)
    if array.ndim == 0:
        raise ValueError("gains is a single number, not a ranking")
    # fmin and fmax pass over NaN.
    for extreme in (np.fmin.reduce(array, axis=None, initial=0), np.fmax.reduce(array, axis=None, initial=0)):
        if not 0 <= extreme <= highest:
            raise ValueError(f"gain {extreme} is outside [0, {highest:g}]")
    return array


def relevant_of(gains: ArrayLike) -> BoolArray:
    """True where a gain is above 0; checked as in `gains_of`."""
    return np.asarray(gains_of(gains) > 0)


def judged_of(judged: ArrayLike, highest: float = 1.0) -> FloatArray:
    """The gains of all judged documents of one topic, (m,); NaN and other shapes are refused."""
    array = gains_of(judged, highest)
    if array.ndim != 1:
        raise ValueError(f"judged has {array.ndim} dimensions, not 1")
    if np.isnan(array).any():
        raise ValueError("judged holds NaN: it is the gains of judged documents")
    return array


def check_cut_off(k: int) -> int:
    if k < 1:
        raise ValueError(f"k = {k} is below 1")
    if k > MOST_RANKS:
        raise ValueError(f"k = {k} is above {MOST_RANKS}")
    return k


def check_count(name: str, count: int) -> int:
    if count < 0:
        raise ValueError(f"{name} = {count} is negative")
    return count


def cut(array: NDArray[Any], k: int | None) -> NDArray[Any]:
    """The first k ranks, or all of them."""
    return array if k is None else array[..., : check_cut_off(k)]


def ranks_of(array: NDArray[Any]) -> FloatArray:
    """1, 2, … n along the last axis, (n,)."""
    return np.arange(1.0, array.shape[-1] + 1)


def total(terms: NDArray[Any]) -> FloatArray:
    """The sum over the ranks, added from the first on: what fills a shorter ranking up leaves no trace.

    numpy's sum and product add in blocks that depend on the array's width, so a late, longer run would
    change the others' scores in the last bit.
    """
    if not terms.shape[-1]:
        return np.zeros(terms.shape[:-1])
    return np.asarray(terms.cumsum(axis=-1, dtype=np.float64)[..., -1])


def share(parts: ArrayLike, whole: float) -> FloatArray:
    """parts / whole, and 0 where there is nothing to have a share of."""
    parts = np.asarray(parts, dtype=np.float64)
    return np.asarray(parts / whole) if whole > 0 else np.zeros_like(parts)
