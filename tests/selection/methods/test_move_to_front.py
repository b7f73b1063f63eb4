"""Move-to-front: the walk-through of Table 1, its definition, and the edges."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.framework.interface import SelectionScope
from selection.state import CampaignState
from tests.selection.methods.test_weighted_table_1 import even, judge, none, table_1
from tests.selection.reference.adaptive import Both, Campaign, follow, maker, move_to_front
from tests.selection.reference.campaign import campaigns, scopes, state_of


@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_order_of_table_1(scope: SelectionScope) -> None:
    assert judge(table_1("mtf", scope), 10, even) == [18, 22, 15, 10, 11, 21, 13, 19, 35, 87]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(campaigns(), scopes, st.data())
def test_follows_its_definition(campaign: Campaign, scope: SelectionScope, data: st.DataObject) -> None:
    rankings, contributing = campaign
    follow(Both(rankings, contributing, scope, move_to_front, maker("mtf", scope, contributing)), data)


def test_a_relevant_document_known_from_another_run_moves_its_run_to_the_front() -> None:
    state = state_of([[[1, 2], [5, 6], [7, 1, 8]]], "0.8", "mtf", "topic", [True] * 3)
    # 1 is relevant, 2, 5 and 7 are not: the third run comes to 1 and goes to the front with 8.
    relevant = [1, 2, 5, 7]
    for document in relevant:
        place = state.pools[0].documents.tolist().index(document)
        state.judge(0, place, float(document == 1))
    assert served(state.queue(0, 9).documents.tolist(), state.pools[0].documents.tolist()) == [6, 8]


def served(queue: list[int], pool: list[int]) -> list[int]:
    return [pool[place] for place in queue]


def test_one_run_is_served_in_its_order() -> None:
    state = state_of([[[5, 3, 9, 1]]], "0.8", "mtf", "campaign", [True])
    assert judge(state, 9, even) == [5, 3, 9, 1]


def test_global_serves_the_topic_whose_first_run_has_the_highest_priority() -> None:
    rankings = [[[1, 2, 3]], [[4, 5, 6]]]
    order = {
        scope: serve(state_of(rankings, "0.8", "mtf", scope, [True]), 4) for scope in ("campaign", "topic")
    }
    assert order["campaign"] == [(0, 1), (1, 4), (1, 5), (1, 6)]
    assert order["topic"] == [(0, 1), (1, 4), (0, 2), (1, 5)]


def serve(state: CampaignState, count: int) -> list[tuple[int, int]]:
    """All documents of the second topic are relevant, none of the first."""
    order = []
    for _ in range(count):
        choice = state.best()
        assert choice is not None
        order.append((choice.topic, int(state.pools[choice.topic].documents[choice.document])))
        state.judge(choice.topic, choice.document, float(choice.topic == 1))
    return order


def test_a_document_is_explained_by_the_run_that_gives_it() -> None:
    state = table_1("mtf")
    judge(state, 3, even)
    # 15 lowered the first run, so the second gives 10; the fourth ranks it, too.
    queue = state.queue(0, 1)
    why = state.explain(0, int(queue.documents[0]))
    assert why.weight == queue.weights[0] == 1.0
    assert (int(why.runs[0]), why.shares.tolist()) == (1, [1.0, 0.0, 0.0])


def test_a_judged_document_weighs_nothing() -> None:
    state = table_1("mtf")
    judge(state, 1, none)
    assert state.explain(0, 0).weight == 0
