"""Method `sample`: its order, the probabilities of every beginning, late runs, and what is estimated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.arrays import IntArray
from evaluation.estimation.inclusion import drawn_depth, sampling_inclusion
from selection.framework.interface import FrozenJudgments
from selection.methods.random import random_numbers
from selection.methods.sample import (
    SampleOptions,
    frozen_documents,
    judged_prefix,
    prefix_inclusion,
    sample_order,
    sampling_sizes,
)
from selection.pool import TopicPool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Campaign
from tests.selection.reference.campaign import Rankings, campaigns, pools_of

P = 0.8


def state_of(
    rankings: Rankings,
    contributing: list[bool] | None = None,
    seed: int = 0,
    frozen: FrozenJudgments | None = None,
) -> CampaignState:
    contributing = contributing or [True] * len(rankings[0])
    return CampaignState(
        pools_of(rankings, P, contributing),
        CampaignSpec(
            runs=len(contributing),
            p=P,
            method="sample",
            scope="campaign",
            contributing=np.array(contributing),
            seed=seed,
            frozen={} if frozen is None else {0: frozen},
        ),
    )


def ids(pool: TopicPool, places: IntArray) -> list[int]:
    return [int(document) for document in pool.documents[places]]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(campaigns(), st.integers(1, 6), st.integers(0, 9))
def test_the_order_follows_its_definition(campaign: Campaign, size: int, seed: int) -> None:
    rankings, contributing = campaign
    state = state_of(rankings, contributing, seed)
    for topic, pool in enumerate(state.pools):
        order = sample_order(state.setting, topic, size)
        squares: dict[int, float] = {}
        for run, ranking in enumerate(rankings[topic]):
            for rank, document in enumerate(ranking or [], 1):
                if contributing[run] and rank <= 31:
                    weight = (1 - P) * P ** (rank - 1)
                    squares[document] = squares.get(document, 0.0) + weight**2
        size_of = {document: (square / sum(contributing)) ** 0.5 for document, square in squares.items()}
        start = int(state.setting.generator(topic, "sample").integers(2**64, dtype=np.uint64))
        number = {d: float(random_numbers(np.array([d], dtype=np.int32), start)[0]) for d in size_of}
        chance = dict(zip(size_of, sampling_inclusion(np.array([*size_of.values()]), size), strict=True))
        certain = sorted((d for d in size_of if chance[d] >= 1), key=lambda d: -size_of[d])
        others = sorted((d for d in size_of if chance[d] < 1), key=lambda d: number[d] / size_of[d])
        drawn = ids(pool, order.documents)
        # Documents of one size are certain in any order.
        assert sorted(drawn[: len(certain)]) == sorted(certain)
        assert drawn[len(certain) :] == others[: size - len(certain)]
        assert order.inclusion == pytest.approx([chance[document] for document in drawn])
        assert (np.diff(order.weights) < 0).all()


def test_late_runs_reuse_the_numbers() -> None:
    early = [[[*range(40)], [*range(10, 50)]]]
    late = [[*early[0], [*range(60, 100)]]]
    drawn = []
    for state in (state_of(early), state_of(late)):
        order = sample_order(state.setting, 0, 8)
        assert order.inclusion is not None
        drawn.append(ids(state.pools[0], order.documents[order.inclusion < 1]))
    before, after = drawn
    # The late run's documents come between the others, which keep their order; the last have no room left.
    again = [document for document in after if document < 60 and document in before]
    assert [document for document in before if document in again] == again
    assert 2 < len(again) < len(before)


def test_a_copy_with_other_ids_draws_the_same() -> None:
    rankings = [[[*range(40)], [*range(10, 50)]]]
    moved = [[[document + 1000 for document in ranking] for ranking in rankings[0]]]
    state = state_of(rankings)
    copy = CampaignState(
        pools_of(moved, P, [True, True]),
        CampaignSpec(
            runs=2,
            p=P,
            method="sample",
            scope="campaign",
            contributing=np.array([True, True]),
            origin=1000,
        ),
    )
    ours, theirs = sample_order(state.setting, 0, 12), sample_order(copy.setting, 0, 12)
    assert [d + 1000 for d in ids(state.pools[0], ours.documents)] == ids(copy.pools[0], theirs.documents)


def test_documents_below_the_depth_are_never_drawn() -> None:
    assert (drawn_depth(0.8), drawn_depth(0.5), drawn_depth(0.95)) == (31, 10, 135)
    state = state_of([[[*range(60)]]])
    assert len(sample_order(state.setting, 0, 50).documents) == 31
    # Nor are those that only other runs rank.
    state = state_of([[[*range(5)], [*range(5, 60)]]], [True, False])
    assert sorted(ids(state.pools[0], sample_order(state.setting, 0, 50).documents)) == [*range(5)]


def test_beginnings_have_probabilities_of_their_own() -> None:
    sizes = np.array([5.0, 2, 1, 1, 1])
    assert prefix_inclusion(sizes, 2, 2) == pytest.approx([1, 0.4, 0.2, 0.2, 0.2])
    # Three are drawn of five: the first stays certain, though two draws would not make the second so.
    assert sampling_inclusion(sizes, 3) == pytest.approx([1, 0.8, 0.4, 0.4, 0.4])
    assert prefix_inclusion(sizes, 3, 2) == pytest.approx([1, 0.4, 0.2, 0.2, 0.2])
    assert prefix_inclusion(sizes, 3, 1).tolist() == [1, 0, 0, 0, 0]
    assert prefix_inclusion(sizes, 3, 0).tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("judged", [3, 5])
def test_documents_are_drawn_as_often_as_stated(judged: int) -> None:
    rankings = [[[*range(30)], [*range(5, 35)], [*range(30)][::-1]]]
    state = state_of(rankings)
    pool, sizes = state.pools[0], sampling_sizes(state.pools[0], np.ones(3, dtype=np.bool_), P)
    counts = np.zeros(len(pool))
    for seed in range(3000):
        order = sample_order(state_of(rankings, seed=seed).setting, 0, 5)
        counts[order.documents[:judged]] += 1
    stated = prefix_inclusion(sizes, 5, judged)
    # Sequential Poisson sampling holds its probabilities closely, not exactly.
    assert counts / 3000 == pytest.approx(stated, abs=0.04)


def test_the_beginning_that_is_judged_is_the_sample() -> None:
    state = state_of([[[*range(40)], [*range(10, 50)]]])
    order = sample_order(state.setting, 0, 10).documents
    known = np.zeros(len(state.pools[0]), dtype=np.bool_)
    known[order] = True
    known[order[6]] = False
    # What comes behind the gap does not count.
    drawn, inclusion = judged_prefix(state.setting, 0, 10, known)
    sizes = sampling_sizes(state.pools[0], np.array([True, True]), P)
    assert drawn.tolist() == order[:6].tolist()
    assert inclusion.tolist() == prefix_inclusion(sizes, 10, 6)[drawn].tolist()
    assert prefix_inclusion(sizes, 10, 6).sum() == pytest.approx(6)


def test_what_was_judged_before_is_not_drawn() -> None:
    rankings = [[[*range(40)], [*range(10, 50)]]]
    before, judged = state_of(rankings), [0, 1, 10, 11, 45]
    orders = []
    for moment in (7, 8):
        state = state_of(rankings, frozen=FrozenJudgments(np.array(judged, dtype=np.int32), moment))
        pool = state.pools[0]
        for document in judged:
            state.judge(0, int(np.flatnonzero(pool.documents == document)[0]), 1.0)
        sizes = sampling_sizes(pool, np.array([True, True]), P, frozen_documents(state.setting, 0))
        left_out = {*judged, *range(41, 50)}  # Ranked below the depth, too.
        assert set(ids(pool, np.flatnonzero(sizes == 0))) == left_out
        orders.append(ids(pool, sample_order(state.setting, 0, 30).documents))
        assert not set(orders[-1]) & set(judged)
        # The queue is the same order.
        queue = state.queue(0, 30)
        assert ids(pool, queue.documents) == ids(pool, sample_order(state.setting, 0, 10).documents)
    # Another moment draws another sample, and so does none.
    assert len({tuple(order) for order in orders}) == 2
    drawn = ids(before.pools[0], sample_order(before.setting, 0, 50).documents)
    assert [document for document in drawn if document not in judged][:30] not in orders


def test_a_frozen_judgment_that_is_withdrawn_may_be_drawn() -> None:
    state = state_of([[[*range(8)]]], frozen=FrozenJudgments(np.array([2], dtype=np.int32), 1))
    place = int(np.flatnonzero(state.pools[0].documents == 2)[0])
    state.judge(0, place, 1.0)
    assert place not in state.queue(0, 10).documents
    state.judge(0, place, None)
    assert place in state.queue(0, 10).documents


def test_a_topic_without_runs_has_no_sample() -> None:
    state = state_of([[[], []]])
    assert len(sample_order(state.setting, 0, 10).documents) == 0
    drawn, inclusion = judged_prefix(state.setting, 0, 10, np.zeros(0, dtype=np.bool_))
    assert (len(drawn), len(inclusion)) == (0, 0)


def test_a_size_is_at_least_one() -> None:
    with pytest.raises(ValueError, match="size = 0"):
        SampleOptions(0)
