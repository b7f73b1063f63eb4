"""Confidence in the order of runs by average precision: calibrated, and as published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.measured_rankings import Relevance
from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.mtc import confidences


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


def pair_confidences(
    campaign: JudgedCollection,
    runs: IntArray,
    grading: Grading,
    relevance: Relevance,
    progress: Callable[[], object] = lambda: None,
) -> PairConfidences:
    """All pairs, in the order of `evaluation.comparison.pairs.ordered_pairs`; `progress` is called twice for
    each topic.

    Under a published model the variance is the published one, without the term that only lowers it.
    """
    pairs = np.triu_indices(len(runs), 1)
    calibrated = replace(relevance, model="model").fit(campaign, grading).fitted
    assert calibrated is not None
    drawn = calibrated.precision(runs, progress)
    topics = []
    for topic in campaign.topics:
        pool = relevance.published.expected(topic, grading)
        topics.append(([pool.rankings[run] for run in runs], pool.relevance))
        progress()
    estimates = confidences(topics)
    each = (drawn.expected(), drawn.deviation(), drawn.confidence())
    published = (estimates.difference, np.sqrt(estimates.variance), estimates.confidence)
    return PairConfidences(*(values[pairs] for values in (*each, *published)))
