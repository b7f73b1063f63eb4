from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

from selection.simulation.planning import (
    PlannedNumber,
    PlannedTrajectory,
    complete_scores,
    judged_documents,
    judgments_until,
    pool_sizes,
    tau_b,
    trajectory_of,
    with_judgments,
)
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.campaign import pools_of

P, DEPTH, RUNS, TOPICS = 0.7, 6, 5, 3


def world(seed: int) -> tuple[list[list[list[int]]], list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    rankings = [[rng.permutation(20)[:DEPTH].tolist() for _ in range(RUNS)] for _ in range(TOPICS)]
    return rankings, [(rng.random(20) < 0.4).astype(float) for _ in range(TOPICS)]


def fresh(rankings: list[list[list[int]]], method: str = "C") -> CampaignState:
    pools = pools_of(rankings, P, [True] * RUNS)
    every = np.ones(RUNS, dtype=bool)
    return CampaignState(
        pools,
        CampaignSpec(runs=RUNS, p=P, method=method, scope="campaign", contributing=every),
    )


def slow_score(ranked: list[int], gains: np.ndarray, judged: set[int]) -> tuple[float, float]:
    base, residual = 0.0, P ** len(ranked)
    for place, document in enumerate(ranked):
        weight = (1 - P) * P**place
        base += weight * gains[document] * (document in judged)
        residual += weight * (document not in judged)
    return base, residual


@pytest.mark.parametrize("method", ["pooling", "C"])
def test_a_course_is_that_of_slow_scores(method: str) -> None:
    rankings, truth = world(4)
    state = fresh(rankings, method)
    gains = [truth[topic][pool.documents] for topic, pool in enumerate(state.pools)]
    course = trajectory_of(state, gains.__getitem__, budget=30, points=6)
    assert course.judged.tolist() == [0, 5, 10, 15, 20, 25, 30]
    again, judged = fresh(rankings, method), [set[int]() for _ in range(TOPICS)]
    everything = [set(range(20))] * TOPICS

    def scores(known: list[set[int]]) -> np.ndarray:
        return np.array(
            [
                np.mean([slow_score(rankings[t][run], truth[t], known[t]) for t in range(TOPICS)], axis=0)
                for run in range(RUNS)
            ]
        )

    final = scores(everything)[:, 0]
    assert complete_scores(state.pools, RUNS, P, gains.__getitem__) == pytest.approx(final)
    for made in range(31):
        if made in course.judged:
            at = course.judged.tolist().index(made)
            now = scores(judged)
            assert course.residual[at] == pytest.approx(now[:, 1].mean())
            if made:
                assert course.tau[at] == pytest.approx(kendalltau(np.round(now[:, 0], 12), final).statistic)
            else:
                assert np.isnan(course.tau[at])
        choice = again.best()
        assert choice is not None
        again.judge(choice.topic, choice.document, float(gains[choice.topic][choice.document]))
        judged[choice.topic].add(int(again.pools[choice.topic].documents[choice.document]))


def test_a_course_ends_where_the_pool_does() -> None:
    rankings, truth = world(1)
    state = fresh(rankings)
    every = sum(len(pool) for pool in state.pools)
    gains = [truth[topic][pool.documents] for topic, pool in enumerate(state.pools)]
    course = trajectory_of(state, gains.__getitem__, budget=every + 100, points=3)
    assert course.judged[-1] == every
    assert course.tau[-1] == pytest.approx(1)
    assert course.residual[-1] == pytest.approx(P**DEPTH)


def test_tau_with_ties_is_scipys() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = rng.integers(0, 5, (2, 9)) / 10
        assert tau_b(one, other) == pytest.approx(kendalltau(one, other).statistic)


def test_when_a_wish_is_met() -> None:
    judged = np.array([0, 10, 20, 30])
    course = PlannedTrajectory(judged, np.array([1.0, 0.5, 0.25, 0.2]), np.array([np.nan, 0.9, 0.6, 0.8]))
    until = judgments_until
    assert until(course, course.residual, 0.5, rising=False) == 10
    assert until(course, course.residual, 0.1, rising=False) is None
    assert until(course, course.residual, 1.0, rising=False) == 0
    # It was above for a while, and has to stay there.
    assert until(course, course.tau, 0.7, rising=True) == pytest.approx(25)
    assert until(course, course.tau, 0.5, rising=True) == 10


def test_pool_sizes_are_counted_documents() -> None:
    rankings, _ = world(2)
    contributing = np.array([True, False, True, True, False])
    pools = pools_of(rankings, P, contributing.tolist())
    state = CampaignState(
        pools,
        CampaignSpec(runs=RUNS, p=P, method="A", scope="topic", contributing=contributing),
    )
    expected = [
        (
            depth,
            sum(len({d for run in (0, 2, 3) for d in ranked[run][:depth]}) for ranked in rankings),
        )
        for depth in (1, 2, 5, 6)
    ]
    assert pool_sizes(state) == expected


@pytest.mark.parametrize("wrong", [{"budget": 0}, {"budget": 1, "points": 0}])
def test_what_is_refused(wrong: dict[str, Any]) -> None:
    rankings, truth = world(0)
    with pytest.raises(ValueError, match="= 0 is below 1"):
        trajectory_of(fresh(rankings), truth.__getitem__, **wrong)


@pytest.mark.parametrize(
    ("low", "high", "tells"),
    [
        (40, 400, True),
        (40, 401, False),
        (0, 10, True),
        (0, 11, False),
        # Without an end, a range goes up to the budget at least.
        (50, None, True),
        (49, None, False),
        # All of it lies beyond the budget: that is said.
        (None, None, True),
    ],
)
def test_a_range_is_stated_within_a_factor_of_ten(low: int | None, high: int | None, tells: bool) -> None:
    assert PlannedNumber(low, low, high, 500, 1.0).tells is tells


@pytest.mark.parametrize("method", ["pooling", "C", "maxmean"])
def test_a_course_goes_on_from_the_judgments_made(method: str) -> None:
    """Two halves of a campaign are the whole; runs that are not compared count in neither figure."""
    rankings, truth = world(7)
    compared = np.array([0, 1, 3])
    whole = fresh(rankings, method)
    gains = [truth[topic][pool.documents] for topic, pool in enumerate(whole.pools)]
    every = trajectory_of(whole, gains.__getitem__, budget=30, points=30, compared=compared)
    now = fresh(rankings, "A")
    trajectory_of(now, gains.__getitem__, budget=12)
    begun = with_judgments(now, fresh(rankings, method))
    assert judged_documents(begun) == 12
    base, residual = now.mean_bounds()
    course = trajectory_of(begun, gains.__getitem__, budget=30, points=9, compared=compared)
    assert course.judged.tolist() == list(range(12, 31, 2))
    assert course.residual[0] == pytest.approx(residual[compared].mean())
    final = complete_scores(now.pools, RUNS, P, gains.__getitem__)
    assert course.tau[0] == pytest.approx(tau_b(base[compared], final[compared]), nan_ok=True)
    # A method that goes on with its own judgments makes the course that it would have made.
    again = fresh(rankings, method)
    trajectory_of(again, gains.__getitem__, budget=12)
    own = with_judgments(again, fresh(rankings, method))
    later = trajectory_of(own, gains.__getitem__, budget=30, points=9, compared=compared)
    assert later.residual == pytest.approx(every.residual[12::2])
    # Documents outside the pools count.
    more = trajectory_of(own.copy(), gains.__getitem__, budget=40, judged=35)
    assert more.judged.tolist()[0] == 35
