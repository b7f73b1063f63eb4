"""Documents that were chosen beforehand, served at random or by docno; and what the beginnings are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.framework.interface import ServingOrder
from selection.methods.sample import judged_prefix
from selection.methods.strata import StrataOptions, draw_strata, judged_shares
from selection.pool import Ids
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.selection.reference.adaptive import Campaign
from tests.selection.reference.campaign import Rankings, campaigns, pools_of

OPTIONS: dict[str, dict[str, object]] = {
    "pooling": {},
    "statap": {"size": 4},
    "sample": {"size": 4},
    "strata": {"strata": "1:1,5:0.5"},
}
ADAPTIVE = ("A", "B", "C", "mtf", "hedge", "random", "mtc+statap")


def backwards(ids: Ids) -> Ids:
    """Docnos whose order is against that of the ids."""
    return -ids


def state_of(
    rankings: Rankings,
    method: str,
    order: ServingOrder,
    contributing: list[bool] | None = None,
    seed: int = 0,
    options: dict[str, object] | None = None,
) -> CampaignState:
    contributing = contributing or [True] * len(rankings[0])
    return CampaignState(
        pools_of(rankings, 0.8, contributing),
        CampaignSpec(
            runs=len(contributing),
            p=0.8,
            method=method,
            scope="campaign",
            contributing=np.array(contributing),
            options=OPTIONS.get(method, {}) if options is None else options,
            seed=seed,
            serving_order=order,
            sort_key=backwards,
        ),
    )


def served(state: CampaignState, topic: int = 0) -> list[int]:
    return [int(document) for document in state.pools[topic].documents[state.queue(topic, 999).documents]]


def judged_in_order(state: CampaignState) -> list[list[int]]:
    """Each topic's documents as the campaign serves them, all judged."""
    orders: list[list[int]] = [[] for _ in state.pools]
    while (choice := state.best()) is not None:
        orders[choice.topic].append(int(state.pools[choice.topic].documents[choice.document]))
        state.judge(choice.topic, choice.document, 0.5)
    return orders


@settings(max_examples=50, deadline=None, derandomize=True)
@given(campaigns(), st.sampled_from([*OPTIONS]), st.integers(0, 5))
def test_the_documents_are_the_same_in_another_order(campaign: Campaign, method: str, seed: int) -> None:
    rankings, contributing = campaign
    own, shuffled, by_docno = (
        state_of(rankings, method, order, contributing, seed) for order in ("method", "random", "docno")
    )
    for topic in range(len(rankings)):
        expected = served(own, topic)
        assert served(by_docno, topic) == sorted(expected, reverse=True)
        assert sorted(served(shuffled, topic)) == sorted(expected)
        chances = [
            dict(zip(served(state, topic), _inclusion(state, topic), strict=True))
            for state in (own, shuffled, by_docno)
        ]
        assert chances[0] == chances[1] == chances[2]
        for state in (shuffled, by_docno):
            assert (np.diff(state.queue(topic, 999).weights) <= 0).all()
    orders = [served(by_docno, topic) for topic in range(len(rankings))]
    assert judged_in_order(by_docno) == orders


def _inclusion(state: CampaignState, topic: int) -> list[float]:
    queue = state.queue(topic, 999)
    return [1.0] * len(queue.documents) if queue.inclusion is None else queue.inclusion.tolist()


@pytest.mark.parametrize("method", ADAPTIVE)
def test_other_methods_keep_their_own_order(method: str) -> None:
    rankings = [[[*range(20)], [*range(19, -1, -1)], [3, 30, 31]]]
    orders = [served(state_of(rankings, method, order)) for order in ("method", "random", "docno")]
    assert orders[0] == orders[1] == orders[2]


def test_pooling_serves_down_to_its_depth() -> None:
    rankings = [[[1, 2, 3, 4], [5, 2, 6, 7]]]
    assert served(state_of(rankings, "pooling", "method", options={"depth": 2})) == [1, 5, 2]
    assert served(state_of(rankings, "pooling", "docno", options={"depth": 2})) == [5, 2, 1]
    with pytest.raises(ValueError, match="depth = 0"):
        state_of(rankings, "pooling", "method", options={"depth": 0})


def test_a_stored_sample_keeps_its_order() -> None:
    rankings = [[[*range(30)]]]
    first = state_of(rankings, "statap", "docno")
    drawn = first.sample(0)
    assert drawn is not None
    assert drawn.documents.tolist() == sorted(drawn.documents.tolist(), reverse=True) == served(first)


RUNS = [[[*range(30)], [*range(29, -1, -1)], [3, 14, 15, 7]]]
GAINS = np.array([document % 3 == 0 for document in range(30)], dtype=float)


@pytest.mark.parametrize("order", ["random", "docno"])
def test_a_sample_in_another_order_counts_once_it_is_whole(order: ServingOrder) -> None:
    state, own = (state_of(RUNS, "sample", each, options={"size": 20}) for each in (order, "method"))
    for judged, counted in ((19, 0), (20, 20)):
        known = np.isin(state.pools[0].documents, served(state)[:judged])
        documents, inclusion = judged_prefix(state.setting, 0, 20, known)
        assert (len(documents), len(inclusion)) == (counted, counted)
    expected, chances = judged_prefix(own.setting, 0, 20, known)
    assert dict(zip(documents.tolist(), inclusion.tolist(), strict=True)) == dict(
        zip(expected.tolist(), chances.tolist(), strict=True)
    )


@pytest.mark.parametrize("judged", [9, 99])
def test_random_beginnings_of_strata_estimate_without_bias(judged: int) -> None:
    found = []
    for seed in range(1500):
        state = state_of(RUNS, "strata", "random", seed=seed, options={"strata": "3:1,15:0.5"})
        pool, drawn = state.pools[0], draw_strata(state.setting, 0, StrataOptions("3:1,15:0.5"))
        seen = np.isin(pool.documents, served(state)[:judged])
        shares = judged_shares(drawn.strata, seen, np.zeros(len(pool), dtype=np.bool_))
        found.append(float((GAINS[pool.documents[seen]] / shares[seen]).sum()))
    assert abs(np.mean(found) - GAINS.sum()) < 3.5 * np.std(found) / len(found) ** 0.5 + 0.05
