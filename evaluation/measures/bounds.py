"""Bounds of measures that are a sum of fixed weights times gains: what the judged documents earned, and
what the unjudged could still add (Ravana and Moffat 2010, section 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log
from typing import overload

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.gains import check_cut_off, gains_of, total
from evaluation.measures.weights import exact_product, exact_rank_weights

# How far cwl_eval reads; what lies below has little weight, and ranks without a document have no gain.
READ_DEPTH = 1000


@dataclass(frozen=True)
class Bounds:
    """A score that unjudged documents leave open: it lies in [base, base + residual].

    `full` is the score of a ranking whose every document has the highest gain: 1, but for unscaled DCG.
    """

    base: float
    residual: float
    full: float = field(default=1.0, repr=False)

    @property
    def top(self) -> float:
        return self.base + self.residual

    @property
    def projected(self) -> float:
        return projected_score(self.base / self.full, self.residual / self.full) * self.full


@overload
def projected_score(base: float, residual: float) -> float: ...
@overload
def projected_score(base: FloatArray, residual: FloatArray) -> FloatArray: ...
def projected_score(base: float | FloatArray, residual: float | FloatArray) -> float | FloatArray:
    """The score if the unjudged weight earned gain at the rate of the judged: base / (1 - residual).

    Parameters
    ----------
    base, residual : float or ndarray of float64, any equal shapes
        In [0, 1]. Where residual is 1, nothing is judged and the projection is 1, as in the program
        of the authors of Moffat, Webber and Zobel 2007 (section 4).

    Returns
    -------
    float or ndarray of float64, like the arguments

    Examples
    --------
    >>> projected_score(0.2, 0.5), projected_score(0.0, 1.0)
    (0.4, 1.0)
    """
    covered = 1.0 - np.asarray(residual, dtype=np.float64)
    result = np.divide(base, covered, out=np.ones_like(covered), where=covered > 0)
    return float(result) if result.ndim == 0 else result


def begun_projections(base: FloatArray, residual: FloatArray) -> FloatArray:
    """`projected_score` by topic, for means and tests: NaN where nothing is judged.

    Such a topic has nothing to project from. Counted as 1, topics not begun yet would lift every run's
    projection towards 1.

    Parameters
    ----------
    base, residual : ndarray of float64, any equal shapes
        In [0, 1].

    Returns
    -------
    ndarray of float64, like the arguments
        Each from base to base + residual, or NaN where residual is 1.

    References
    ----------
    Moffat, Webber and Zobel 2007, section 4. Leaving topics out is this project's choice.

    Examples
    --------
    >>> begun_projections(np.array([0.2, 0.0]), np.array([0.5, 1.0])).tolist()
    [0.4, nan]
    """
    base, residual = np.asarray(base, dtype=np.float64), np.asarray(residual, dtype=np.float64)
    return np.where(residual < 1, projected_score(base, residual), np.nan)


def mean_projection(base: FloatArray, residual: FloatArray) -> FloatArray:
    """The mean over topics of `begun_projections`.

    Parameters
    ----------
    base, residual : ndarray of float64, shape (topics, ...)
        In [0, 1].

    Returns
    -------
    ndarray of float64, shape (...)
        From the mean of base to that of base + residual; 1 where no topic is left.

    References
    ----------
    Ravana and Moffat 2010, section 4: estimates are made by topic and then averaged.

    Examples
    --------
    >>> float(mean_projection(np.array([0.2, 0.3, 0.0]), np.array([0.5, 0.0, 1.0])).round(9))
    0.35
    """
    return mean_of_known(begun_projections(base, residual), otherwise=1.0)[0]


def mean_of_known(values: FloatArray, otherwise: float = np.nan) -> tuple[FloatArray, IntArray]:
    """The mean over topics of the values that are not NaN, and how many they are.

    Parameters
    ----------
    values : ndarray of float64, shape (topics, ...)
    otherwise : float
        The mean of no value.

    Returns
    -------
    mean : ndarray of float64, shape (...)
    count : ndarray of int, shape (...)

    Examples
    --------
    >>> mean, count = mean_of_known(np.array([0.2, np.nan, 0.4]))
    >>> float(mean.round(9)), int(count)
    (0.3, 2)
    """
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    full = np.full(count.shape, otherwise)
    return np.asarray(np.divide(sums, count, out=full, where=count > 0)), np.asarray(count)


@dataclass(frozen=True, eq=False)
class Weighting:
    """Weights of the first ranks and of all ranks below them together, in units of 1 / `scale`.

    `weights` (k,), `tail` and `scale` are at least 0; with `exact`, sums are those of `exact_rank_weights`.
    `highest`: the gain that an unjudged document may have at most, above 0.
    """

    weights: FloatArray
    tail: float = 0.0
    scale: float = 1.0
    exact: bool = False
    highest: float = 1.0

    @property
    def full(self) -> float:
        """The score of a ranking whose every document has the highest gain."""
        return float((total(self.weights) + self.tail) / self.scale * self.highest)


@dataclass(frozen=True, eq=False)
class WeightedBounds:
    """For each ranking, shape (...): base and residual; the part of the residual that belongs to ranks
    which the ranking does not reach (tail), and that of documents ranked and not judged (unjudged)."""

    base: FloatArray
    residual: FloatArray
    tail: FloatArray

    @property
    def unjudged(self) -> FloatArray:
        return np.maximum(self.residual - self.tail, 0.0)


def rbp_weighting(p: float, depth: int) -> Weighting:
    """RBP for rankings of up to `depth` documents; the tail p**depth lies below them."""
    weights = exact_rank_weights(p, depth)
    return Weighting(weights, tail=1.0 - float(weights.sum()), exact=True)


def precision_weighting(k: int) -> Weighting:
    """P@k."""
    return Weighting(np.ones(check_cut_off(k)), scale=k)


def dcg_weighting(k: int, base: float | None = 2.0, *, scaled: bool = False) -> Weighting:
    """DCG@k, or SDCG@k if scaled."""
    weights = discounts(check_cut_off(k), base)
    return Weighting(weights, scale=float(total(weights)) if scaled else 1.0)


def insq_weighting(target: float) -> Weighting:
    """INSQ: rank i weighs 1 / (i + 2 T - 1)**2, over the sum of the first `READ_DEPTH` ranks' weights.

    Moffat, Scholer and Thomas 2012; the depth is cwl_eval's.
    """
    weights = np.asarray((np.arange(READ_DEPTH) + 2.0 * target) ** -2.0, dtype=np.float64)
    return Weighting(weights, scale=float(total(weights)))


def weighted_bounds(
    gains: FloatArray, weighting: Weighting, lengths: IntArray | None = None
) -> WeightedBounds:
    """Base and residual of rankings under fixed weights; the residual always uses the highest gain.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, weighting.highest], NaN where not judged. Ranks beyond the weights do not count.
    weighting : Weighting
        If its tail is above 0, it must reach all n ranks.
    lengths : ndarray of int, shape (...), optional
        How many documents each ranking holds; the ranks beyond belong to the tail. n for all if missing.

    Returns
    -------
    WeightedBounds
        base + residual <= weighting.full. A judgment never lowers the base nor raises the residual.

    Raises
    ------
    ValueError
        If a gain is outside its range, or the weights stop short of the ranking while a tail follows.

    References
    ----------
    Moffat, Webber and Zobel 2007, section 2; Ravana and Moffat 2010, section 2.

    Examples
    --------
    >>> bounds = weighted_bounds(np.array([1.0, np.nan, 0.0]), precision_weighting(5))
    >>> [float(part.round(9)) for part in (bounds.base, bounds.unjudged, bounds.tail)]
    [0.2, 0.2, 0.4]
    """
    gains = gains_of(gains, weighting.highest)
    weights = weighting.weights
    if gains.shape[-1] > len(weights) and weighting.tail > 0:
        raise ValueError(f"{len(weights)} weights for a ranking of {gains.shape[-1]} documents")
    depth = min(gains.shape[-1], len(weights))
    gains, inside = gains[..., :depth], weights[:depth]
    judged = ~np.isnan(gains)
    earned = exact_product(inside, np.nan_to_num(gains)) if weighting.exact else inside * np.nan_to_num(gains)
    reached = np.full(gains.shape[:-1], depth) if lengths is None else np.minimum(lengths, depth)
    upto = np.r_[0.0, np.cumsum(inside)][reached]
    whole = total(weights) + weighting.tail
    base = np.asarray(total(earned) / weighting.scale)
    residual, tail = (
        np.asarray(np.maximum(part, 0.0) / weighting.scale * weighting.highest)
        for part in (whole - total(inside * judged), whole - upto)
    )
    return WeightedBounds(base, residual, tail)


def depth_for_accuracy(p: float, accuracy: float) -> int:
    """Number of ranks to judge so that RBP's residual is at most `accuracy`: ceil(ln a / ln p).

    Parameters
    ----------
    p : float
        Persistence, inside (0, 1).
    accuracy : float
        Inside (0, 1].

    Raises
    ------
    ValueError
        If an argument is outside its range.

    References
    ----------
    Moffat and Zobel 2008, section 4.4: the tail beyond rank d weighs p**d.

    Examples
    --------
    >>> [depth_for_accuracy(p, 1e-4) for p in (0.5, 0.8, 0.95)]
    [14, 42, 180]
    """
    if not 0 < p < 1:
        raise ValueError(f"p = {p} is not inside (0, 1)")
    if not 0 < accuracy <= 1:
        raise ValueError(f"accuracy = {accuracy} is outside (0, 1]")
    return ceil(log(accuracy) / log(p))
