"""Scores with the judgments of a pool, against a slow computation of each run and topic alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from evaluation.measures.bounds import dcg_weighting
from evaluation.names import parse_measure
from selection.studies.known_collection import KnownCollection, KnownTopic
from selection.studies.known_scores import judged_gains, run_means, run_scores, topic_rankings
from tests.selection.studies.known_collections import (
    known_collection,
    known_topic,
    random_collection,
)


def pool_of(known: KnownCollection, topic: int, depth: int) -> set[int]:
    rankings = known.topics[topic].rankings
    return {int(d) for ranking in rankings if ranking is not None for d in ranking[:depth]}


def slow_gains(known: KnownCollection, run: int, topic: int, depth: int) -> list[float]:
    """In rank order; 0 where the pool has no judgment."""
    ranking, gains = known.topics[topic].rankings[run], known.topics[topic].gains
    inside = pool_of(known, topic, depth)
    every = [] if ranking is None else ranking.tolist()
    return [float(gains[d]) if d in inside and not np.isnan(gains[d]) else 0.0 for d in every]


def slow_average_precision(known: KnownCollection, run: int, topic: int, depth: int) -> float:
    relevant = sum(float(known.topics[topic].gains[d]) > 0 for d in pool_of(known, topic, depth))
    found, total = 0, 0.0
    for rank, gain in enumerate(slow_gains(known, run, topic, depth), 1):
        if gain > 0:
            found += 1
            total += found / rank
    return total / relevant if relevant else 0.0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("depth", [1, 2, 5, 12])
def test_scores_are_those_of_each_run_and_topic_alone(seed: int, depth: int) -> None:
    known = random_collection(seed)
    ap, rbp = run_scores(known, "AP", depth), run_scores(known, "RBP(p=0.8)", depth)
    for run in range(len(known.runs)):
        for topic in range(len(known.topics)):
            assert ap[run, topic] == pytest.approx(slow_average_precision(known, run, topic, depth))
            gains = slow_gains(known, run, topic, depth)
            assert rbp[run, topic] == pytest.approx(sum(0.2 * 0.8**at * g for at, g in enumerate(gains)))


def test_deeper_pools_never_lower_rbp() -> None:
    known = random_collection(3)
    scores = [run_scores(known, "RBP(p=0.95)", depth) for depth in (1, 2, 4, 8, 12)]
    assert all((deep >= shallow - 1e-12).all() for shallow, deep in pairwise(scores))


def test_all_judgments_count_relevant_documents_that_no_run_ranks() -> None:
    known = known_collection([known_topic("1", [[0, 1], [1, 0]], [1, 0], unranked=[1.0, 0.0])])
    assert run_scores(known, "AP")[:, 0].tolist() == [0.5, 0.25]
    assert run_scores(known, "AP", 2)[:, 0].tolist() == [1.0, 0.5]
    assert run_means(known, "AP").tolist() == [0.5, 0.25]


def test_qrels_of_relevant_documents_alone_judge_all_others_not_relevant() -> None:
    topics = [known_topic("1", [[0, 1]], [1, np.nan]), known_topic("2", [[1, 0]], [np.nan, np.nan], [1.0])]
    assert [gains.tolist() for gains in judged_gains(known_collection(topics))] == [[1, 0], [0, 0]]
    # One document that is judged not relevant shows that the others were not judged.
    topics[1] = known_topic("2", [[1, 0]], [np.nan, 0])
    first, second = judged_gains(known_collection(topics))
    assert np.isnan(first[1])
    assert np.isnan(second[0])


def test_the_pool_is_that_of_all_runs() -> None:
    known = known_collection([known_topic("1", [[0, 1, 2], [2, 1, 0]], [1, 0, 1])])
    gains = topic_rankings(known, 0, depth=1, runs=[1]).gains
    np.testing.assert_array_equal(gains, [[1, np.nan, 1]])


def test_a_run_that_misses_a_topic_scores_0_there() -> None:
    known = known_collection([known_topic("1", [None, [0]], [1])])
    assert run_scores(known, "RBP(p=0.5)", 1)[:, 0].tolist() == [0.0, 0.5]


def test_a_measure_that_needs_more_than_gains_is_refused() -> None:
    with pytest.raises(ValueError, match="statAP needs more than gains: drawn"):
        run_scores(random_collection(1), "statAP")


def test_cumulated_gain_reads_grades_and_other_measures_gains() -> None:
    """Of a topic judged to depth 1, only what is pooled has a grade."""
    lists = [np.array([0, 1, 2], np.int32), np.array([1, 0, 2], np.int32)]
    scores = [np.array([3.0, 2.0, 1.0])] * 2
    grades, gains = np.array([1.0, 3.0, -2.0]), np.array([1.0, 1.0, 0.0])
    topic = KnownTopic("1", lists, scores, gains, np.array([1.0]), grades, np.array([2.0]))
    plain = replace(topic, grades=None, unranked_grades=None)
    graded, binary = (KnownCollection(("a", "b"), [one], np.arange(2)) for one in (topic, plain))
    best = 3 + 2 / np.log2(3) + 1 / 2
    assert run_scores(graded, "nDCG")[:, 0] == pytest.approx(
        [(1 + 3 / np.log2(3)) / best, (3 + 1 / np.log2(3)) / best]
    )
    shallow = 3 + 1 / np.log2(3)
    assert run_scores(graded, "nDCG", 1)[:, 0] == pytest.approx([(1 + 3 / np.log2(3)) / shallow, 1])
    assert run_scores(binary, "nDCG", 1)[:, 0] == pytest.approx([1, 1])
    assert run_scores(graded, "RBP").tolist() == run_scores(binary, "RBP").tolist()
    assert graded.fingerprint() != binary.fingerprint()
    # Bounds reach to the highest grade of the collection.
    assert parse_measure("DCG@3").scores(topic_rankings(graded, 0)).full == 3 * dcg_weighting(3).full
