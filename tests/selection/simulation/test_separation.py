"""Forecasts of what the prediction decides next."""

from __future__ import annotations

import numpy as np
import pytest

from selection.pool import build_topic_pool, identical_runs
from selection.simulation.prediction import predict
from selection.simulation.separation import SEPARATED, SeparationForecast, marks_of, separation_forecast
from selection.simulation.topic_sample import TopicPopulation, of_topics
from selection.specification import CampaignSpec
from selection.state import CampaignState

RUNS, TOPICS, DEPTH = 4, 6, 20


def campaign(judged: int, seed: int = 0) -> tuple[CampaignState, list[np.ndarray]]:
    """Run 0 finds more than the others; so many documents are judged in Method A's order."""
    rng = np.random.default_rng(seed)
    everyone = np.ones(RUNS, dtype=np.bool_)
    pools, truths = [], []
    for _ in range(TOPICS):
        relevant = rng.random(60) < 0.4
        noise = rng.random((RUNS, 60)) * np.array([[1.2], [2.0], [2.2], [3.0]])
        lists = [np.argsort(-(relevant + own), kind="stable")[:DEPTH] for own in noise]
        pools.append(build_topic_pool(lists, 0.8, everyone))
        truths.append(relevant[pools[-1].documents].astype(float))
    state = CampaignState(
        pools,
        CampaignSpec(runs=RUNS, p=0.8, method="A", scope="campaign", contributing=everyone),
    )
    for _ in range(judged):
        choice = state.best()
        assert choice is not None
        state.judge(choice.topic, choice.document, float(truths[choice.topic][choice.document]))
    return state, truths


def asked(judged: int, horizon: int = 200, seed: int = 1) -> SeparationForecast | None:
    return separation_forecast(campaign(judged)[0], horizon=horizon, seed=seed)


def test_nothing_is_forecast_below_three_judgments_a_topic() -> None:
    assert asked(2 * TOPICS) is None
    assert asked(3 * TOPICS) is not None


def test_what_is_decided_needs_no_forecast() -> None:
    state, _ = campaign(3 * TOPICS)
    found = separation_forecast(state, horizon=300, seed=1)
    assert found is not None
    [now] = predict(state, seed=1)
    upper = now.better[np.triu_indices(RUNS, 1)]
    assert (found.pair is None) == bool((np.maximum(upper, 1 - upper) >= SEPARATED).all())
    assert (found.best is None) == bool(now.best.max() >= SEPARATED)


def test_no_pair_separates_before_the_first_one() -> None:
    found = asked(24, horizon=300)
    assert found is not None
    assert found.pair is not None
    assert found.pairs
    for one in found.pairs.values():
        assert (one.low or 301) >= (found.pair.low or 301)
        assert (one.median or 301) >= (found.pair.median or 301)
        assert one.passed <= found.pair.passed


def test_only_open_pairs_are_forecast() -> None:
    state, _ = campaign(3 * TOPICS)
    found = separation_forecast(state, horizon=300, seed=1)
    [now] = predict(state, seed=1)
    assert found is not None
    open_ = {
        frozenset((one, other))
        for one in range(RUNS)
        for other in range(one)
        if max(now.better[one, other], now.better[other, one]) < SEPARATED
    }
    assert set(map(frozenset, found.pairs)) == open_


def test_the_same_seed_gives_the_same_forecast_and_leaves_the_state_alone() -> None:
    state, _ = campaign(24)
    before = state.base.copy()
    assert separation_forecast(state, horizon=100, seed=3) == separation_forecast(state, horizon=100, seed=3)
    assert np.array_equal(state.base, before)


def test_ends_enclose_the_median_and_a_near_horizon_says_more_than() -> None:
    far, near = asked(24, horizon=300), asked(24, horizon=1)
    assert far is not None
    assert near is not None
    for one in (far.pair, far.best):
        if one is not None and one.median is not None:
            assert one.low is not None
            assert one.low <= one.median <= (one.high or one.horizon + 1)
    assert near.best is None or near.best.horizon == 1


def test_when_all_is_judged_everything_is_decided() -> None:
    found = asked(24, horizon=10_000)
    assert found is not None
    for one in (found.pair, found.best):
        assert one is None or one.passed == 1


def test_a_sample_of_all_topics_forecasts_what_they_do() -> None:
    state, _ = campaign(24)
    every = TopicPopulation(TOPICS, *state.mean_bounds())
    part = of_topics(state, range(TOPICS), served=True)
    assert separation_forecast(part, horizon=300, seed=2, population=every) == separation_forecast(
        state, horizon=300, seed=2
    )


def test_a_sample_forecasts_as_many_judgments_as_all_topics_need() -> None:
    """Of copies of the same topics, each needs as many judgments: n copies, n times as many."""
    state, _ = campaign(24)
    alone = separation_forecast(state, horizon=100, seed=2)
    tripled = TopicPopulation(3 * TOPICS, *state.mean_bounds())
    found = separation_forecast(state, horizon=300, seed=2, population=tripled)
    assert alone is not None
    assert found is not None
    assert found.pair is not None
    assert found.pair.horizon == 300
    known = [one.median for one in found.pairs.values() if one.median is not None]
    assert known
    assert all(median >= 3 for median in known)
    # The deviation of the sample from all topics takes judgments, too.
    for pair, one in alone.pairs.items():
        if one.median is not None and pair in found.pairs:
            assert (found.pairs[pair].median or 301) >= one.median


def test_the_last_judgment_leaves_no_sampling_error() -> None:
    """When the sample is judged, so are the topics that it stands for."""
    state, _ = campaign(24)
    every = TopicPopulation(4 * TOPICS, *state.mean_bounds())
    found = separation_forecast(state, horizon=40_000, seed=2, population=every)
    assert found is not None
    assert all(one is None or one.passed == 1 for one in (found.pair, found.best))


@pytest.mark.parametrize(("horizon", "seed"), [(0, 1), (10, -1)])
def test_numbers_outside_their_range_are_refused(horizon: int, seed: int) -> None:
    with pytest.raises(ValueError, match="below"):
        asked(24, horizon=horizon, seed=seed)


def test_marks_end_at_the_horizon() -> None:
    assert marks_of(1).tolist() == [1]
    assert marks_of(1000)[[0, -1]].tolist() == [5, 1000]
    assert (np.diff(marks_of(37)) > 0).all()


def test_identical_runs_are_those_with_equal_lists_in_every_topic() -> None:
    one, turned = np.array([3, 1, 2]), np.array([1, 3, 2])
    everyone = np.ones(4, dtype=np.bool_)
    pools = [
        build_topic_pool([one, one, turned, None], 0.5, everyone),
        build_topic_pool([turned, turned, turned, None], 0.5, everyone),
    ]
    assert identical_runs(pools, 4, range(4)) == [(0, 1)]
    assert identical_runs(pools[1:], 4, range(4)) == [(0, 1, 2)]
    assert identical_runs(pools, 4, [1, 2, 3]) == []
