"""Scores of a collection's runs by any measure, with the judgments that a pool of some depth gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.graded_measures import CumulatedMeasure
from evaluation.measure import GradedRankings, Measure, Rankings, pad_rankings
from evaluation.names import parse_measure
from selection.pool import Ids
from selection.studies.known_collection import KnownCollection, KnownTopic
from selection.topics.lists import ranked_documents


def judged_gains(known: KnownCollection) -> list[FloatArray]:
    """Gains of each topic's documents, NaN where not judged.

    Qrels that name no document with gain 0 list the relevant ones of a collection judged in full: every other
    document has gain 0.
    """
    return known.cached("judged gains", lambda: _judged_gains(known))


def _judged_gains(known: KnownCollection) -> list[FloatArray]:
    if any((topic.gains == 0).any() or (topic.unranked == 0).any() for topic in known.topics):
        return [topic.gains for topic in known.topics]
    return [np.nan_to_num(topic.gains) for topic in known.topics]


def pooled_documents(topic: KnownTopic, depth: int) -> IntArray:
    """The documents that any run ranks so deep, ascending."""
    return ranked_documents([None if ranking is None else ranking[:depth] for ranking in topic.rankings])


def topic_rankings(
    known: KnownCollection, place: int, depth: int | None = None, runs: Sequence[int] | None = None
) -> Rankings:
    """Input of measures for one topic.

    Parameters
    ----------
    known : KnownCollection
    place : int
        Of the topic.
    depth : int, optional
        Only judgments of documents that any run ranks so deep; all judgments if missing.
    runs : sequence of int, optional
        Only these, in this order; all if missing. The pool is that of all runs in any case.
    """
    topic, gains = known.topics[place], judged_gains(known)[place]
    beyond = topic.unranked
    if depth is not None:
        inside = pooled_documents(topic, depth)
        pooled = np.full(len(gains), np.nan)
        pooled[inside] = gains[inside]
        gains, beyond = pooled, np.zeros(0)
    rankings = [topic.rankings[run] for run in (range(len(known.runs)) if runs is None else runs)]
    lists = [np.zeros(0) if ranking is None else gains[ranking] for ranking in rankings]
    return Rankings(
        pad_rankings(lists),
        np.concatenate([gains[~np.isnan(gains)], beyond]),
        lengths=np.array([len(one) for one in lists]),
        graded=_graded(known, topic, rankings, gains, whole=depth is None),
    )


def _graded(
    known: KnownCollection, topic: KnownTopic, rankings: Sequence[Ids | None], gains: FloatArray, whole: bool
) -> GradedRankings | None:
    """Grades of the documents that have gains; `whole`: also of those that no run ranks."""
    if topic.grades is None:
        return None
    # What has a gain and no grade is not relevant, as the qrels list the relevant ones only.
    grades = np.where(np.isnan(gains), np.nan, np.nan_to_num(topic.grades))
    beyond = topic.unranked_grades if whole and topic.unranked_grades is not None else np.zeros(0)
    lists = [np.zeros(0) if ranking is None else grades[ranking] for ranking in rankings]
    judged = np.concatenate([grades[~np.isnan(grades)], beyond])
    highest = known.cached("highest grade", lambda: _highest_grade(known))
    return GradedRankings(pad_rankings(lists), judged, highest=highest)


def _highest_grade(known: KnownCollection) -> float:
    every = [array for topic in known.topics for array in (topic.grades, topic.unranked_grades)]
    return max(float(np.fmax.reduce(array, initial=0.0)) for array in every if array is not None)


def run_scores(known: KnownCollection, measure: str | Measure, depth: int | None = None) -> FloatArray:
    """Scores (runs, topics) by a measure; an unjudged document counts as not relevant.

    Raises ValueError if no measure has this name, or it needs more than gains.
    """
    of = parse_measure(measure) if isinstance(measure, str) else measure
    if of.needs is not None and not isinstance(of, CumulatedMeasure):
        raise ValueError(f"{of.name} needs more than gains: {of.needs}")
    scores = [of.scores(topic_rankings(known, place, depth)).score for place in range(len(known.topics))]
    return np.stack(scores, axis=1)


def run_means(known: KnownCollection, measure: str) -> FloatArray:
    """Means (runs,) over all topics by all judgments, computed once for each measure."""
    return known.cached(("means", measure), lambda: run_scores(known, measure).mean(axis=1))
