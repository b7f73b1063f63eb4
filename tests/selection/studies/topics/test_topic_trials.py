"""Trials of topic selection: what is held out, and what is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.studies.topics.topic_trials import GREEDY, KnownTopics, TopicTrial, greedy_order, run_trial
from selection.topics.methods import TOPIC_METHODS
from selection.topics.subset import PerformanceMatrix, gamma
from tests.selection.topics.tables import random_setting


def known_topics(seed: int, *, topics: int = 7, runs: int = 8, groups: int = 8) -> KnownTopics:
    setting, judged = random_setting(seed, topics=topics, runs=runs)
    relevance = [judged[topic] for topic in range(topics)]
    return KnownTopics(setting.topics, setting.numbers, relevance, np.arange(runs) % groups)


@pytest.mark.parametrize("method", [*TOPIC_METHODS, GREEDY])
@pytest.mark.parametrize("held_out", [False, True])
def test_every_method_chooses_subsets_of_each_size(method: str, held_out: bool) -> None:
    new = known_topics(1).newcomers(3) if held_out else ()
    trial = TopicTrial(method, ("AP",), 3, (1, 2, 5), new)
    found = run_trial(known_topics(1), trial)
    assert [len(set(subset)) for subset in found] == [1, 2, 5]
    assert found == run_trial(known_topics(1), trial)
    if method != "oracle":
        assert found[0] == found[2][:1]


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), runs=st.integers(6, 30), groups=st.integers(3, 10))
def test_half_of_the_runs_are_new_by_whole_groups(seed: int, runs: int, groups: int) -> None:
    known = known_topics(1, topics=2, runs=runs, groups=min(groups, runs))
    try:
        new = known.newcomers(seed)
    except ValueError:
        # Only where two large groups would leave too few on a side.
        assert runs < 3 * groups
        return
    assert 3 <= len(new) <= runs - 3
    chosen, others = known.groups[list(new)], np.delete(known.groups, new)
    assert not np.intersect1d(chosen, others).size


def test_documents_that_only_newcomers_rank_are_in_no_pool() -> None:
    known = known_topics(2)
    few = known.of_runs(np.array([0, 3, 4]))
    for part, whole, relevance in zip(few.lists, known.lists, few.relevance, strict=True):
        assert part.runs == 3
        assert len(relevance) == part.documents <= whole.documents
        assert {len(one) for one in part.rankings if one is not None} == {12}
    np.testing.assert_allclose(
        few.scores("P@10"), known.scores("P@10")[[0, 3, 4]], err_msg="the lists themselves stay"
    )


def test_seeds_in_a_row_begin_with_different_topics() -> None:
    known = known_topics(3)
    first = [greedy_order(known, TopicTrial(GREEDY, ("AP",), seed, (1,)))[0] for seed in range(7)]
    assert sorted(first) == list(range(7))


def test_each_next_topic_has_the_highest_gamma() -> None:
    known = known_topics(4)
    order = greedy_order(known, TopicTrial(GREEDY, ("AP",), 0, (4,)))
    scores = known.scores("AP")
    matrix = PerformanceMatrix(scores, np.zeros_like(scores))
    for place in range(1, 4):
        left = [topic for topic in range(7) if topic not in order[:place]]
        assert order[place] == max(left, key=lambda topic: gamma(matrix, [*order[:place], topic]))


@pytest.mark.parametrize("sizes", [(), (0,), (8,)])
def test_sizes_out_of_range_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="topics of 7"):
        run_trial(known_topics(1), TopicTrial("adaptive", ("AP",), 0, sizes))


def test_too_few_runs_to_hold_out() -> None:
    with pytest.raises(ValueError, match="5 runs in 5 groups cannot be parted"):
        known_topics(1, runs=5, groups=5).newcomers(0)
