"""Predictions from a random sample of topics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from selection.simulation.prediction import PredictedDifferences, predict
from selection.simulation.topic_sample import TopicPopulation, of_topics, random_order
from selection.specification import MethodSpec
from selection.state import CampaignState
from tests.selection.simulation.test_forecast import TOPICS, go_on, world


def test_order_is_random_and_fixed_by_the_seed() -> None:
    places = np.array([random_order(range(6), seed) for seed in range(600)])
    assert (places == [random_order(range(6), seed) for seed in range(600)]).all()
    for place in range(6):
        assert np.bincount(places[:, place], minlength=6) == pytest.approx(np.full(6, 100), abs=40)
    grown = [one for one in random_order([*range(6), 99, 44], 3).tolist() if one < 6]
    assert grown == random_order(range(6), 3).tolist()


def test_a_part_predicts_its_topics_as_the_whole_does() -> None:
    state, truth = world(3)
    for topic in (1, 4):
        state.close(topic)
    go_on(state, truth, 30)
    topics = [5, 0, 2, 3]
    part = of_topics(state, topics)
    [whole], [same] = predict(state, seed=7, scopes=[topics]), predict(part, seed=7)
    assert same.expected == pytest.approx(whole.expected, abs=1e-3)
    assert same.low == pytest.approx(whole.low, abs=0.01)
    assert same.high == pytest.approx(whole.high, abs=0.01)
    assert part.base == pytest.approx(state.base[topics])
    assert part.residual == pytest.approx(state.residual[topics])


def test_documents_found_by_search_stay_marked() -> None:
    state, truth = world(3)
    go_on(state, truth, 5)
    topic = next(topic for topic in range(TOPICS) if state.setting.judgments.judged_in(topic))
    document = next(iter(state.setting.judgments.judged_in(topic)))
    state.setting.judgments.note_searched(topic, document, searched=True)
    judgments = of_topics(state, [topic]).setting.judgments
    assert judgments.judged_in(0) == state.setting.judgments.judged_in(topic)
    assert document not in judgments.served_in(0)


@pytest.mark.parametrize("method", ["A", "C", "maxmean", "statap", "pooling", "mtc"])
def test_a_served_part_goes_on_as_the_whole_does(method: str) -> None:
    """The same documents in the same order, where each topic is weighed alone."""
    state, truth = served_world(method)
    for _ in range(30):
        choice = state.best()
        assert choice is not None
        state.judge(choice.topic, choice.document, float(truth[choice.topic][choice.document]))
    state.close(1)
    state.pass_over(4, int(state.queue(4, 1).documents[0]))
    topics = [5, 0, 1, 4]
    part = of_topics(state, topics, served=True)
    for place, topic in enumerate(topics):
        whole, same = state.queue(topic, 50), part.queue(place, 50)
        assert same.documents.tolist() == whole.documents.tolist()
        assert same.weights == pytest.approx(whole.weights)
        assert same.sources == whole.sources
    assert not len(part.queue(2, 5).documents)


def served_world(method: str) -> tuple[CampaignState, list[np.ndarray]]:
    """Topic 0 is served by another method, and topic 5 has anchors."""
    world_state, truth = world(3)
    anchors = {5: world_state.pools[5].documents[[7, 2]]}
    spec = replace(
        world_state.spec,
        method=method,
        options=None,
        scope="topic",
        keys=[20 + topic for topic in range(TOPICS)],
        topic_methods={0: MethodSpec("maxmean")},
        anchors=anchors,
    )
    return CampaignState(world_state.pools, spec), truth


def test_a_sample_of_all_topics_is_no_sample() -> None:
    state, truth = world(4)
    go_on(state, truth, 40)
    everything = TopicPopulation(TOPICS, *state.mean_bounds())
    [plain] = predict(state, seed=2)
    differences = PredictedDifferences(np.array([0]), TOPICS)
    [whole] = predict(state, seed=2, populations=[everything], differences=differences)
    for name in ("expected", "low", "high", "best", "better"):
        assert getattr(whole, name) == pytest.approx(getattr(plain, name), abs=1e-6), name
    assert differences.means[0][0, 1] <= whole.expected[0] - whole.expected[1]


def population(seed: int, topics: int = 60, runs: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Residuals and expected gains (topics, runs): runs gain shares of their residual, which topics share."""
    rng = np.random.default_rng(seed)
    residual = rng.uniform(0.05, 0.6, (topics, runs))
    share = np.clip(rng.normal(0.4, 0.15, (topics, 1)) + rng.normal(0, 0.05, (topics, runs)), 0, 1)
    return residual, residual * share


def test_intervals_cover_the_mean_of_all_topics() -> None:
    covered = []
    for seed in range(300):
        residual, gains = population(seed)
        chosen = np.random.default_rng(seed).choice(60, 20, replace=False)
        of = TopicPopulation(60, np.full(3, 0.1), residual.mean(axis=0))
        added = np.tile(gains[chosen].mean(axis=0)[:, None], 399)
        drawn = of.means(added, gains[chosen], residual[chosen], seed)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
        covered.append((low <= 0.1 + gains.mean(axis=0)) & (0.1 + gains.mean(axis=0) <= high))
    assert np.mean(covered, axis=0) == pytest.approx(np.full(3, 0.94), abs=0.04)


def test_sampling_error_is_that_of_the_ratio_estimator() -> None:
    residual, gains = population(1)
    of = TopicPopulation(60, np.zeros(3), residual.mean(axis=0))
    chosen = np.arange(12)
    added = np.tile(gains[chosen].mean(axis=0)[:, None], 40_000)
    drawn = of.means(added, gains[chosen], residual[chosen], seed=0)
    for run in range(3):
        r, g = residual[chosen, run], gains[chosen, run]
        ratio = g.sum() / r.sum()
        mean = ratio * residual[:, run].mean()
        squares = sum((one - ratio * open_) ** 2 for one, open_ in zip(g, r, strict=True)) / 11
        scale = residual[:, run].mean() / r.mean()
        assert drawn[run].mean() == pytest.approx(mean, abs=1e-3)
        assert drawn[run].std() == pytest.approx(scale * np.sqrt((1 - 12 / 60) / 12 * squares), rel=0.02)
    # Topics that lift one run lift others, too.
    assert (np.asarray(np.corrcoef(drawn)) > 0.5).all()


def test_edges() -> None:
    of = TopicPopulation(5, np.zeros(1), np.zeros(1))
    nothing = of.means(np.zeros((1, 4)), np.zeros((2, 1)), np.zeros((2, 1)), seed=0)
    assert (nothing == 0).all()
    for sampled in (1, 6):
        with pytest.raises(ValueError, match=f"{sampled} sampled topics of 5"):
            of.means(np.zeros((1, 4)), np.zeros((sampled, 1)), np.zeros((sampled, 1)), seed=0)
