from __future__ import annotations

import numpy as np
import pytest

from selection.pool import Pools
from selection.simulation.relevance.document_features import FIRST, RunRates, RunSupport
from tests.selection.reference.campaign import pools_of, state_of

P, RUNS, TOPICS = 0.8, 5, 3


def lists(seed: int, runs: int = RUNS) -> list[list[list[int]]]:
    rng = np.random.default_rng(seed)
    return [[rng.permutation(60)[:25].tolist() for _ in range(runs)] for _ in range(TOPICS)]


def slow_mass(ranked: list[list[int]], document: int) -> float:
    return sum(1 / (one.index(document) + 1) for one in ranked if document in one)


def slow_usual(ranked: list[list[int]]) -> float:
    return float(np.mean([np.log(slow_mass(ranked, document)) for one in ranked for document in one[:FIRST]]))


def test_support_and_standing_are_those_of_slow_sums() -> None:
    rankings = lists(1)
    pools = Pools.of(pools_of(rankings, P, [True] * RUNS))
    agreement = RunSupport(pools, RUNS)
    for topic, pool in enumerate(pools):
        mass = np.array([slow_mass(rankings[topic], document) for document in pool.documents.tolist()])
        expected = np.log(mass) - slow_usual(rankings[topic])
        assert agreement.support(topic, mass) == pytest.approx(expected)
    standing = [
        np.mean(
            [
                np.log(slow_mass(ranked, document)) - slow_usual(ranked)
                for ranked in rankings
                for document in ranked[run][:FIRST]
            ]
        )
        for run in range(RUNS)
    ]
    assert agreement.standing == pytest.approx(standing)


def test_support_says_the_same_of_few_runs_and_of_many() -> None:
    once = lists(2)
    thrice = [ranked * 3 for ranked in once]
    few, many = (
        RunSupport(Pools.of(pools_of(rankings, P, [True] * len(rankings[0]))), len(rankings[0]))
        for rankings in (once, thrice)
    )
    mass = np.array([0.1, 1.0, 3.0])
    assert many.support(1, 3 * mass) == pytest.approx(few.support(1, mass))
    assert many.standing == pytest.approx(np.tile(few.standing, 3))


def test_a_run_that_finds_what_no_other_finds_stands_lowest() -> None:
    rankings = lists(3)
    alone = [[*ranked[:-1], list(range(100, 125))] for ranked in rankings]
    standing = RunSupport(Pools.of(pools_of(alone, P, [True] * RUNS)), RUNS).standing
    assert standing.argmin() == RUNS - 1
    assert standing[-1] < 0 < standing[:-1].max()


def test_what_ranks_nothing_and_what_no_run_ranks() -> None:
    pools = pools_of([[[3, 1], []], [[], []]], P, [True, True])
    agreement = RunSupport(Pools.of(pools), 2)
    assert agreement.standing.tolist() == pytest.approx([0.0, 0.0])
    # As what is ranked last of two.
    assert agreement.support(0, np.array([0.0, 0.5])).tolist() == pytest.approx(
        [np.log(0.5) - np.log([1, 0.5]).mean()] * 2
    )
    assert agreement.support(1, np.array([0.0])).tolist() == [0.0]


def test_what_describes_a_document_is_of_length_one_in_its_runs() -> None:
    state = state_of(lists(4), str(P), "A", "campaign", [True] * RUNS)
    for topic in range(TOPICS):
        described = RunRates(state.setting).described(topic)
        documents = len(state.pools[topic])
        assert np.bincount(described.of, described.part**2, documents) == pytest.approx(np.ones(documents))
