"""How sure the judgments make it that one run has the higher mean average precision than another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.management.offline.files import OfflineCampaign
from campaigns.management.offline.relevance import Relevance
from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.mtc import confidences


@dataclass(frozen=True, eq=False)
class PairConfidences:
    """Of each pair of runs given best first, (pairs,): the expected difference of the first, its standard
    deviation, and the probability that it is above 0."""

    expected: FloatArray
    deviation: FloatArray
    confidence: FloatArray


def pair_confidences(
    campaign: OfflineCampaign,
    runs: IntArray,
    grading: Grading,
    relevance: Relevance,
    progress: Callable[[], object] = lambda: None,
) -> PairConfidences:
    """All pairs, in the order of `evaluation.comparison.pairs.ordered_pairs`.

    The variance is the published one, without the term that only lowers it: never too sure.
    """
    topics = []
    for topic in campaign.topics:
        pool = relevance.expected(topic, grading)
        topics.append(([pool.rankings[run] for run in runs], pool.relevance))
        progress()
    found = confidences(topics)
    better, worse = np.triu_indices(len(runs), 1)
    deviation = np.sqrt(found.variance[better, worse])
    return PairConfidences(found.difference[better, worse], deviation, found.confidence[better, worse])
