"""Table 1 of Moffat, Webber and Zobel 2007: four runs, eight documents each, p = 0.8, one topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from selection.framework.interface import SelectionScope
from selection.registry import check_options
from selection.state import CampaignState
from tests.selection.reference.campaign import state_of

TABLE_1 = [
    [18, 22, 15, 13, 11, 25, 10, 84],
    [22, 10, 11, 19, 38, 18, 33, 17],
    [21, 35, 16, 11, 38, 33, 18, 17],
    [10, 18, 11, 22, 87, 13, 17, 20],
]
Relevance = Callable[[int], float]


def none(document: int) -> float:
    return 0.0


def even(document: int) -> float:
    return float(document % 2 == 0)


def every(document: int) -> float:
    return 1.0


def table_1(
    method: str,
    scope: SelectionScope = "campaign",
    batch: int = 1,
    options: Mapping[str, object] | None = None,
) -> CampaignState:
    return state_of([TABLE_1], "0.8", method, scope, [True] * 4, batch, options)


def judge(state: CampaignState, count: int, relevance: Relevance = none) -> list[int]:
    order: list[int] = []
    while len(order) < count and (choice := state.best()) is not None:
        document = int(state.pools[0].documents[choice.document])
        order.append(document)
        state.judge(0, choice.document, relevance(document))
    return order


both_scopes = pytest.mark.parametrize("scope", ["campaign", "topic"])


def test_method_a_weights() -> None:
    pool = table_1("A").pools[0]
    assert pool.documents[:8].tolist() == [18, 22, 11, 10, 21, 13, 38, 35]
    expected = [0.4779648, 0.4624, 0.44032, 0.4124288, 0.2, 0.167936, 0.16384, 0.16]
    assert pool.method_a[:8] == pytest.approx(expected, abs=5e-8)


def test_method_a_order_leaves_the_tie_of_84_and_20_to_the_docno() -> None:
    assert judge(table_1("A"), 99)[-2:] == [20, 84]


def test_residuals_after_six_judgments_by_method_a() -> None:
    # The paper prints a mean of 0.49; its formula and its authors' program give this.
    state = table_1("A")
    judge(state, 6)
    assert state.residual[0] == pytest.approx([0.403251, 0.446464, 0.645171, 0.344064], abs=5e-7)
    assert state.residual.mean() == pytest.approx(0.459738, abs=5e-7)


@pytest.mark.parametrize(("judged", "mean"), [(4, 0.5517), (5, 0.5017), (7, 0.4188), (8, 0.3788)])
def test_mean_residual_after_some_judgments_by_method_a(judged: int, mean: float) -> None:
    state = table_1("A")
    judge(state, judged)
    assert state.residual.mean() == pytest.approx(mean, abs=5e-5)


def test_pooling_order() -> None:
    assert judge(table_1("pooling"), 10) == [18, 22, 21, 10, 35, 15, 11, 16, 13, 19]


@both_scopes
def test_method_b_order(scope: SelectionScope) -> None:
    assert judge(table_1("B", scope), 8) == [18, 22, 11, 10, 21, 35, 13, 38]


@both_scopes
def test_method_b_order_in_batches_of_five(scope: SelectionScope) -> None:
    order = judge(table_1("B", scope, 5), 99)
    assert order[:15] == [18, 22, 11, 10, 21, 35, 38, 16, 13, 17, 15, 19, 33, 25, 87]
    assert set(order[15:]) == {84, 20}


@both_scopes
@pytest.mark.parametrize(
    ("relevance", "order"),
    [
        (none, [18, 11, 22, 21, 10, 35, 13, 38]),
        (even, [18, 22, 11, 10, 13, 21, 38, 19]),
        (every, [18, 22, 11, 10, 13, 21, 38, 35]),
    ],
)
def test_method_c_order(scope: SelectionScope, relevance: Relevance, order: list[int]) -> None:
    assert judge(table_1("C", scope), len(order), relevance) == order


@both_scopes
@pytest.mark.parametrize(
    ("relevance", "order"),
    [
        (none, [18, 22, 11, 10, 21, 35, 16, 38, 33, 17]),
        (even, [18, 22, 11, 10, 21, 13, 15, 17, 38, 19]),
        (every, [18, 22, 11, 10, 21, 13, 38, 35]),
    ],
)
def test_method_c_order_in_batches_of_five(
    scope: SelectionScope, relevance: Relevance, order: list[int]
) -> None:
    assert judge(table_1("C", scope, 5), len(order), relevance) == order


@both_scopes
@pytest.mark.parametrize("power", [1, 2, 3])
def test_each_power_of_the_estimate_by_hand(scope: SelectionScope, power: int) -> None:
    state = table_1("C", scope, options={"power": power})
    judge(state, 4, even)
    factors = state.residual[0] * (state.base[0] + state.residual[0] / 2) ** power
    ranks = [{docno: rank for rank, docno in enumerate(run)} for run in TABLE_1]
    left = {docno for run in TABLE_1 for docno in run} - {18, 22, 11, 10}
    weight = {
        docno: sum(f * 0.2 * 0.8 ** of[docno] for f, of in zip(factors, ranks, strict=True) if docno in of)
        for docno in left
    }
    choice = state.best()
    assert choice is not None
    assert state.pools[0].documents[choice.document] == max(weight, key=weight.__getitem__)
    assert choice.weight == pytest.approx(max(weight.values()), rel=1e-11)


def test_the_power_changes_what_is_judged() -> None:
    orders = [judge(table_1("C", options={"power": power}), 9, even) for power in (1, 2, 3)]
    assert orders[2] == judge(table_1("C"), 9, even)
    assert orders[0] != orders[2]


@pytest.mark.parametrize("power", [0, 4, 1.5, "cube"])
def test_other_powers_are_refused(power: object) -> None:
    with pytest.raises(ValueError, match="power = "):
        check_options("C", {"power": power})


def test_first_weight_of_method_c() -> None:
    choice = table_1("C").best()
    assert choice is not None
    assert choice.weight == pytest.approx(0.0597456, abs=5e-8)
