"""A campaign of files as what the methods that choose topics take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import FloatArray
from selection.pool import Ids
from selection.topics.lists import POOL_DEPTH, cut_lists, ranked_documents
from selection.topics.performance import TopicSetting


def topic_setting(
    campaign: JudgedCollection, *, measures: tuple[str, ...] = ("AP",), depth: int = POOL_DEPTH, seed: int = 0
) -> TopicSetting:
    """The campaign's topics, each list cut at `depth`.

    Raises FormatError if a run gives all documents of all topics the same score, as the classifier reads
    scores; ValueError for too few runs or an unknown measure.
    """
    for run in range(len(campaign.runs)):
        _refuse_equal_scores(campaign, run)
    numbers = tuple(topic.number for topic in campaign.topics)
    lists = [cut_lists(topic.rankings, topic.scores, depth)[1] for topic in campaign.topics]
    return TopicSetting(lists, numbers, measures, seed)


def pooled_documents(topic: JudgedTopic, depth: int) -> Ids:
    """Documents that any run ranks so deep, as ascending ids: those of the topic's `TopicLists`."""
    return ranked_documents([None if one is None else one[:depth] for one in topic.rankings])


def pooled_relevance(topic: JudgedTopic, depth: int, gain: Callable[[int], float | None]) -> FloatArray:
    """Relevance of these documents: 1 relevant, 0 not, NaN where `gain` of the id is None or NaN."""
    values = [gain(document) for document in pooled_documents(topic, depth).tolist()]
    gains = np.array([np.nan if one is None else one for one in values], dtype=np.float64)
    return np.where(np.isnan(gains), np.nan, gains > 0)


def known_relevance(campaign: JudgedCollection, grading: Grading, depth: int) -> dict[int, FloatArray]:
    """Relevance by the qrels, for each topic that they judge, by its place."""
    relevance = {}
    for place, topic in enumerate(campaign.topics):
        if topic.grades:
            gains = topic.gains(grading)
            relevance[place] = pooled_relevance(topic, depth, gains.__getitem__)
    return relevance


def _refuse_equal_scores(campaign: JudgedCollection, run: int) -> None:
    scores = [of_run for topic in campaign.topics if (of_run := topic.scores[run]) is not None]
    every = np.concatenate([np.zeros(0, np.float32), *scores])
    if len(every) > 1 and every.min() == every.max():
        why = f"gives every document the score {every[0]:g}; topics are chosen by scores that differ"
        raise FormatError(campaign.runs[run], [LineError(None, why)])
