"""Predicted differences between two runs: of their means, and in each topic, as the worker stored them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from campaigns.core.jobs import request_prediction
from campaigns.models import Campaign
from campaigns.models.packed import DIFFERENCES, pack, unpack_runs
from campaigns.predictions.prediction import ZERO_RUN, PredictionContent, present_predictions
from campaigns.results.topic_scope import SCOPES, TopicScope
from evaluation.arrays import FloatArray, IntArray
from selection.simulation.prediction import PredictedDifferences


@dataclass(frozen=True)
class Difference:
    """Difference of the final scores of two runs: the 95% prediction interval, and the expected difference,
    which is None for means."""

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
    """`means`: by scope; `topics`: by the topic's id, where both runs are watched in each topic. `coming`:
    whether the worker was asked to watch them."""

    means: Mapping[TopicScope, Difference]
    topics: Mapping[int, Difference]
    coming: bool = False


NO_DIFFERENCES = PairDifferences({}, {})


def pack_differences(differences: PredictedDifferences, here: IntArray) -> bytes:
    """Means of the predicted runs `here`, by scope; then the watched runs in each topic."""
    means = (of[np.ix_(here, here)] for of in differences.means)
    return b"".join(pack(one, DIFFERENCES) for one in (*means, differences.expected, differences.topics))


def differences_of(*, campaign: Campaign, run: int, other: int) -> PairDifferences:
    """`run` less `other`, by their ids; empty where nothing is predicted, or it is too early to say. What is
    not known of topics is asked of the worker."""
    stored = _stored(campaign)
    if stored is None or not {run, other} <= stored.places.keys():
        return NO_DIFFERENCES
    means = {topics: _interval(one, stored.places[run], stored.places[other]) for topics, one in stored.means}
    topics = _by_topic(stored.content, stored.by_topic, run, other)
    if not topics:
        request_prediction(campaign.id, [run, other])
    return PairDifferences(means, topics, coming=not topics)


@dataclass(frozen=True)
class TopicScores:
    """A run's predicted scores, by the topic's id; `coming` as in `PairDifferences`."""

    topics: Mapping[int, Difference]
    coming: bool = False


def topic_scores_of(*, campaign: Campaign, run: int) -> TopicScores:
    """Topic scores of a run, by its id; empty as `differences_of`."""
    stored = _stored(campaign)
    if stored is None or run not in stored.places:
        return TopicScores({})
    topics = _by_topic(stored.content, stored.by_topic, run, ZERO_RUN)
    if not topics:
        request_prediction(campaign.id, [run])
    return TopicScores(topics, coming=not topics)


def run_scores_in(*, campaign: Campaign, topic: int) -> Mapping[int, Difference]:
    """Predicted scores in a topic, by its id and the run's, of the runs that are watched in each topic."""
    stored = _stored(campaign)
    if stored is None:
        return {}
    pairs = [(run, ZERO_RUN) for run in stored.content.watched if run != ZERO_RUN]
    return {run: score for (run, _), score in _in_topic(stored, topic, pairs).items()}


def pair_differences_in(
    *, campaign: Campaign, topic: int, pairs: Collection[tuple[int, int]]
) -> Mapping[tuple[int, int], Difference]:
    """Predicted differences in a topic, by its id, of those of the pairs of runs that are watched in it."""
    stored = _stored(campaign)
    return {} if stored is None else _in_topic(stored, topic, pairs)


MeanDifferences = Callable[[int, int], Difference | None]


def mean_differences_of(*, campaign: Campaign, topics: TopicScope = "all") -> MeanDifferences:
    """Differences of one run less another, by their ids, over the topics of the scope; None for all, as
    `differences_of`."""
    stored = _stored(campaign)
    ahead = None if stored is None else dict(stored.means).get(topics)
    if stored is None or ahead is None:
        return lambda run, other: None
    places = stored.places

    def between(run: int, other: int) -> Difference | None:
        known = run in places and other in places
        return _interval(ahead, places[run], places[other]) if known else None

    return between


@dataclass(frozen=True, eq=False)
class _StoredDifferences:
    """`means`: by scope, by how much each of `runs` is ahead of each other one at least; `by_topic`: what
    follows them in the row."""

    content: PredictionContent
    runs: list[int]
    means: list[tuple[TopicScope, FloatArray]]
    by_topic: FloatArray

    @cached_property
    def places(self) -> dict[int, int]:
        return {run: place for place, run in enumerate(self.runs)}


def _stored(campaign: Campaign) -> _StoredDifferences | None:
    rows = present_predictions(campaign.id, campaign.configuration)
    row = rows.only("content", "runs", "differences").first()
    if row is None or not row.differences:
        return None
    content, runs = PredictionContent.from_json(row.content), unpack_runs(row.runs).tolist()
    scopes = [topics for topics, one in (content.scores or {}).items() if not one.early]
    if not scopes:
        return None
    numbers = np.frombuffer(row.differences, dtype=DIFFERENCES).astype(np.float64)
    ends = len(SCOPES) * len(runs) ** 2
    means = numbers[:ends].reshape(len(SCOPES), len(runs), len(runs))
    by_scope = [(topics, one) for topics, one in zip(SCOPES, means, strict=True) if topics in scopes]
    return _StoredDifferences(content, runs, by_scope, numbers[ends:])


def _interval(ahead: FloatArray, run: int, other: int) -> Difference:
    return Difference(float(ahead[run, other]), -float(ahead[other, run]))


def _in_topic(
    stored: _StoredDifferences, topic: int, pairs: Collection[tuple[int, int]]
) -> dict[tuple[int, int], Difference]:
    differences = {pair: _by_topic(stored.content, stored.by_topic, *pair, only=topic) for pair in pairs}
    return {pair: topics[topic] for pair, topics in differences.items() if topics}


def _by_topic(
    content: PredictionContent, numbers: FloatArray, run: int, other: int, *, only: int | None = None
) -> dict[int, Difference]:
    """Differences by topic; `only`: of this one."""
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
        if only in (None, topic)
    }
