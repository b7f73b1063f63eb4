"""Predicted differences between two runs: of their means, and in each topic, as the worker stored them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from campaigns.models import Campaign, Prediction
from campaigns.models.packed import SCORES, pack, unpack_runs
from campaigns.results.topic_scope import SCOPES, TopicScope
from campaigns.stopping.prediction import PredictionContent
from evaluation.arrays import FloatArray, IntArray
from selection.simulation.prediction import PredictedDifferences


@dataclass(frozen=True)
class Difference:
    """Of the final scores of two runs, the 95% prediction interval, and the expected difference, which is
    None of means."""

    low: float
    high: float
    expected: float | None = None

    def within(self, least: float, most: float) -> Difference:
        """Cut to the certain range: the prediction may know fewer judgments."""
        low, high = (min(max(value, least), most) for value in (self.low, self.high))
        expected = None if self.expected is None else min(max(self.expected, least), most)
        return Difference(low, high, expected)


@dataclass(frozen=True)
class PairDifferences:
    """`means`: by scope; `topics`: by the topic's id, where both runs are watched in each topic."""

    means: Mapping[TopicScope, Difference]
    topics: Mapping[int, Difference]


NO_DIFFERENCES = PairDifferences({}, {})


def pack_differences(found: PredictedDifferences, here: IntArray) -> bytes:
    """Means of the predicted runs `here`, by scope; then the watched runs in each topic."""
    means = (of[np.ix_(here, here)] for of in found.means)
    return b"".join(pack(one, SCORES) for one in (*means, found.expected, found.topics))


def differences_of(*, campaign: Campaign, run: int, other: int) -> PairDifferences:
    """`run` less `other`, by their ids; empty where nothing is predicted, or it is too early to say."""
    rows = Prediction.objects.filter(campaign=campaign, configuration=campaign.configuration)
    row = rows.only("content", "runs", "differences").first()
    if row is None or not row.differences:
        return NO_DIFFERENCES
    content, runs = PredictionContent.from_json(row.content), unpack_runs(row.runs).tolist()
    if content.early or run not in runs or other not in runs:
        return NO_DIFFERENCES
    numbers = np.frombuffer(row.differences, dtype=SCORES).astype(np.float64)
    ends = len(SCOPES) * len(runs) ** 2
    means = numbers[:ends].reshape(len(SCOPES), len(runs), len(runs))
    at = runs.index(run), runs.index(other)
    found = {topics: _interval(one, *at) for topics, one in zip(SCOPES, means, strict=True)}
    return PairDifferences(found, _by_topic(content, numbers[ends:], run, other))


def _interval(ahead: FloatArray, run: int, other: int) -> Difference:
    return Difference(float(ahead[run, other]), -float(ahead[other, run]))


def _by_topic(content: PredictionContent, numbers: FloatArray, run: int, other: int) -> dict[int, Difference]:
    watched, topics = content.watched, content.watched_topics
    if run not in watched or other not in watched:
        return {}
    one, another = watched.index(run), watched.index(other)
    split = len(topics) * len(watched)
    expected = numbers[:split].reshape(len(topics), len(watched))
    ahead = numbers[split:].reshape(len(topics), len(watched), len(watched))
    return {
        topic: Difference(
            float(ahead[at, one, another]),
            -float(ahead[at, another, one]),
            float(expected[at, one] - expected[at, another]),
        )
        for at, topic in enumerate(topics)
    }
