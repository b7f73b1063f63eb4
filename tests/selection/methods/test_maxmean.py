"""MaxMean and MM-NS: the walk-through of Table 1, their definition, and the edges."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.framework.interface import SelectionScope
from selection.methods.bandits import MaxMeanOptions
from selection.registry import check_options
from tests.selection.methods.test_weighted_table_1 import even, judge, table_1
from tests.selection.reference.adaptive import Both, Campaign, follow, maker, max_mean
from tests.selection.reference.campaign import campaigns, scopes, state_of


@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_order_of_table_1(scope: SelectionScope) -> None:
    assert judge(table_1("maxmean", scope), 8, even) == [18, 22, 15, 10, 11, 19, 87, 13]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), scopes, st.data())
def test_maxmean_follows_its_definition(
    campaign: Campaign, scope: SelectionScope, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    follow(Both(rankings, contributing, scope, max_mean("1"), maker("maxmean", scope, contributing)), data)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(campaigns(), scopes, st.sampled_from(["0", "0.5", "0.9", "1"]), st.data())
def test_mm_ns_follows_its_definition(
    campaign: Campaign, scope: SelectionScope, rho: str, data: st.DataObject
) -> None:
    rankings, contributing = campaign
    make = maker("mm-ns", scope, contributing, {"rho": rho})
    follow(Both(rankings, contributing, scope, max_mean(rho), make), data)


def test_by_default_mm_ns_remembers_only_the_last_document_of_a_run() -> None:
    assert MaxMeanOptions().rho == 0
    state = table_1("mm-ns")
    judge(state, 1, even)
    assert state.queue(0, 1).weights.tolist() == [0.666666666667]
    judge(state, 1, even)
    assert state.queue(0, 1).weights.tolist() == [0.666666666667]


@pytest.mark.parametrize("rho", ["-0.1", "1.5", "nan", "much"])
def test_refuses_a_rho_outside_its_range(rho: str) -> None:
    with pytest.raises(ValueError, match=f"rho = '?{rho}"):
        check_options("mm-ns", {"rho": rho})


def test_maxmean_is_told_nothing() -> None:
    with pytest.raises(ValueError, match="maxmean has no option 'rho'"):
        check_options("maxmean", {"rho": 0.5})


def test_one_run_is_served_in_its_order() -> None:
    state = state_of([[[5, 3, 9, 1]]], "0.8", "maxmean", "campaign", [True])
    assert judge(state, 9, even) == [5, 3, 9, 1]


def test_a_document_is_explained_by_the_run_that_gives_it() -> None:
    state = table_1("maxmean")
    judge(state, 3, even)
    queue = state.queue(0, 1)
    why = state.explain(0, int(queue.documents[0]))
    assert why.weight == queue.weights[0] == 0.75
    assert (int(why.runs[0]), why.shares.tolist()) == (1, [0.75, 0.0, 0.0])
