"""Anchors against a slow reference; that they are drawn by weight, and only from what may be judged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import log
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from selection.anchors import draw_anchors
from selection.framework.interface import ANCHOR, Queue
from selection.methods.random import random_numbers
from selection.registry import METHODS
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Campaign, some_gains
from tests.selection.reference.campaign import campaigns, pools_of


def state_of(
    campaign: Campaign, *, origin: int = 0, keys: Sequence[int] = (), method: str = "C"
) -> CampaignState:
    rankings, contributing = campaign
    return CampaignState(
        pools_of(rankings, 0.8, contributing),
        CampaignSpec(
            runs=len(contributing),
            p=0.8,
            method=method,
            scope="campaign",
            contributing=np.array(contributing),
            keys=keys,
            origin=origin,
        ),
    )


def slow_draws(
    campaign: Campaign, count: int, seed: int, left_out: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Topic and id in the order drawn: each the least exponential number of its weight as rate."""
    rankings, contributing = campaign
    waits: dict[tuple[int, int], float] = {}
    for topic, of_topic in enumerate(rankings):
        rng = np.random.default_rng([seed, topic, crc32(b"anchors")])
        start = int(rng.integers(2**64, dtype=np.uint64))
        for document in {one for run in of_topic for one in run}:
            weight = sum(
                0.2 * 0.8 ** run.index(document)
                for run, counts in zip(of_topic, contributing, strict=True)
                if counts and document in run
            )
            if weight and (topic, document) not in left_out:
                chance = float(random_numbers(np.array([document], dtype=np.int32), start)[0])
                waits[topic, document] = -log(chance) / weight
    drawn: list[tuple[int, int]] = []
    while waits and len(drawn) < count:
        drawn.append(min(waits, key=waits.__getitem__))
        del waits[drawn[-1]]
    return drawn


@settings(max_examples=150, deadline=None, derandomize=True)
@given(campaigns(), st.integers(0, 30), st.integers(0, 99), st.data())
def test_anchors_equal_slow_draws(campaign: Campaign, count: int, seed: int, data: st.DataObject) -> None:
    state = state_of(campaign)
    left_out = set()
    for topic, pool in enumerate(state.pools):
        for document in data.draw(st.sets(st.integers(0, len(pool) - 1))) if len(pool) else ():
            left_out.add((topic, int(pool.documents[document])))
            if data.draw(st.booleans()):
                state.judge(topic, document, 1.0)
            else:
                state.pass_over(topic, document)
    drawn = draw_anchors(state, count, seed)
    named = [(topic, int(state.pools[topic].documents[document])) for topic, document in drawn]
    assert named == slow_draws(campaign, count, seed, left_out)
    assert drawn[:3] == draw_anchors(state, min(3, count), seed)


def test_anchors_are_drawn_in_proportion_to_their_weight() -> None:
    """Two draws, over two topics; each order of two has its known probability."""
    campaign: Campaign = ([[[1, 2], [2]], [[7], [8]]], [True, True])
    weights = {(0, 1): 0.2, (0, 2): 0.16 + 0.2, (1, 7): 0.2, (1, 8): 0.2}
    total, state = sum(weights.values()), state_of(campaign)
    counts = dict.fromkeys(permutations(weights, 2), 0)
    for seed in range(6000):
        first, second = (
            (topic, int(state.pools[topic].documents[document]))
            for topic, document in draw_anchors(state, 2, seed)
        )
        counts[first, second] += 1
    expected = [
        6000 * weights[one] / total * weights[other] / (total - weights[one]) for one, other in counts
    ]
    assert chisquare(list(counts.values()), expected).pvalue > 0.001


def test_anchors_leave_out_closed_topics_and_runs_that_do_not_contribute() -> None:
    campaign: Campaign = ([[[1, 2], [3]], [[4, 5], [6]], [[7], []]], [True, False])
    state = state_of(campaign)
    state.close(1)

    def found(**of: Sequence[int]) -> set[int]:
        drawn = draw_anchors(state, 99, seed=0, **of)
        return {int(state.pools[topic].documents[document]) for topic, document in drawn}

    assert found() == {1, 2, 7}
    assert found(topics=[2]) == {7}
    assert draw_anchors(state, 0, seed=0) == []


def test_a_copy_draws_the_same_anchors() -> None:
    rankings = [[[1, 2, 3, 4, 5, 6]], [[2, 4, 6, 8]]]
    copied = [[[one + 500 for one in run] for run in topic] for topic in reversed(rankings)]
    first = state_of((rankings, [True]), keys=[31, 32])
    other = state_of((copied, [True]), keys=[32, 31], origin=500)
    named = [(topic, int(first.pools[topic].documents[at])) for topic, at in draw_anchors(first, 5, seed=4)]
    again = [
        (1 - topic, int(other.pools[topic].documents[at])) for topic, at in draw_anchors(other, 5, seed=4)
    ]
    assert again == [(topic, document + 500) for topic, document in named]


@pytest.mark.parametrize(("count", "seed"), [(-1, 0), (1, -1)])
def test_anchors_refuse_negative_numbers(count: int, seed: int) -> None:
    with pytest.raises(ValueError, match=f"count = {count} or seed = {seed} is below 0"):
        draw_anchors(state_of(([[[1]]], [True])), count, seed)


Row = tuple[int, float, str]


def rows_of(queue: Queue, method: str) -> list[Row]:
    sources = queue.sources or (method,) * len(queue.documents)
    return list(zip(queue.documents.tolist(), queue.weights.tolist(), sources, strict=True))


def expected(plain: Queue, anchors: Sequence[int], out: Sequence[int], method: str) -> list[Row]:
    own = rows_of(plain, method)
    first = [one for one in anchors if one not in out]
    head = own[0][1] if own else 0.0
    return [(one, head, ANCHOR) for one in first] + [row for row in own if row[0] not in first]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(campaigns(), st.sampled_from(sorted(set(METHODS) - {"cal"})), st.data())
def test_open_anchors_come_before_what_the_method_chooses(
    campaign: Campaign, method: str, data: st.DataObject
) -> None:
    """Beside the same campaign without anchors, also ahead of a judgment and after it."""
    plain, state = state_of(campaign, method=method), state_of(campaign, method=method)
    drawn = draw_anchors(state, data.draw(st.integers(0, 6)), seed=3)
    places = [[at for of, at in drawn if of == topic] for topic in range(len(state.pools))]
    state.set_anchors({t: state.pools[t].documents[at] for t, at in enumerate(places) if at})
    for topic, pool in enumerate(state.pools):
        out: list[int] = []
        for _ in range(2 if len(pool) else 0):
            for limit in (1, 3, 99):
                found = rows_of(state.queue(topic, limit), method)
                assert found == expected(plain.queue(topic, limit), places[topic], out, method)[:limit]
            assert state.remaining(topic) >= len(places[topic]) - len(set(places[topic]) & set(out))
            document, gain = data.draw(st.integers(0, len(pool) - 1)), data.draw(some_gains)
            ahead = rows_of(state.queue(topic, 99, after=(document, gain)), method)
            state.judge(topic, document, gain)
            plain.judge(topic, document, gain)
            out.append(document)
            assert ahead == rows_of(state.queue(topic, 99), method)
            for at in places[topic]:
                assert state.explain(topic, at).source == ("" if at in out else ANCHOR)


def test_an_anchor_withdrawn_from_judging_comes_back_first() -> None:
    state = state_of(([[[1, 2, 3, 4]]], [True]))
    state.set_anchors({0: np.array([4, 3, 99], dtype=np.int32)})
    assert state.queue(0, 9).sources == (ANCHOR, ANCHOR, "C", "C")
    state.judge(0, 3, 1.0)
    assert state.queue(0, 9).documents.tolist() == [2, 0, 1]
    assert state.queue(0, 9, after=(2, None)).sources is None
    assert state.queue(0, 9, after=(3, None)).documents.tolist() == [3, 2, 0, 1]
    assert state.copy().queue(0, 9).documents.tolist() == [2, 0, 1]
    state.pass_over(0, 2)
    assert state.queue(0, 9).sources is None
