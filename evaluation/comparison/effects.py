"""Effect sizes: measures of the difference between two runs that do not depend on the number of topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import FloatArray
from evaluation.comparison.significance import check_differences

# scipy's inverse of the noncentral t distribution takes a t of such a size for 0, although its distribution
# function does not. Nearer to 0 that is exact to 1e-9.
NEAR_ZERO = (1e-9, 1e-3)
# Share of each side beyond a 95% interval.
TAIL = 0.025


@dataclass(frozen=True, eq=False)
class EffectSize:
    """A figure of each pair with its interval; arrays (pairs,)."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class EffectSizes:
    """`superiority` is the share of topics that the first run wins, ties counting half."""

    cohen_d: EffectSize
    superiority: EffectSize
    rank_biserial: EffectSize


def effect_sizes(differences: FloatArray) -> EffectSizes:
    """Effect sizes of paired differences.

    Parameters
    ----------
    differences : ndarray of float64, shape (pairs, topics)
        Score of the first run minus that of the second; at least 2 topics.

    Returns
    -------
    EffectSizes
        With 95% intervals. cohen_d: mean / standard deviation of the differences (d_z), with the interval
        from the noncentral t distribution. superiority: in [0, 1], with Wilson's score interval for a
        proportion, which ties make too wide rather than too narrow. rank_biserial: (W+ - W-) / (W+ + W-)
        of Wilcoxon's test, in [-1, 1], with the same interval for (1 + r) / 2 of as many topics as have
        its variance where the runs do not differ, about three quarters of them: this project's choice.
        Both intervals stay inside their ranges and have a width where one run wins every topic. Where all
        differences are equal d is infinite, or 0 if that is 0.

    Raises
    ------
    ValueError
        If there are fewer than 2 topics, or a difference is not finite.

    References
    ----------
    Cohen 1988, section 2.3; Cumming and Finch 2001; Kerby 2014; Wilson 1927; Sakai 2018.

    Examples
    --------
    >>> found = effect_sizes(np.array([[1.0, 2.0, 3.0]]))
    >>> float(found.cohen_d.value[0]), float(found.superiority.value[0])
    (2.0, 1.0)
    """
    rows = check_differences(differences, at_least=2)
    topics = rows.shape[1]
    mean = rows.mean(axis=1)
    constant = (rows == rows[:, :1]).all(axis=1)
    mean = np.where(constant, rows[:, 0], mean)
    deviation = np.where(constant, 0.0, rows.std(axis=1, ddof=1))
    z = float(scipy.stats.norm.ppf(1 - TAIL))
    won = ((rows > 0).sum(axis=1) + 0.5 * (rows == 0).sum(axis=1)) / topics
    return EffectSizes(
        cohen_d=_standardised(mean, deviation, topics),
        superiority=_wilson(won, np.full(len(rows), float(topics)), z),
        rank_biserial=_rank_biserial(rows, z),
    )


def _standardised(mean: FloatArray, deviation: FloatArray, topics: int) -> EffectSize:
    with np.errstate(divide="ignore"):
        value = np.divide(mean, deviation, out=np.zeros_like(mean), where=mean != 0)
    root = np.sqrt(topics)
    t = value * root
    finite = np.isfinite(t)
    low, high = t.copy(), t.copy()
    low[finite] = _noncentrality(t[finite], topics - 1, 1 - TAIL)
    high[finite] = _noncentrality(t[finite], topics - 1, TAIL)
    return EffectSize(value, low / root, high / root)


def _noncentrality(t: FloatArray, free: int, share: float) -> FloatArray:
    """The noncentrality under which the share of t's distribution up to each observed t is `share`."""
    result = np.asarray(scipy.special.nctdtrinc(free, share, t), dtype=np.float64)
    for place in np.flatnonzero((np.abs(t) > NEAR_ZERO[0]) & (np.abs(t) < NEAR_ZERO[1])):
        result[place] = _solved_noncentrality(float(t[place]), free, share, near=float(result[place]))
    return result


def _solved_noncentrality(t: float, free: int, share: float, near: float) -> float:
    def excess(noncentrality: float) -> float:
        return float(scipy.special.nctdtr(free, noncentrality, t)) - share

    # The noncentrality moves by less than 2 t, and the function falls: both ends have opposite signs.
    return float(scipy.optimize.brentq(excess, near - 0.01, near + 0.01, xtol=1e-13))


def _rank_biserial(rows: FloatArray, z: float) -> EffectSize:
    sizes = np.where(rows == 0, np.nan, np.abs(rows))
    ranks = np.nan_to_num(scipy.stats.rankdata(sizes, axis=1, nan_policy="omit"))
    total = ranks.sum(axis=1)
    signed = (np.sign(rows) * ranks).sum(axis=1)
    value = np.divide(signed, total, out=np.zeros_like(total), where=total > 0)
    # Where the runs do not differ each rank's sign is a coin: the variance of r is sum(ranks^2) / total^2,
    # and that of a proportion of n is 1 / 4n.
    alike = np.divide(total**2, (ranks**2).sum(axis=1), out=np.zeros_like(total), where=total > 0)
    interval = _wilson((1 + value) / 2, alike, z)
    return EffectSize(value, 2 * interval.low - 1, 2 * interval.high - 1)


def _wilson(share: FloatArray, count: FloatArray, z: float) -> EffectSize:
    """The shares that would not be rejected, each with the variance that it would have itself."""
    centre = (share * count + z**2 / 2) / (count + z**2)
    half = z * np.sqrt(share * (1 - share) * count + z**2 / 4) / (count + z**2)
    return EffectSize(share, np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0))
