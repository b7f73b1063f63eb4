"""Confidence in the order of runs by average precision: calibrated, and as published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.measured_rankings import Relevance
from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.mtc import Confidences, confidences
from selection.simulation.precision_draws import DrawnPrecision


@dataclass(frozen=True, eq=False)
class PairConfidences:
    """Confidence in each pair of runs given best first, (pairs,): the expected difference of the first in
    mean AP, its standard deviation, and the confidence that it is above 0: calibrated, a lower bound, and as
    published."""

    expected: FloatArray
    deviation: FloatArray
    confidence: FloatArray
    published_expected: FloatArray
    published_deviation: FloatArray
    published_confidence: FloatArray


@dataclass(frozen=True, eq=False)
class PrecisionMatrices:
    """Mean average precision of some runs by draws of the calibrated model, and by a published one."""

    drawn: DrawnPrecision
    published: Confidences


def precision_matrices(
    campaign: JudgedCollection,
    runs: IntArray,
    grading: Grading,
    relevance: Relevance,
    progress: Callable[[], object] = lambda: None,
) -> PrecisionMatrices:
    """All pairs of these runs, by index; `progress` is called twice for each topic.

    Under a published model the variance is the published one, without the term that only lowers it.
    """
    calibrated = replace(relevance, model="model").fit(campaign, grading).fitted
    assert calibrated is not None
    drawn = calibrated.precision(runs, progress)
    topics = []
    for topic in campaign.topics:
        pool = relevance.published.expected(topic, grading)
        topics.append(([pool.rankings[run] for run in runs], pool.relevance))
        progress()
    return PrecisionMatrices(drawn, confidences(topics))


def pair_confidences(
    campaign: JudgedCollection,
    runs: IntArray,
    grading: Grading,
    relevance: Relevance,
    progress: Callable[[], object] = lambda: None,
) -> PairConfidences:
    """All pairs, in the order of `evaluation.comparison.pairs.ordered_pairs`, as `precision_matrices` has
    them."""
    both = precision_matrices(campaign, runs, grading, relevance, progress)
    drawn, estimates = both.drawn, both.published
    each = (drawn.expected(), drawn.deviation(), drawn.confidence())
    published = (estimates.difference, np.sqrt(estimates.variance), estimates.confidence)
    pairs = np.triu_indices(len(runs), 1)
    return PairConfidences(*(values[pairs] for values in (*each, *published)))
