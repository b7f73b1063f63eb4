"""Forecasts of further judgments: on worlds whose truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from selection.judgments import GainChange
from selection.simulation.forecast import Forecast, forecast
from selection.simulation.relevance.relevance_model import RelevanceRates
from selection.specification import CampaignSpec
from selection.state import CampaignState
from selection.stopping.tests import PairsDecided, StopTest, TopDistinct, TopPairs
from tests.selection.reference.campaign import pools_of, state_of

TOPICS, DEPTH = 6, 10


def world(seed: int, method: str = "C", runs: int = 4) -> tuple[CampaignState, list[Any]]:
    """Runs that are noisy sorts, run 0 the best, of documents whose relevance differs by topic."""
    rng = np.random.default_rng(seed)
    rankings, truth = [], []
    for _ in range(TOPICS):
        relevant = rng.random(60) < rng.uniform(0.1, 0.4)
        noise = [rng.normal(size=60) * (0.4 + 0.4 * run) for run in range(runs)]
        rankings.append([np.argsort(spread - relevant)[:DEPTH].tolist() for spread in noise])
        truth.append(relevant.astype(float))
    pools = pools_of(rankings, 0.8, [True] * runs)
    state = CampaignState(
        pools,
        CampaignSpec(
            runs=runs, p=0.8, method=method, scope="campaign", contributing=np.ones(runs, dtype=bool)
        ),
    )
    return state, [gains[pool.documents] for gains, pool in zip(truth, pools, strict=True)]


def go_on(state: CampaignState, truth: list[Any], judgments: int) -> None:
    for _ in range(judgments):
        choice = state.best()
        assert choice is not None
        state.judge(choice.topic, choice.document, float(truth[choice.topic][choice.document]))


def true_number(state: CampaignState, truth: list[Any], test: StopTest) -> int | None:
    ahead, made = state.copy(), 0
    watch = test.watch(ahead)
    while not watch.passed():
        choice = ahead.best()
        if choice is None:
            return None
        gain = float(truth[choice.topic][choice.document])
        ahead.judge(choice.topic, choice.document, gain)
        watch.judged(GainChange(choice.topic, choice.document, None, gain))
        made += 1
    return made


def test_interval_covers_the_true_number_as_often_as_it_claims() -> None:
    covered, widths = 0, []
    for seed in range(20):
        state, truth = world(seed, "A")
        go_on(state, truth, 60)
        rates, rng = RelevanceRates(state.setting), np.random.default_rng([seed, 99])
        effects = rates.drawn(rng)
        made = [rates.gains(topic, effects, rng) for topic in range(TOPICS)]
        test = PairsDecided(((0, 3),))
        [found] = forecast(state, [test], horizon=999, draws=9, seed=seed)
        true = true_number(state, made, test)
        # None, never, is beyond every number.
        low, high, number = (999 if value is None else value for value in (found.low, found.high, true))
        covered += low <= number <= high
        widths.append(high - low)
    # It claims 80 %: with other seeds, fewer than 10 of 20 come once in 1,700 runs.
    assert covered >= 10
    # Nor does it cover them by having no end.
    assert np.median(widths) < 100


@pytest.mark.parametrize("method", ["pooling", "B"])
def test_the_same_seed_forecasts_the_same_and_the_state_is_left_alone(method: str) -> None:
    state, truth = world(3, method)
    go_on(state, truth, 60)
    base, best = state.base.copy(), state.best()
    tests: list[StopTest] = [TopDistinct(), TopPairs(2), PairsDecided(((0, 3),))]
    made = forecast(state, tests, horizon=90, draws=5, seed=4)
    assert forecast(state, tests, horizon=90, draws=5, seed=4) == made
    assert [forecast(state, [test], horizon=90, draws=5, seed=4) for test in tests] == [[one] for one in made]
    assert forecast(state, tests, horizon=90, draws=5, seed=5) != made
    assert state.base.tolist() == base.tolist()
    assert state.best() == best


def test_a_nearer_horizon_hides_what_is_beyond() -> None:
    state, truth = world(5)
    go_on(state, truth, 70)
    [far] = forecast(state, [PairsDecided(((0, 3),))], horizon=200, draws=9)
    assert far.low is not None
    assert far.median is not None
    assert far.median > far.low
    [near] = forecast(state, [PairsDecided(((0, 3),))], horizon=far.median - 1, draws=9)
    assert (near.low, near.median, near.high) == (far.low, None, None)
    assert near.passed < 0.5 < far.passed
    assert str(near) == f"more than {near.horizon} ({near.low} to more than {near.horizon})"
    [rough] = forecast(state, [PairsDecided(((0, 3),))], horizon=200, draws=9, test_every=7)
    assert rough.median is not None
    assert rough.median % 7 == 0
    assert far.median <= rough.median < far.median + 7


def test_a_test_that_passes_now_needs_nothing() -> None:
    state = state_of([[[1, 2, 3], [4, 5, 6]]], "0.5", "A", "campaign", [True, True])
    for document in range(6):
        state.judge(0, document, float(state.pools[0].documents[document] < 4))
    [found] = forecast(state, [TopDistinct()], horizon=5, draws=3)
    assert found == Forecast(0, 0, 0, 5, 3, 1.0, 0.0)
    assert str(found) == "0 (0 to 0)"


def test_identical_runs_are_never_told_apart() -> None:
    state = state_of([[[1, 2, 3], [1, 2, 3]]], "0.5", "A", "campaign", [True, True])
    for horizon in (2, 3, 50):
        [found] = forecast(state, [TopPairs(2)], horizon=horizon, draws=3)
        assert (found.median, found.low, found.high, found.passed) == (None, None, None, 0)
        assert found.exhausted == float(horizon > 2)


def test_rates_are_better_than_the_rate_among_the_judged() -> None:
    expected = flat = true = gain = 0.0
    for seed in range(10):
        state, truth = world(seed)
        go_on(state, truth, 60)
        rates, judgments = RelevanceRates(state.setting), state.setting.judgments
        judged = [x for topic in range(TOPICS) for x in judgments.judged_in(topic).values()]
        rate = (sum(judged) + 1) / (len(judged) + 2)
        for topic in range(TOPICS):
            open_ = ~judgments.out_of(topic)
            chance = rates.probabilities(topic, rates.expected)[open_]
            label = truth[topic][open_]
            assert ((chance > 0) & (chance < 1)).all()
            expected, true, flat = expected + chance.sum(), true + label.sum(), flat + rate * len(label)
            gain += float((rate - label) @ (rate - label) - (chance - label) @ (chance - label))
    # Much of what is relevant was asked for first: both think too well of the rest.
    assert abs(expected - true) < 0.5 * abs(flat - true)
    assert gain > 0


def test_before_any_judgment_everything_is_open() -> None:
    state, truth = world(1)
    rates = RelevanceRates(state.setting)
    chance = rates.probabilities(0, rates.expected)
    assert 0.4 < chance.max() < 0.75
    # What more runs rank higher is the likelier.
    assert chance[0] > 2 * chance[-1]
    unsure = np.std([rates.probabilities(0, rates.drawn(np.random.default_rng(s)))[0] for s in range(50)])
    go_on(state, truth, 80)
    surer = RelevanceRates(state.setting)
    sure = np.std([surer.probabilities(0, surer.drawn(np.random.default_rng(s)))[0] for s in range(50)])
    assert sure < unsure / 2


def test_drawn_gains_are_such_as_were_given() -> None:
    state, _ = world(2)
    for topic in range(3):
        for document in range(0, 10, 2):
            state.judge(topic, document, [0.25, 0.75, 0.0][topic])
    rates = RelevanceRates(state.setting)
    drawn = [rates.gains(t, rates.expected, np.random.default_rng(s)) for t in range(3) for s in range(20)]
    assert set(np.concatenate(drawn)) == {0.0, 0.25, 0.75}
    means = [np.mean([(g > 0).mean() for g in drawn[20 * t :][:20]]) for t in range(3)]
    assert means[2] < min(means[:2])


def test_topics_without_runs_and_a_single_judgment() -> None:
    state = state_of([[[], []], [[1, 2], [3]]], "0.5", "A", "campaign", [True, True])
    state.judge(1, 0, 1.0)
    rates = RelevanceRates(state.setting)
    assert rates.probabilities(0, rates.expected).shape == (0,)
    # Topic 0 keeps its whole score open: half of the mean.
    [found] = forecast(state, [TopPairs(2)], horizon=9, draws=4)
    assert found.exhausted == 1


@pytest.mark.parametrize("wrong", [{"horizon": 0}, {"draws": 0}, {"test_every": 0}, {"seed": -1}])
def test_what_is_refused(wrong: dict[str, Any]) -> None:
    state, _ = world(0)
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"{name} = {value}"):
        forecast(state, [TopDistinct()], **({"horizon": 5} | wrong))
