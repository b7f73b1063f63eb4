"""Percentile intervals by drawing topics, or documents, again."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray

# Of draws, or of sums, that are in memory together; and of draws that are kept for the next statistic.
NUMBERS_AT_ONCE, MOST_KEPT_NUMBERS = 1_000_000, 4_000_000


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval. `undefined` of the resamples had no value and are not in the interval."""

    value: float
    low: float
    high: float
    undefined: int = 0


def bootstrap(
    statistic: Callable[[IntArray], float],
    units: int,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Estimate:
    """The statistic of all units, with a percentile interval over resamples of them.

    Parameters
    ----------
    statistic : callable
        Takes places 0 .. units - 1, ndarray of int (units,), some of them several times; NaN where it is
        not defined.
    units : int
        What is drawn: topics, or documents; at least 2.
    confidence : float
        Inside (0, 1).
    resamples, seed : int
        How many draws, and the seed of their generator.

    Returns
    -------
    Estimate
        NaN bounds if no resample has a value.

    Raises
    ------
    ValueError
        If `units` is below 2, `resamples` below 1 or `confidence` not inside (0, 1).

    References
    ----------
    Efron and Tibshirani 1993, section 13.3.

    Examples
    --------
    >>> values = np.arange(10.0)
    >>> found = bootstrap(lambda places: float(values[places].mean()), 10)
    >>> found.value, found.low < 4.5 < found.high
    (4.5, True)
    """
    _check(units, confidence, resamples)
    places = np.arange(units)
    with warnings.catch_warnings():
        # Said of a statistic that is nowhere defined; `undefined` says so.
        warnings.simplefilter("ignore", scipy.stats.DegenerateDataWarning)
        drawn = scipy.stats.bootstrap(
            (places,), statistic, vectorized=False, n_resamples=resamples, method="percentile",
            rng=np.random.default_rng(seed),
        ).bootstrap_distribution  # fmt: skip
    return _estimate(float(statistic(places)), drawn, confidence)


def bootstrap_of_sums(
    statistic: Callable[[FloatArray], FloatArray],
    rows: FloatArray | scipy.sparse.csr_array,
    *,
    times: IntArray | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Estimate:
    """Quicker `bootstrap` for a statistic that depends only on sums over the units: computes many resamples
    at once.

    Parameters
    ----------
    statistic : callable
        Takes sums, ndarray of float64 (resamples, columns), and gives one value for each resample.
    rows : ndarray of float64 or sparse array, shape (units, columns)
        What each unit adds to the sums; at least 2 units.
    times : ndarray of int, shape (units,), optional
        How many units each row stands for: of many alike, it takes no longer than of one.
    confidence, resamples, seed
        As for `bootstrap`, whose draws these are unless `times` is given.

    Returns
    -------
    Estimate
        NaN bounds if no resample has a value.

    Raises
    ------
    ValueError
        As `bootstrap`.

    References
    ----------
    Efron and Tibshirani 1993, section 13.3.

    Examples
    --------
    >>> values = np.arange(10.0)
    >>> bootstrap_of_sums(lambda sums: sums[:, 0] / 10, values[:, None]).value
    4.5
    """
    units, columns = rows.shape
    _check(units if times is None else int(times.sum()), confidence, resamples)
    # Sparse also where it is not: dense products take threads, and wait for them on a busy machine.
    turned = scipy.sparse.csr_array(rows).T.tocsr()
    drawn: IntArray
    if times is not None:
        drawn = np.random.default_rng(seed).multinomial(times.sum(), times / times.sum(), resamples).T
    else:
        drawn = (_kept_times if units * resamples <= MOST_KEPT_NUMBERS else _times)(units, resamples, seed)
    values = [
        statistic((turned @ drawn[:, some].astype(np.float64)).T)
        for some in _slices(resamples, max(units, columns))
    ]
    each = np.ones(units) if times is None else times.astype(np.float64)
    whole = statistic((turned @ each)[None, :])
    return _estimate(float(whole[0]), np.concatenate(values), confidence)


def safe_ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """NaN where what is below is not positive."""
    positive = below > 0
    return np.where(positive, above / np.where(positive, below, 1), np.nan)


def _times(units: int, resamples: int, seed: int) -> IntArray:
    """Number of times that each unit was drawn, (units, resamples)."""
    rng = np.random.default_rng(seed)
    times = np.empty((units, resamples), dtype=np.uint16)
    for some in _slices(resamples, units):
        count = some.stop - some.start
        draws = rng.integers(0, units, (count, units))
        cells = draws * count + np.arange(count)[:, None]
        times[:, some] = np.bincount(cells.ravel(), minlength=units * count).reshape(units, count)
    return times


# Several statistics of the same documents are asked for one after the other.
_kept_times = lru_cache(maxsize=1)(_times)


def _slices(resamples: int, numbers_each: int) -> list[slice]:
    at_once = max(1, NUMBERS_AT_ONCE // numbers_each)
    return [slice(first, min(first + at_once, resamples)) for first in range(0, resamples, at_once)]


def _check(units: int, confidence: float, resamples: int) -> None:
    if units < 2:
        raise ValueError(f"an interval needs at least 2 topics or documents to draw from, got {units}")
    if resamples < 1:
        raise ValueError(f"resamples = {resamples} is below 1")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence} is not inside (0, 1)")


def _estimate(value: float, drawn: FloatArray, confidence: float) -> Estimate:
    defined = drawn[~np.isnan(drawn)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail]) if len(defined) else (np.nan, np.nan)
    return Estimate(value, float(low), float(high), len(drawn) - len(defined))
