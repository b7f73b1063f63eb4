"""Percentile intervals by drawing topics, or documents, again."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from evaluation.arrays import IntArray


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
    if units < 2:
        raise ValueError(f"an interval needs at least 2 topics or documents to draw from, got {units}")
    if resamples < 1:
        raise ValueError(f"resamples = {resamples} is below 1")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence} is not inside (0, 1)")
    places = np.arange(units)
    with warnings.catch_warnings():
        # Said of a statistic that is nowhere defined; that is what `undefined` tells.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        drawn = stats.bootstrap(
            (places,), statistic, vectorized=False, n_resamples=resamples, method="percentile",
            rng=np.random.default_rng(seed),
        ).bootstrap_distribution  # fmt: skip
    defined = drawn[~np.isnan(drawn)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail]) if len(defined) else (np.nan, np.nan)
    return Estimate(float(statistic(places)), float(low), float(high), len(drawn) - len(defined))
