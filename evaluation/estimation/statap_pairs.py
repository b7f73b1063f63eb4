"""Differences of runs' statMAP: runs share each topic's sample, so most of their errors cancel out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.corrected import CorrectedScores, TooEarly, TopicEstimate, too_small
from evaluation.estimation.statap import JudgedSample
from evaluation.estimation.statap_interval import SmoothedSample
from evaluation.measures.gains import total


def stat_ap_covariances(ranks: IntArray, sample: JudgedSample) -> TopicEstimate:
    """Estimate one topic's AP of all runs, and the covariances of the runs' errors.

    Parameters
    ----------
    ranks : ndarray of int, shape (runs, drawn)
        Rank of each document of the sample, from 1; 0 where a run does not rank it.
    sample : JudgedSample

    Returns
    -------
    TopicEstimate
        `scores` as by `evaluation.estimation.statap.stat_ap`. `measured`: by the jackknife, on its diagonal
        the variances of `sampling_error`; NaN if fewer than two relevant documents were drawn. `modelled`:
        linearised, each draw by the smoothed leverage of the interval of one run. Both are 0 where all
        documents were certain, and NaN where only some were or no relevant document was drawn.

    References
    ----------
    Berger and Skinner 2005 for the jackknife; Särndal, Swensson and Wretman 1992, section 5.6, for the
    linearised ratio.

    Examples
    --------
    >>> sample = JudgedSample(np.array([1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.5]))
    >>> topic = stat_ap_covariances(np.array([[1, 0, 2], [2, 1, 0]]), sample)
    >>> topic.scores.tolist(), topic.measured.round(6).tolist()
    ([0.5, 1.25], [[0.166667, -0.083333], [-0.083333, 0.166667]])
    """
    hits, draws = sample.gains > 0, len(sample.gains)
    ranked = _RankedSample(ranks, np.where(hits, 1.0 / sample.inclusion, 0.0))
    runs = len(ranks)
    if not hits.any():
        return TopicEstimate(np.full(runs, np.nan), *np.full((2, runs, runs), np.nan))
    scores = np.asarray(total(ranked.precision * ranked.weights) / sample.relevant)
    by_chance = sample.inclusion < 1
    if not by_chance.all():
        return TopicEstimate(scores, *np.full((2, runs, runs), np.nan if by_chance.any() else 0.0))
    influence = ranked.precision + ranked.below - scores[:, None]
    modelled = (influence * SmoothedSample.of(sample).leverage(hits, sample.inclusion)) @ influence.T
    if np.count_nonzero(hits) < 2:
        return TopicEstimate(scores, np.full((runs, runs), np.nan), modelled)
    errors = ranked.without_each(draws / (draws - 1))
    errors = errors - errors.mean(axis=1, keepdims=True)
    measured = (errors * (1.0 - sample.inclusion)) @ errors.T * (draws - 1) / draws
    return TopicEstimate(scores, measured, modelled)


class _RankedSample:
    """Sums over each run's ranks, all (runs, drawn): `weights` of the relevant documents that it ranks, the
    weights `above` each document, its `precision` if it is relevant, and the sum of weight / rank `below`."""

    def __init__(self, ranks: IntArray, weights: FloatArray) -> None:
        inside = ranks > 0
        order = np.argsort(np.where(inside, ranks, np.iinfo(ranks.dtype).max), axis=1, kind="stable")
        self._all, self._per_rank = weights, np.where(inside, 1.0 / np.maximum(ranks, 1), 0.0)
        self.weights = np.where(inside, weights, 0.0)
        self.above = _before(self.weights, order)
        self.precision = (1.0 + self.above) * self._per_rank
        per_rank = self.weights * self._per_rank
        self.below = inside * (total(per_rank)[:, None] - _before(per_rank, order) - per_rank)

    def without_each(self, growth: float) -> FloatArray:
        """StatAP (runs, drawn) without each draw, the weights of the others multiplied by `growth`."""
        parts = self.weights * (1.0 + growth * self.above) * self._per_rank
        left = total(parts)[:, None] - parts - growth * self.weights * self.below
        return np.asarray(left / (self._all.sum() - self._all))


def _before(values: FloatArray, order: IntArray) -> FloatArray:
    """Sum of the values that come earlier in each row's order, (rows, n)."""
    ordered = np.take_along_axis(values, order, axis=1)
    sums = np.empty_like(values)
    np.put_along_axis(sums, order, ordered.cumsum(axis=1) - ordered, axis=1)
    return sums


def stat_map_pairs(topics: Sequence[TopicEstimate]) -> CorrectedScores | None:
    """Sum topics' covariances over those that have a statAP, for intervals of the pairs' differences.

    Topics without a measured covariance use the mean of the others'.

    Parameters
    ----------
    topics : sequence of TopicEstimate
        By `stat_ap_covariances`, of the same runs.

    Returns
    -------
    CorrectedScores
        None where there is no interval: if any sample was in part certain, or fewer than two topics have a
        measured covariance. `pair_half_widths` has the half widths; it weights measured and modelled parts
        as for a corrected sample.

    Examples
    --------
    >>> sample = JudgedSample(np.array([1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.5]))
    >>> topic = stat_ap_covariances(np.array([[1, 0, 2], [2, 1, 0]]), sample)
    >>> pairs = stat_map_pairs([topic] * 8)
    >>> float(pairs.pair_half_widths()[0, 1].round(6))
    0.591156
    """
    valued = [topic for topic in topics if not np.isnan(topic.scores).any()]
    known = [topic.measured for topic in valued if not np.isnan(topic.measured).any()]
    if len(known) < 2 or any(np.isnan(topic.modelled).any() for topic in valued):
        return None
    return CorrectedScores(
        np.array([topic.scores for topic in valued]),
        np.mean(known, axis=0) * len(valued),
        np.sum([topic.modelled for topic in valued], axis=0),
    )


def too_early_for_pairs(samples: Sequence[JudgedSample]) -> TooEarly | None:
    """Return why samples are too small for intervals of differences that hold; None if they are not, or if
    some document was certain. Topics whose sample has no relevant document do not count."""
    valued = [sample for sample in samples if sample.relevant]
    if any((sample.inclusion == 1).any() for sample in valued):
        return None
    judged = sum(len(sample.gains) for sample in valued)
    return too_small(len(valued), judged, sum(len(sample.weights) for sample in valued))
