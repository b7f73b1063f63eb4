"""Widths of intervals from random samples of other sizes: how many topics, how many judgments in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.corrected import (
    CorrectedScores,
    SampledTopic,
    corrected_labels,
    cross_fitted,
)
from evaluation.estimation.inclusion import sampling_inclusion

# Judgments a topic and numbers of topics that are planned for, beside the present number.
JUDGMENTS, TOPICS = (5, 10, 15, 20, 30), (30, 50, 100, 200)
# Among so many runs of the highest scores, a pair is planned for.
BEST_RUNS = 10


@dataclass(frozen=True)
class PlannedWidth:
    """Half the width of the interval of a difference, in the middle of the pairs of the best runs, with so
    many topics and judgments in each: on these topics, and on topics like these."""

    topics: int
    judgments: int
    half_width: float
    topics_half_width: float


def planned_widths(
    samples: Sequence[SampledTopic],
    sizes: Sequence[FloatArray],
    folds: Sequence[int],
    scores: CorrectedScores,
) -> list[PlannedWidth]:
    """Plan with the spread of topics and the model of this sample.

    `sizes`: of each topic's documents, by which they are drawn. The part of a difference's variance that is
    left to chance shrinks as the model has it; what topics differ by does not.
    """
    runs = np.argsort(-scores.scores, kind="stable")[:BEST_RUNS]
    present = len(samples)
    if len(runs) < 2 or present < 2:
        return []
    sampling, between = _components(scores, runs)
    now = _chance(samples, folds, [topic.inclusion for topic in samples])
    if not now:
        return []
    planned = []
    for judgments in JUDGMENTS:
        chances = [sampling_inclusion(of_topic, judgments) for of_topic in sizes]
        share = _chance(samples, folds, chances) / now
        planned += [
            PlannedWidth(
                topics,
                judgments,
                _half(present * sampling * share / topics, topics),
                _half((between + present * sampling * share) / topics, topics),
            )
            for topics in sorted({present, *TOPICS})
        ]
    return planned


def _components(scores: CorrectedScores, runs: IntArray) -> tuple[float, float]:
    """Medians over pairs of the best runs: the variance of a difference that is left to chance, and the
    variance of its values between topics without that."""
    upper = np.triu_indices(len(runs), 1)
    topics = len(scores.by_topic)
    quantile = scipy.stats.t.ppf(0.975, topics - 1)
    sampling = (scores.pair_half_widths()[np.ix_(runs, runs)][upper] / quantile) ** 2
    values = scores.by_topic[:, runs]
    differences = values[:, upper[0]] - values[:, upper[1]]
    between = np.maximum(differences.var(axis=0, ddof=1) - topics * sampling, 0)
    return float(np.median(sampling)), float(np.median(between))


def _chance(samples: Sequence[SampledTopic], folds: Sequence[int], inclusions: Sequence[FloatArray]) -> float:
    """Sum over runs and topics of the modelled variance with these probabilities."""
    total = 0.0
    for topic, coefficients, inclusion in zip(samples, cross_fitted(samples, folds), inclusions, strict=True):
        believed = corrected_labels(topic, coefficients).believed
        spread = (1 - inclusion) / inclusion * believed * (1 - believed)
        total += float((topic.weights**2 @ spread).sum())
    return total


def _half(variance: float, topics: int) -> float:
    return float(scipy.stats.t.ppf(0.975, topics - 1) * np.sqrt(variance))
