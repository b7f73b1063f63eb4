"""Measures over what an ideal ranking would have, from a random sample: nDCG@k with an interval, and AP.

How many documents are relevant is not known, but estimated from the same sample. So nDCG's interval is
approximate, and AP has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.corrected import (
    CorrectedLabels,
    CorrectedScores,
    SampledTopic,
    TopicEstimate,
    corrected_labels,
    cross_fitted,
    left_to_chance,
    measured_covariance,
    sum_estimates,
)

# Fewer relevant documents than this half a document are never assumed: nDCG divides by what they give.
LEAST_COUNT = 0.5
# Share of the unjudged relevant documents that may be missing.
DOUBTED = 0.75


@dataclass(frozen=True, eq=False)
class RankedTopic:
    """One topic whose documents are ranked; the documents of `sample` first, then those with a known gain.

    sample : SampledTopic, its weights are not read
    known : float64 (known,), gains of documents outside the population, in [0, 1]
    ranks : int (runs, documents + known), from 1; 0 where a run does not rank the document
    """

    sample: SampledTopic
    known: FloatArray
    ranks: IntArray

    def at_level(self, level: float) -> SampledTopic:
        """The sample with 1 for gains from this level on, and 0 for lower ones."""
        gains = self.sample.gains
        return replace(self.sample, gains=np.where(np.isnan(gains), np.nan, gains >= level))


@dataclass(frozen=True, eq=False)
class RelevantCounts:
    """Estimated numbers of documents that reach a level, (topics,), and how the samples move them.

    least : (topics,), how many are known
    own : derivative of each topic's count by the sum of its own corrected labels, in [0, 1]
    common : the share of each topic, sum 1, in what the samples say of all topics' counts together
    """

    counts: FloatArray
    least: FloatArray
    own: FloatArray
    common: FloatArray


def relevant_counts(
    topics: Sequence[RankedTopic],
    parts: Sequence[SampledTopic],
    labels: Sequence[CorrectedLabels],
    level: float,
) -> RelevantCounts:
    """Combine the model's counts and the corrected ones, by how far each of them may err.

    One topic's sample says little of its count; all together say by how much the model's counts are too low
    or too high, and every topic has its share of that.
    """
    rows = []
    for topic, part, one in zip(topics, parts, labels, strict=True):
        drawn = part.sampled
        judged, completed = part.gains[drawn], one.predicted.copy()
        completed[drawn] = judged
        model, relevant = float(completed.sum()), float(judged.sum())
        variance = float((left_to_chance(part) * one.predicted * (1 - one.predicted)).sum())
        trust = (model / 2) ** 2 + 1
        known = float((topic.known >= level).sum())
        rows.append(
            (model, float(one.corrected.sum()), relevant, trust / (variance + trust), len(part.gains), known)
        )
    model, corrected, relevant, own, most, known = np.array(rows).T
    common = (model - relevant) / max(float((model - relevant).sum()), np.finfo(np.float64).tiny)
    counts = model + own * (corrected - model) + common * ((1 - own) * (corrected - model)).sum()
    return RelevantCounts(np.clip(counts, relevant, most) + known, relevant + known, own, common)


def corrected_ndcg(
    topics: Sequence[RankedTopic], folds: Sequence[int], levels: FloatArray, discounts: FloatArray
) -> CorrectedScores:
    """Estimate all runs' nDCG@k from every topic's sample.

    Parameters
    ----------
    topics : sequence of RankedTopic
        At least one, of the same runs.
    folds : sequence of int
        As for `corrected_scores`.
    levels : ndarray of float64, shape (levels,)
        All gains above 0 that the measure knows, ascending.
    discounts : ndarray of float64, shape (k,)
        Weight of a gain at each of the first k ranks.

    Returns
    -------
    CorrectedScores
        By linearisation: each level has a model of its own, and the ideal's error counts beside the run's.
        `doubt`: the mean rise of the scores if `DOUBTED` of the unjudged relevant documents were none.
    """
    parts = [[topic.at_level(level) for topic in topics] for level in levels]
    labels = [
        [corrected_labels(*pair) for pair in zip(part, cross_fitted(part, folds), strict=True)]
        for part in parts
    ]
    counts = [relevant_counts(topics, *each) for each in zip(parts, labels, levels, strict=True)]
    # No more documents reach a higher level than a lower one. Below rank k the ideal has nothing to gain.
    number = np.minimum.accumulate([one.counts for one in counts], axis=0)
    number[0] = np.maximum(number[0], LEAST_COUNT)
    fewer = number - DOUBTED * np.maximum(number - [one.least for one in counts], 0)
    steps, reached = np.diff(levels, prepend=0.0), np.concatenate([[0.0], np.cumsum(discounts)])
    places = np.arange(len(reached))
    ideals = steps @ np.interp(number, places, reached)
    doubted = steps @ np.interp(fewer, places, reached)
    slopes = np.interp(number + 0.5, places, reached) - np.interp(number - 0.5, places, reached)
    padded = np.concatenate([[0.0], discounts, [0.0]])
    weights = [padded[np.minimum(topic.ranks, len(discounts) + 1)] for topic in topics]
    scores = np.array(
        [
            _gained(weights[place], topic, [of[place] for of in labels], steps) / ideals[place]
            for place, topic in enumerate(topics)
        ]
    )
    # What one document more at a level takes from each run's score, (levels, topics, runs).
    losses = (steps[:, None] * slopes / ideals)[:, :, None] * scores
    shared = np.array([one.common @ loss for one, loss in zip(counts, losses, strict=True)])
    estimates = []
    for place, topic in enumerate(topics):
        effects = [
            step * weights[place][:, : len(topic.sample.gains)] / ideals[place]
            - (one.own[place] * loss[place] + (1 - one.own[place]) * all_topics)[:, None]
            for step, one, loss, all_topics in zip(steps, counts, losses, shared, strict=True)
        ]
        estimates.append(_spread(topic.sample, scores[place], effects, [of[place] for of in labels]))
    rise = scores.T @ (ideals / doubted - 1) / len(topics)
    return replace(sum_estimates(estimates), doubt=float(np.abs(rise).mean()))


def _gained(
    weights: FloatArray, topic: RankedTopic, labels: Sequence[CorrectedLabels], steps: FloatArray
) -> FloatArray:
    """Each run's DCG, (runs,)."""
    corrected = sum(step * one.corrected for step, one in zip(steps, labels, strict=True))
    return np.asarray(weights @ np.concatenate([np.asarray(corrected), topic.known]))


def _spread(
    sample: SampledTopic, scores: FloatArray, effects: Sequence[FloatArray], labels: Sequence[CorrectedLabels]
) -> TopicEstimate:
    """Covariances of scores whose errors are those of all levels together."""
    drawn, factor = sample.sampled, left_to_chance(sample)
    errors = np.sum(
        [effect[:, drawn] * one.errors for effect, one in zip(effects, labels, strict=True)], axis=0
    )
    modelled = np.zeros((len(scores), len(scores)))
    for low, lower in enumerate(labels):
        for high, higher in enumerate(labels[low:], low):
            # Who reaches the higher level reaches the lower one, too.
            both = (effects[low] * (factor * higher.predicted * (1 - lower.predicted))) @ effects[high].T
            modelled += both if low == high else both + both.T
    return TopicEstimate(scores, measured_covariance(errors, 1 - sample.inclusion[drawn]), modelled)


def corrected_ap(topics: Sequence[RankedTopic], folds: Sequence[int]) -> FloatArray:
    """Estimate all runs' average precision, (topics, runs), in [0, 1]; any gain above 0 is relevant.

    A document outside population and known gains counts as not relevant.
    """
    level = float(np.finfo(np.float64).tiny)
    parts = [topic.at_level(level) for topic in topics]
    labels = [corrected_labels(*pair) for pair in zip(parts, cross_fitted(parts, folds), strict=True)]
    counts = relevant_counts(topics, parts, labels, level).counts
    return np.array([_ap(*each) for each in zip(topics, labels, counts, strict=True)])


def _ap(topic: RankedTopic, labels: CorrectedLabels, count: float) -> FloatArray:
    gains = np.concatenate([labels.corrected, topic.known > 0])
    ranks = np.where(topic.ranks > 0, topic.ranks.astype(np.float64), np.inf)
    order = np.argsort(ranks, axis=1, kind="stable")
    placed = gains[order]
    # A document's own label counts once in its precision: its square would be no estimate of it.
    above = placed.cumsum(axis=1) - placed
    terms = placed * (above + 1) / np.take_along_axis(ranks, order, axis=1)
    return np.asarray(np.clip(terms.sum(axis=1) / max(count, LEAST_COUNT), 0, 1))
