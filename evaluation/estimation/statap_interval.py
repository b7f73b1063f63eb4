"""A 95% interval for statAP of one topic and for its mean over topics.

Two standard deviations about the estimate cover far too few truths: with one relevant document drawn the
published variance is 0, and a sample that missed the rare relevant documents with small inclusion
probabilities has a small variance because it missed them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from evaluation.estimation.statap import JudgedSample, sampled_precisions, stat_ap
from evaluation.measures.gains import ranks_of, total

LEVEL = 0.95
# How much of the spread is taken from the jackknife; the rest is the most that a share could vary.
JACKKNIFE_PART = 2 / 3
# Relevance falls about with this power of the inclusion probability. Half a relevant document more than was
# drawn is spread over the sample accordingly, so that no sample rules out what it missed.
RATE_POWER, MORE_RELEVANT = 1.5, 0.5
# An estimate at 0 or 1 has no scale of its own.
LEAST_SPREAD = 0.003


@dataclass(frozen=True, eq=False)
class SamplingError:
    """Error of a topic's statAP, estimated from its sample; arrays (...,) as the estimates.

    bias : of the ratio, at first order
    variance : by the jackknife, in [0, 1]; NaN where fewer than two relevant documents were drawn
    concentration : in [0, 1], the sum of the squared shares that single draws have in the estimated number
        of relevant documents, those included that were not found relevant
    relevant : how many relevant documents were drawn

    All are 0 where nothing was left to chance, and NaN where a part was: see `sampling_error`.
    """

    bias: FloatArray
    variance: FloatArray
    concentration: FloatArray
    relevant: FloatArray

    def of_run(self, run: int) -> SamplingError:
        return SamplingError(*(part[run] for part in self._parts))

    @classmethod
    def of_topics(cls, errors: Sequence[SamplingError]) -> SamplingError:
        """Arrays (topics, ...) of topics' arrays (...)."""
        return cls(*(np.array(parts) for parts in zip(*(error._parts for error in errors), strict=True)))

    @property
    def _parts(self) -> tuple[FloatArray, ...]:
        return self.bias, self.variance, self.concentration, self.relevant


def sampling_error(gains: FloatArray, inclusion: FloatArray, sample: JudgedSample) -> SamplingError:
    """Measure how far statAP may be from the AP of all documents that the sample was drawn from.

    Parameters
    ----------
    gains, inclusion : ndarray of float64, shape (..., n)
        In rank order, NaN where not sampled.
    sample : JudgedSample
        All sampled documents of the topic, retrieved or not.

    Returns
    -------
    SamplingError
        NaN where statAP is, and where some documents were certain and others drawn: statAP itself is then
        too high with few draws, by more than its samples show.

    Raises
    ------
    ValueError
        As for `evaluation.estimation.statap.sampled_precisions`.

    References
    ----------
    Jackknife for unequal probabilities (Berger and Skinner 2005); bias of a ratio at first order (Cochran
    1977, section 6.8). The smoothed rate is this project's own.

    Examples
    --------
    >>> sample = JudgedSample(np.array([1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.5]))
    >>> error = sampling_error(np.array([1.0, 0.0]), np.array([0.5, 0.5]), sample)
    >>> float(error.variance.round(6)), float(error.concentration.round(6))
    (0.166667, 0.194319)
    """
    estimate = stat_ap(gains, inclusion, sample)
    by_chance = sample.inclusion < 1
    if not by_chance.all() or np.isnan(estimate).all():
        none = np.where(np.isnan(estimate) | by_chance.any(), np.nan, 0.0)
        return SamplingError(none, none, none, none)
    smoothed = SmoothedSample.of(sample)
    ranked = _RankSums.of(gains, inclusion)
    concentration = float(smoothed.leverage(sample.gains > 0, sample.inclusion).sum())
    leverage = np.nan_to_num(smoothed.leverage(ranked.hits, np.asarray(inclusion)))
    bias = estimate * concentration - total(leverage * (ranked.precision + ranked.below))
    everywhere = np.ones(estimate.shape)
    return SamplingError(
        bias,
        _jackknife(ranked, np.asarray(inclusion), sample),
        concentration * everywhere,
        np.count_nonzero(sample.gains > 0) * everywhere,
    )


@dataclass(frozen=True, eq=False)
class SmoothedSample:
    """Probabilities of relevance halfway between what was judged and a rate that falls with the inclusion
    probability; `slope` of that rate; `relevant`: the number of relevant documents that they stand for."""

    slope: float
    relevant: float

    @classmethod
    def of(cls, sample: JudgedSample) -> SmoothedSample:
        hits = sample.gains > 0
        slope = float((hits.sum() + MORE_RELEVANT) / (sample.inclusion**RATE_POWER).sum())
        chances = cls(slope, 0.0)._relevance(hits, sample.inclusion)
        return cls(slope, float((chances / sample.inclusion).sum()))

    def _relevance(self, hits: BoolArray, inclusion: FloatArray) -> FloatArray:
        return np.asarray((hits + np.minimum(self.slope * inclusion**RATE_POWER, 1.0)) / 2)

    def leverage(self, hits: BoolArray, inclusion: FloatArray) -> FloatArray:
        """The expected square of each draw's share in the number of relevant documents; as `inclusion`."""
        chance = self._relevance(hits, inclusion)
        # A document counts in full in the number of which it is a share.
        share = 1.0 / inclusion / (self.relevant + (1.0 - chance) / inclusion)
        return np.asarray(chance * (1.0 - inclusion) * share**2)


@dataclass(frozen=True, eq=False)
class _RankSums:
    """Per rank (..., n): if a sampled relevant document is there, its weight, the estimated number of
    relevant documents above, the precision of a relevant document there, and the sum of weight / rank over
    the relevant below."""

    hits: BoolArray
    weights: FloatArray
    above: FloatArray
    precision: FloatArray
    below: FloatArray

    @classmethod
    def of(cls, gains: FloatArray, inclusion: FloatArray) -> _RankSums:
        _, weights = sampled_precisions(gains, inclusion)
        above, ranks = weights.cumsum(axis=-1) - weights, ranks_of(weights)
        per_rank = weights / ranks
        below = total(per_rank)[..., None] - per_rank.cumsum(axis=-1)
        return cls(weights > 0, weights, above, (1.0 + above) / ranks, below)


def _jackknife(ranked: _RankSums, inclusion: FloatArray, sample: JudgedSample) -> FloatArray:
    """Jackknife variance of statAP (...): leaves out one draw after the other and raises the weights of the
    other draws accordingly."""
    hits, draws = sample.gains > 0, len(sample.gains)
    if hits.sum() < 2:
        return np.full(ranked.weights.shape[:-1], np.nan)
    growth = draws / (draws - 1)
    ranks, weights = ranks_of(ranked.weights), ranked.weights
    parts = weights * (1.0 + growth * ranked.above) / ranks
    all_parts, all_weights = total(parts)[..., None], float((1.0 / sample.inclusion[hits]).sum())
    left = all_parts - parts - growth * weights * ranked.below
    without_one = np.where(ranked.hits, left / (all_weights - weights), 0.0)
    # A relevant document that the run did not retrieve is known by its inclusion probability alone.
    levels, counts = np.unique(sample.inclusion[hits], return_counts=True)
    at_level = [((inclusion == level) & ranked.hits).sum(axis=-1) for level in levels]
    missed = counts - np.stack(at_level, axis=-1)
    chance = np.where(ranked.hits, 1.0 - np.nan_to_num(inclusion), 0.0)
    lost = np.ones_like(all_parts)
    estimates = np.concatenate(
        [without_one, all_parts / (all_weights - 1.0 / levels), all_parts / all_weights], axis=-1
    )
    numbers = np.concatenate([ranked.hits, missed, lost * np.count_nonzero(~hits)], axis=-1)
    uncertain = np.concatenate(
        [chance, missed * (1.0 - levels), lost * (1.0 - sample.inclusion[~hits]).sum()], axis=-1
    )
    mean = total(numbers * estimates)[..., None] / draws
    return np.asarray(np.minimum(total(uncertain * (estimates - mean) ** 2) / growth, 1.0))


@dataclass(frozen=True, eq=False)
class SampleInterval:
    """95% interval, (...); NaN where the samples cannot say. Contains the estimate; `low` is at least 0, and
    `high` at most 1 unless the estimate is above."""

    low: FloatArray
    high: FloatArray


def stat_map_interval(estimates: FloatArray, error: SamplingError) -> SampleInterval:
    """The interval for the mean AP of those topics that have a statAP; of one topic, for its AP.

    Topics whose own variance is unknown borrow the mean of the others'. The interval is Wilson's, for a
    share whose variance P (1 - P) k / topics has k from the jackknife and from the concentration: it grows
    as P moves away from 0, which a low estimate from a poor sample does not show.

    Parameters
    ----------
    estimates : ndarray of float64, shape (topics, ...)
        statAP, NaN for topics that have none.
    error : SamplingError
        Of the same shape.

    Returns
    -------
    SampleInterval
        Of shape (...). NaN for one topic of unknown variance, for several if fewer than two are known, and if
        any sample was in part certain.

    References
    ----------
    Wilson 1927. Parts and powers were chosen on half of the topics of two collections, see docs/measures.md.

    Examples
    --------
    >>> error = SamplingError(np.zeros(3), np.array([0.04, 0.06, np.nan]), np.full(3, 0.2), np.full(3, 4))
    >>> found = stat_map_interval(np.array([0.3, 0.5, 0.4]), error)
    >>> float(found.low.round(3)), float(found.high.round(3))
    (0.085, 0.826)
    """
    # Commands start faster without scipy, and most measures need none.
    from scipy.special import stdtrit

    estimates = np.asarray(estimates, dtype=np.float64)
    valued, known = ~np.isnan(estimates), ~np.isnan(error.variance)
    topics = valued.sum(axis=0)
    counts = np.maximum(topics, 1)
    mean = np.where(valued, estimates, 0.0).sum(axis=0) / counts
    bias = np.where(valued, error.bias, 0.0).sum(axis=0) / counts
    variance = np.where(known, error.variance, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    concentration = np.where(valued, error.concentration, 0.0).sum(axis=0) / counts
    point = np.clip(mean, 0.0, 1.0)
    spread = JACKKNIFE_PART * variance / np.maximum(point * (1.0 - point), LEAST_SPREAD)
    spread = spread + (1.0 - JACKKNIFE_PART) * concentration
    # The variance of a mean is known from as many topics only, that of a topic from a count of chance events,
    # which is as sure as a chi square of twice as many degrees.
    alone = 2 * np.where(valued, error.relevant, 0).sum(axis=0)
    quantile = stdtrit(np.maximum(np.where(topics > 1, topics - 1, alone), 1), (1.0 + LEVEL) / 2)
    low, high = _wilson(np.clip(mean - bias, 0.0, 1.0), quantile**2 * spread / counts)
    valid = (topics > 0) & (known.sum(axis=0) >= np.minimum(topics, 2))
    return SampleInterval(
        np.where(valid, np.minimum(low, mean), np.nan), np.where(valid, np.maximum(high, mean), np.nan)
    )


def _wilson(share: FloatArray, doubt: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The shares P with (share - P)^2 <= doubt P (1 - P)."""
    middle = share + doubt / 2
    half = np.sqrt(doubt * share * (1.0 - share) + doubt**2 / 4)
    low, high = (middle - half) / (1.0 + doubt), (middle + half) / (1.0 + doubt)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)
