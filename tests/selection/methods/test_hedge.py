"""Hedge: the walk-through of Table 1, its definition, and the edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.framework.interface import SelectionScope
from selection.registry import check_options
from tests.selection.methods.test_weighted_table_1 import TABLE_1, even, judge, table_1
from tests.selection.reference.adaptive import Both, Campaign, follow, hedge, maker
from tests.selection.reference.campaign import campaigns, scopes, state_of


@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_order_of_table_1(scope: SelectionScope) -> None:
    assert judge(table_1("hedge", scope), 8, even) == [18, 22, 11, 15, 10, 13, 19, 87]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), scopes, st.sampled_from(["0.1", "0.5", "0.9"]), st.data())
def test_follows_its_definition(
    campaign: Campaign, scope: SelectionScope, beta: str, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    make = maker("hedge", scope, contributing, {"beta": beta})
    follow(Both(rankings, contributing, scope, hedge(beta), make), data)


def test_losses_far_apart_neither_overflow_nor_underflow() -> None:
    good, bad = list(range(0, 3000, 2)), list(range(1, 3000, 2))
    state = state_of([[good, bad]], "0.8", "hedge", "topic", [True, True])
    with np.errstate(all="raise", under="ignore"):
        for place, document in enumerate(state.pools[0].documents.tolist()[:1500]):
            state.judge(0, place, float(document % 2 == 0))
        queue = state.queue(0, 5000)
    assert np.isfinite(queue.weights).all()
    assert (queue.weights > 0).all()
    # All weight is with the first run by now.
    left = state.pools[0].documents[queue.documents]
    assert (left[:100] % 2 == 0).all()
    assert left[:100].tolist() == sorted(left[:100].tolist())


@pytest.mark.parametrize("beta", ["0", "1", "-1", "nan", "small"])
def test_refuses_a_beta_outside_its_range(beta: str) -> None:
    with pytest.raises(ValueError, match=f"beta = '?{beta}"):
        check_options("hedge", {"beta": beta})


def test_identical_runs_are_served_in_their_order() -> None:
    state = state_of([[[5, 3, 9, 1]] * 3], "0.8", "hedge", "campaign", [True] * 3)
    assert judge(state, 9, even) == [5, 3, 9, 1]


def test_a_run_that_does_not_contribute_changes_nothing() -> None:
    with_, without = (
        state_of([TABLE_1], "0.8", "hedge", "topic", [True, True, True, False]),
        state_of([TABLE_1[:3]], "0.8", "hedge", "topic", [True, True, True]),
    )
    assert judge(with_, 99, even) == judge(without, 99, even)


def test_weights_descend_and_shares_are_the_runs_own_part() -> None:
    state = table_1("hedge")
    judge(state, 4, even)
    queue = state.queue(0, 99)
    assert all(first >= second for first, second in pairwise(queue.weights))
    why = state.explain(0, int(queue.documents[0]))
    assert why.weight == queue.weights[0]
    assert 0 < why.shares.sum() <= why.weight
