"""Uniform random order: every document alike, none moved by others that come."""

from __future__ import annotations

from decimal import Decimal
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from selection.methods.random import random_numbers
from selection.pool import TopicPool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Campaign, Order, SlowTopic, follow
from tests.selection.reference.campaign import Rankings, campaigns, pools_of
from tests.selection.reference.statap import Drawn, splitmix


def random(
    rankings: Rankings,
    seed: int = 0,
    depth: int | None = None,
    contributing: list[bool] | None = None,
    pools: list[TopicPool] | None = None,
) -> CampaignState:
    contributing = contributing or [True] * len(rankings[0])
    return CampaignState(
        pools or pools_of(rankings, 0.8, contributing),
        CampaignSpec(
            runs=len(contributing),
            p=0.8,
            method="random",
            scope="campaign",
            contributing=np.array(contributing),
            options={"depth": depth},
            seed=seed,
        ),
    )


def served(state: CampaignState, topic: int = 0) -> list[int]:
    return [int(document) for document in state.pools[topic].documents[state.queue(topic, 999).documents]]


def test_numbers_are_those_of_splitmix64() -> None:
    # Its first outputs from seed 1234567.
    outputs = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    found = random_numbers(np.arange(1, 5, dtype=np.int32), 1234567)
    assert found.tolist() == [((output >> 12) + 0.5) / 2**52 for output in outputs]
    assert found.tolist() == [float(splitmix(document, 1234567)) for document in range(1, 5)]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(campaigns(), st.sampled_from([None, 1, 3]), st.integers(0, 9), st.data())
def test_follows_its_definition(
    campaign: Campaign, depth: int | None, seed: int, data: st.DataObject
) -> None:
    rankings, contributing = campaign

    def make(pools: list[TopicPool]) -> CampaignState:
        return random(rankings, seed, depth, contributing, pools)

    setting = make(pools_of(rankings, 0.8, contributing)).setting

    def order_of(topic: SlowTopic) -> Order:
        start = int(setting.generator(topic.number, "random").integers(2**64, dtype=np.uint64))
        within = {document for ranking in topic.rankings for document in ranking[:depth]}
        numbers: list[tuple[Decimal, int]] = [
            (splitmix(document, start), document) for document in topic.open() if document in within
        ]
        return [(document, number) for number, document in sorted(numbers, reverse=True)]

    follow(Drawn(rankings, contributing, "topic", order_of, make), data)


def test_every_order_is_equally_likely() -> None:
    orders = [tuple(served(random([[[5, 900, 77, 12]]], seed))) for seed in range(2400)]
    counts = [orders.count(order) for order in permutations([5, 900, 77, 12])]
    assert sum(counts) == 2400
    assert chisquare(counts).pvalue > 0.001


def test_numbers_are_uniform_over_the_documents_of_a_topic() -> None:
    assert kstest(random_numbers(np.arange(5000, dtype=np.int32), 7), "uniform").pvalue > 0.001


def test_a_late_run_leaves_the_others_in_their_order() -> None:
    first, late = list(range(0, 80, 2)), list(range(79, -1, -1))
    before, after = served(random([[first, []]])), served(random([[first, late]]))
    assert set(after) == set(range(80))
    assert [document for document in after if document in set(first)] == before


def test_topics_have_orders_of_their_own_and_are_served_in_rounds() -> None:
    state = random([[list(range(40))], [list(range(40))]])
    assert served(state, 0) != served(state, 1)
    topics = []
    for _ in range(6):
        choice = state.best()
        assert choice is not None
        topics.append(choice.topic)
        state.judge(choice.topic, choice.document, 0.0)
    assert topics == [0, 1, 0, 1, 0, 1]


def test_documents_below_the_depth_are_not_served() -> None:
    state = random([[[1, 2, 3, 4], [3, 5, 6]]], depth=2)
    assert sorted(served(state)) == [1, 2, 3, 5]
    assert state.remaining(0) == 4
    with pytest.raises(ValueError, match="depth = 0 is below 1"):
        random([[[1]]], depth=0)


def test_no_run_has_a_share() -> None:
    state = random([[[1, 2, 3], [3, 5, 6]]])
    queue = state.queue(0, 9)
    why = state.explain(0, int(queue.documents[0]))
    assert why.weight == queue.weights[0]
    assert not why.shares.any()
