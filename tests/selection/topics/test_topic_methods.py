"""Methods that choose topics: their orders, their reasons, and what they do without enough to go by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.topics.lists import TopicLists
from selection.topics.measures import VARIANCES
from selection.topics.methods import TOPIC_METHODS, Judged, explain, make_topic_method, order_topics
from selection.topics.performance import TopicSetting, estimate, true_matrix
from selection.topics.subset import gamma
from tests.selection.topics.tables import random_setting

SOME_METHODS = [name for name in TOPIC_METHODS if name != "oracle"]


@pytest.mark.parametrize("name", TOPIC_METHODS)
def test_each_method_orders_all_topics_once(name: str) -> None:
    setting, judged = random_setting(1)
    order = order_topics(make_topic_method(name, setting), judged, 8)
    assert sorted(choice.topic for choice in order) == list(range(8))
    again = order_topics(make_topic_method(name, setting), judged, 99)
    assert order == again


@pytest.mark.parametrize("name", SOME_METHODS)
def test_a_shorter_order_is_the_beginning_of_a_longer(name: str) -> None:
    setting, judged = random_setting(2)
    method = make_topic_method(name, setting)
    assert order_topics(method, judged, 3) == order_topics(method, judged, 6)[:3]


def test_adaptive_adds_the_topic_with_the_highest_gamma() -> None:
    setting, judged = random_setting(3)
    order = [choice.topic for choice in order_topics(make_topic_method("adaptive", setting), judged, 5)]
    for size in range(1, 5):
        known = {topic: judged[topic] for topic in order[:size]}
        matrix = estimate(setting, known)[0]
        values = {
            topic: gamma(matrix, [*order[:size], topic]) for topic in range(8) if topic not in order[:size]
        }
        assert values[order[size]] == pytest.approx(max(values.values()))


def test_its_reasons_are_those_of_the_matrix() -> None:
    setting, judged = random_setting(3)
    method = make_topic_method("adaptive", setting)
    known = {4: judged[4]}
    choice = method.choose([4], known, 1)[0]
    matrix = estimate(setting, known)[0]
    assert choice.gamma == pytest.approx(gamma(matrix, [4, choice.topic]))
    assert choice.uncertainty == pytest.approx(matrix.variance[:, choice.topic].mean())
    rest = np.delete(matrix.mean, choice.topic, axis=1).sum(axis=1)
    assert choice.correlation == pytest.approx(np.corrcoef(matrix.mean[:, choice.topic], rest)[0, 1])
    assert choice.expected is not None
    assert 0 < choice.expected <= 1


def test_judged_topics_have_their_scores_without_uncertainty() -> None:
    setting, judged = random_setting(5)
    known = {topic: judged[topic] for topic in (1, 6)}
    matrix = estimate(setting, known)[0]
    truth = true_matrix(setting, judged)
    np.testing.assert_allclose(matrix.mean[:, [1, 6]], truth.mean[:, [1, 6]])
    assert (matrix.variance[:, [1, 6]] == 0).all()
    assert (matrix.variance[:, [0, 2, 3]] > 0).any(axis=0).all()


def test_iqp_has_no_uncertainty() -> None:
    setting, judged = random_setting(5)
    assert (estimate(setting, {0: judged[0]}, certain=True)[0].variance == 0).all()
    choice = make_topic_method("iqp", setting).choose([0], {0: judged[0]}, 1)[0]
    assert choice.uncertainty == 0


@pytest.mark.parametrize("name", ["adaptive", "adaptive+", "adaptive*"])
def test_the_option_chooses_the_variance_of_average_precision(name: str) -> None:
    setting, judged = random_setting(5)
    known = {0: judged[0]}
    found = {}
    for variance in VARIANCES:
        choice = make_topic_method(name, setting, {"variance": variance}).choose([0], known, 1)[0]
        matrix = estimate(replace(setting, variance=variance), known)[0]
        assert choice.uncertainty == matrix.variance[:, choice.topic].mean()
        found[variance] = matrix.variance[:, choice.topic].mean()
    assert found["published"] != pytest.approx(found["delta"])
    by_default = make_topic_method(name, setting).choose([0], known, 1)[0]
    assert by_default == make_topic_method(name, setting, {"variance": "published"}).choose([0], known, 1)[0]


def test_iqp_has_no_option_of_a_variance() -> None:
    with pytest.raises(ValueError, match="iqp has no option 'variance'"):
        make_topic_method("iqp", random_setting(5)[0], {"variance": "delta"})
    with pytest.raises(ValueError, match="variance = 'exact' is not one of"):
        make_topic_method("adaptive", random_setting(5)[0], {"variance": "exact"})


def test_partly_judged_topics_keep_their_uncertainty() -> None:
    setting, judged = random_setting(6)
    half = judged[2].copy()
    half[5:] = np.nan
    matrix = estimate(setting, {2: half})[0]
    assert (matrix.variance[:, 2] > 0).any()
    assert (matrix.variance[:, 2] <= estimate(setting, {})[0].variance[:, 2] + 1e-12).all()


def test_several_at_once_are_chosen_by_the_same_scores() -> None:
    setting, judged = random_setting(7)
    method = make_topic_method("adaptive", setting)
    three = method.choose([2], {2: judged[2]}, 3)
    matrix = estimate(setting, {2: judged[2]})[0]
    assert three[2].gamma == pytest.approx(gamma(matrix, [2, *(choice.topic for choice in three)]))
    order = order_topics(method, judged, 8, at_once=3)
    assert sorted(choice.topic for choice in order) == list(range(8))


def test_the_first_topics_are_drawn_and_judged_before_others_are_chosen() -> None:
    setting, _ = random_setting(8)
    method = make_topic_method("adaptive", setting, {"first": 3})
    drawn = method.choose([], {}, 5)
    assert len(drawn) == 3
    assert all(choice.gamma is None for choice in drawn)
    at_random = make_topic_method("random-topics", setting).choose([], {}, 3)
    assert drawn == at_random


def test_several_measures_count_alike() -> None:
    """γ of P@2 is many times that of RBP: as correlations they compare."""
    both, judged = random_setting(9, measures=("P@2", "AP"))
    known = {0: judged[0]}
    matrices = estimate(both, known)
    values = [
        np.mean([gamma(one, [0, topic]) / np.sqrt(np.cov(one.mean, rowvar=False).sum()) for one in matrices])
        for topic in range(1, 8)
    ]
    choice = make_topic_method("adaptive*", both).choose([0], known, 1)[0]
    assert choice.topic == 1 + int(np.argmax(values))


def test_groups_of_runs_vote() -> None:
    setting, judged = random_setting(10, runs=10)
    method = make_topic_method("adaptive+", setting, {"groups": 20, "share": 0.3})
    groups = method._groups(1)  # type: ignore[attr-defined]
    assert len(groups) == 20
    assert all(len(set(group.tolist())) == 3 for group in groups)
    assert {run for group in groups for run in group.tolist()} == set(range(10))
    choice = method.choose([0], {0: judged[0]}, 1)[0]
    matrix = estimate(setting, {0: judged[0]})[0]
    votes = [max(range(1, 8), key=lambda topic: gamma(matrix.of_runs(group), [0, topic])) for group in groups]
    assert choice.votes == max(votes.count(topic) for topic in range(8))
    assert votes.count(choice.topic) == choice.votes


def test_the_oracle_finds_the_best_pair() -> None:
    setting, judged = random_setting(11)
    found = sorted(choice.topic for choice in make_topic_method("oracle", setting).choose([], judged, 2))
    matrix = true_matrix(setting, judged)
    best = max(((i, j) for i in range(8) for j in range(i + 1, 8)), key=lambda pair: gamma(matrix, pair))
    assert found == list(best)
    with pytest.raises(ValueError, match="the oracle needs judgments of every topic; T3 has none"):
        make_topic_method("oracle", setting).choose([], {n: judged[n] for n in range(8) if n != 3}, 2)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_lots_go_by_the_topics_numbers(seed: int) -> None:
    setting, _ = random_setting(12)
    order = np.random.default_rng(seed).permutation(8)
    numbers = tuple(setting.numbers[place] for place in order)
    shuffled = TopicSetting([setting.topics[place] for place in order], numbers, seed=setting.seed)
    one, other = (
        [each.numbers[choice.topic] for choice in make_topic_method("random-topics", each).choose([], {}, 8)]
        for each in (setting, shuffled)
    )
    assert one == other


@pytest.mark.parametrize("name", SOME_METHODS)
@pytest.mark.parametrize(
    "judge",
    [
        lambda lists: np.zeros(lists.documents),
        lambda lists: np.ones(lists.documents),
        lambda lists: np.full(lists.documents, np.nan),
    ],
)
def test_the_order_is_defined_whatever_is_judged(name: str, judge: object) -> None:
    setting, _ = random_setting(13)
    judged: Judged = {n: judge(lists) for n, lists in enumerate(setting.topics)}  # type: ignore[operator]
    order = order_topics(make_topic_method(name, setting), judged, 8)
    assert sorted(choice.topic for choice in order) == list(range(8))


@pytest.mark.parametrize("name", SOME_METHODS)
def test_topics_that_no_run_answers_come_too(name: str) -> None:
    setting, judged = random_setting(14)
    empty = TopicLists(0, [None] * 6, [None] * 6)
    setting = TopicSetting([*setting.topics, empty], (*setting.numbers, "T8"), setting.measures, 14)
    order = order_topics(make_topic_method(name, setting), {**judged, 8: np.zeros(0)}, 9)
    assert sorted(choice.topic for choice in order) == list(range(9))


def test_nothing_is_judged_at_all() -> None:
    setting, _ = random_setting(15)
    order = order_topics(make_topic_method("adaptive", setting), {}, 8)
    assert len(order) == 8


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("adaptive", {"first": 0}, "first = 0 is below 1"),
        ("adaptive", {"groups": 3}, "has no option 'groups'"),
        ("adaptive+", {"groups": 3, "share": 0.2}, "cannot hold each run once"),
        ("adaptive+", {"share": 1.5}, r"share = 1.5 is outside \(0, 1\]"),
        ("greedy", {}, "no method that chooses topics is called 'greedy'"),
    ],
)
def test_wrong_methods_and_options_are_refused(name: str, options: dict[str, object], why: str) -> None:
    setting, _ = random_setting(16)
    with pytest.raises(ValueError, match=why):
        make_topic_method(name, setting, options)


def test_bad_settings_are_refused() -> None:
    setting, judged = random_setting(17)
    two = [TopicLists(2, [np.array([0]), np.array([1])], [np.ones(1)] * 2)]
    with pytest.raises(ValueError, match="2 runs: topics are chosen with 3 or more"):
        TopicSetting(two, ("1",))
    with pytest.raises(ValueError, match="two topics have the same number"):
        TopicSetting(setting.topics, ("1",) * 8)
    with pytest.raises(ValueError, match="there are no topics to choose among"):
        TopicSetting([], ())
    with pytest.raises(ValueError, match="topics are not chosen by 'nDCG'"):
        TopicSetting(setting.topics, setting.numbers, ("nDCG",))
    with pytest.raises(ValueError, match="0 topics, 1 at once"):
        order_topics(make_topic_method("adaptive", setting), judged, 0)


@pytest.mark.parametrize("name", ["adaptive", "adaptive+", "iqp", "random-topics"])
def test_barred_topics_are_not_chosen_and_the_others_are(name: str) -> None:
    setting, judged = random_setting(6)
    known = {topic: judged[topic] for topic in (0, 1)}
    found = [c.topic for c in make_topic_method(name, setting).following([0, 1], known, barred=[1, 3, 5])]
    assert sorted(found) == [2, 4, 6, 7]


def test_an_order_is_explained_by_the_gammas_of_its_parts() -> None:
    setting, judged = random_setting(6)
    [matrix] = estimate(setting, {0: judged[0]})
    order = [3, 0, 5, 1]
    found = explain(matrix, order)
    assert [choice.topic for choice in found] == order
    for place, choice in enumerate(found, 1):
        assert choice.gamma == pytest.approx(gamma(matrix, order[:place]))
        total = float(np.cov(matrix.mean.T).sum())
        assert choice.expected == pytest.approx(gamma(matrix, order[:place]) / np.sqrt(total))
    with pytest.raises(ValueError, match="topic 8 of 8"):
        explain(matrix, [0, 8])
    with pytest.raises(ValueError, match="in the subset already"):
        explain(matrix, [0, 0])
