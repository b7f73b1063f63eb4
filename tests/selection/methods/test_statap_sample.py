"""statAP: what is drawn is served, whatever else happens to the topic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.framework.interface import StatapSample
from selection.methods.statap import JUDGED_AS_BOTH, JUDGED_AS_SAMPLED, JUDGED_OTHERWISE, prels_of
from selection.pool import TopicPool
from selection.specification import CampaignSpec, MethodSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Campaign, Order, SlowTopic, follow
from tests.selection.reference.campaign import Rankings, campaigns, pools_of
from tests.selection.reference.statap import Drawn as BothDrawn
from tests.selection.reference.statap import sampled, slow_document_prior, slow_inclusion, still_open


def statap(
    rankings: Rankings,
    size: int = 3,
    samples: dict[int, StatapSample] | None = None,
    contributing: list[bool] | None = None,
    seed: int = 0,
    keys: tuple[int, ...] = (),
    pools: list[TopicPool] | None = None,
) -> CampaignState:
    contributing = contributing or [True] * len(rankings[0])
    return CampaignState(
        pools or pools_of(rankings, 0.8, contributing),
        CampaignSpec(
            runs=len(contributing),
            p=0.8,
            method="statap",
            scope="campaign",
            contributing=np.array(contributing),
            options={"size": size},
            samples=samples or {},
            seed=seed,
            keys=keys,
        ),
    )


def served(state: CampaignState, topic: int = 0) -> list[int]:
    return [int(document) for document in state.pools[topic].documents[state.queue(topic, 99).documents]]


def sample_of(state: CampaignState, topic: int = 0) -> StatapSample:
    sample = state.sample(topic)
    assert sample is not None
    return sample


SHORT: Rankings = [[[1, 2, 3, 4, 5, 6], [4, 7, 8, 1]], [[3, 1, 9], [9, 2, 5]]]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(campaigns(), st.integers(1, 6), st.integers(0, 5), st.data())
def test_serves_what_is_left_of_its_sample(
    campaign: Campaign, size: int, seed: int, data: st.DataObject
) -> None:
    rankings, contributing = campaign

    def make(pools: list[TopicPool]) -> CampaignState:
        return statap(rankings, size, contributing=contributing, seed=seed, pools=pools)

    fresh = make(pools_of(rankings, 0.8, contributing))
    samples = [sample_of(fresh, topic).documents.tolist() for topic in range(len(rankings))]

    def order_of(topic: SlowTopic) -> Order:
        return still_open(sampled(samples[topic.number]), topic)

    follow(BothDrawn(rankings, contributing, "topic", order_of, make), data)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), st.integers(1, 4))
def test_probabilities_are_those_of_the_prior(campaign: Campaign, size: int) -> None:
    rankings, contributing = campaign
    state = statap(rankings, size, contributing=contributing)
    for topic, of_topic in enumerate(rankings):
        taken = [ranking for ranking, kept in zip(of_topic, contributing, strict=True) if kept and ranking]
        prior = slow_document_prior(taken)
        # Ties as in the pool, whose order is that of its indices.
        ids = [document for document in state.pools[topic].documents.tolist() if document in prior]
        single, _ = slow_inclusion([prior[document] for document in ids], size)
        drawn = sample_of(state, topic)
        expected = [float(single[ids.index(document)]) for document in drawn.documents.tolist()]
        assert drawn.inclusion == pytest.approx(expected, rel=1e-12)
        assert drawn.size == size
        queue = state.queue(topic, 99)
        assert queue.inclusion is not None
        assert queue.inclusion.tolist() == drawn.inclusion.tolist()


def test_a_sample_larger_than_the_pool_is_the_pool() -> None:
    state = statap(SHORT, size=40)
    assert sorted(served(state)) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert sample_of(state).inclusion.tolist() == [1.0] * 8
    assert served(state) != state.pools[0].documents.tolist()


def test_a_topic_that_no_run_ranks_has_an_empty_sample() -> None:
    nothing: list[list[list[int]]] = [[[], []], [[], [9, 8]]]
    for of_topic in nothing:
        rankings = [of_topic, SHORT[0]]
        state = statap(rankings, contributing=[True, False])
        assert len(sample_of(state).documents) == len(served(state)) == state.remaining(0) == 0
        choice = state.best()
        assert choice is not None
        assert choice.topic == 1


def test_a_sample_that_was_drawn_before_stays_whatever_runs_come() -> None:
    before = statap(SHORT, size=4, seed=3)
    drawn = sample_of(before)
    # The new run's documents come before all others in the pool, and the sample's size is asked again.
    later: Rankings = [[*SHORT[0], [31, 30, 2, 32]], [*SHORT[1], []]]
    after = statap(later, size=2, samples={0: drawn}, seed=9)
    assert after.sample(0) is drawn
    assert served(after) == drawn.documents.tolist() == served(before)
    queue = after.queue(0, 99)
    assert queue.inclusion is not None
    assert queue.inclusion.tolist() == drawn.inclusion.tolist()
    assert after.remaining(0) == len(drawn.documents)


def test_documents_of_the_sample_that_no_run_ranks_any_longer_are_not_served() -> None:
    drawn = sample_of(statap(SHORT, size=40))
    state = statap([[[6, 3], [4, 70]], SHORT[1]], samples={0: drawn})
    assert served(state) == [document for document in drawn.documents.tolist() if document in (6, 3, 4)]
    assert state.remaining(0) == 3


def test_what_is_judged_outside_the_sample_changes_nothing() -> None:
    state = statap(SHORT, size=2)
    before, sample = state.queue(0, 99), sample_of(state).documents.tolist()
    ids = state.pools[0].documents.tolist()
    for document in set(ids) - set(sample):
        state.judge(0, ids.index(document), 1.0)
    after = state.queue(0, 99)
    assert after.documents.tolist() == before.documents.tolist()
    assert after.weights.tolist() == before.weights.tolist()
    assert state.remaining(0) == len(sample)


def test_the_seed_and_the_topic_s_lasting_identity_decide_and_nothing_else() -> None:
    run = [list(range(60)), list(range(30, 90))]
    state = statap([run, run], size=12, seed=4, keys=(17, 18))
    assert served(state, 0) != served(state, 1)
    alone = statap([run], size=12, seed=4, keys=(18,))
    assert served(alone) == served(state, 1)
    other = statap([run], size=12, seed=5, keys=(18,))
    assert served(other) != served(alone)


def test_topics_are_served_in_rounds() -> None:
    state, topics = statap([*SHORT, SHORT[0]], size=3), []
    while (choice := state.best()) is not None:
        topics.append(choice.topic)
        state.judge(choice.topic, choice.document, 1.0)
    assert topics[:3] == [0, 1, 2]
    assert sorted(topics) == sorted(
        topic for topic in range(3) for _ in range(len(sample_of(state, topic).documents))
    )


def test_a_document_is_explained_by_its_runs_parts_of_the_prior() -> None:
    state = statap(SHORT, size=40)
    prior = slow_document_prior(SHORT[0])
    for place, weight in zip(*(array.tolist() for array in queue_arrays(state)), strict=True):
        why = state.explain(0, place)
        assert why.weight == weight
        assert why.shares.sum() == pytest.approx(float(prior[int(state.pools[0].documents[place])]))
    state.judge(0, 0, 1.0)
    assert state.explain(0, 0).weight == 0


def queue_arrays(state: CampaignState) -> tuple[np.ndarray, np.ndarray]:
    queue = state.queue(0, 99)
    return queue.documents, queue.weights


def test_a_size_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="size = 0 is below 1"):
        statap(SHORT, size=0)
    assert MethodSpec("statap").options == {}


def test_codes_and_probabilities_of_what_was_judged() -> None:
    drawn = replace(
        sample_of(statap(SHORT, size=3)),
        documents=np.array([9, 4, 7], dtype=np.int32),
        inclusion=np.array([0.5, 0.25, 0.125]),
    )
    judged = np.array([4, 5, 9, 7, 2], dtype=np.int32)
    found = prels_of(judged, drawn, np.array([5, 9], dtype=np.int32))
    assert (
        found.methods.tolist()
        == [JUDGED_AS_SAMPLED, JUDGED_OTHERWISE, JUDGED_AS_BOTH, JUDGED_AS_SAMPLED, JUDGED_OTHERWISE]
        == [1, 0, 2, 1, 0]
    )
    assert found.inclusion.tolist() == [0.25, 1.0, 0.5, 0.125, 1.0]
    unsampled = prels_of(judged, None, judged)
    assert (unsampled.methods.tolist(), unsampled.inclusion.tolist()) == ([0] * 5, [1.0] * 5)
    assert len(prels_of(judged[:0], drawn, judged[:0]).methods) == 0
