"""RBP where documents of equal score share the weights of their ranks, as a measure of many runs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.measure import RBP, Rankings, Score
from evaluation.measures.rbp import rbp_bounds_with_ties
from evaluation.names import parse_measure, parse_measures

NAN = float("nan")
SHARED = parse_measure("RBP(p=0.8,ties=shared)")
documents = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, NAN]), st.booleans()), min_size=1, max_size=7)


def scored(gains: list[float], tied: list[bool]) -> Score:
    topic = Rankings(np.array([gains]), np.zeros(0), tied=np.array([[False, *tied[1:]]]))
    return SHARED.scores(topic).each()[0]


def test_golden_ties_through_the_measure() -> None:
    gains = [1, NAN, 0, NAN, 0, 1, NAN, 0, NAN, 1]
    tied = np.array([0, 0, 1, 0, 0, 1, 0, 0, 0, 1], dtype=bool)
    found = scored(gains, tied.tolist())
    assert found.bounds is not None
    assert found.score == found.bounds.base == pytest.approx(0.3039, abs=5e-5)
    assert found.bounds.residual == pytest.approx(0.4364, abs=5e-5)
    assert found.tail == pytest.approx(0.8**10)


@given(documents)
@settings(deadline=None, max_examples=50)
def test_it_is_the_mean_over_all_orders_of_the_tied(given_: list[tuple[float, bool]]) -> None:
    gains, tied = [gain for gain, _ in given_], [False, *(tie for _, tie in given_[1:])]
    groups: list[list[float]] = []
    for gain, tie in zip(gains, tied, strict=True):
        if tie:
            groups[-1].append(gain)
        else:
            groups.append([gain])
    orders: list[list[float]] = [[]]
    for group in groups:
        orders = [order + list(one) for order in orders for one in permutations(group)]
    plain = RBP(0.8).scores(Rankings(np.array(orders), np.zeros(0))).bounds
    found = scored(gains, tied).bounds
    assert found is not None
    assert plain is not None
    assert found.base == pytest.approx(plain[0].mean(), abs=1e-12)
    assert found.residual == pytest.approx(plain[1].mean(), abs=1e-12)


@given(documents, st.data())
@settings(deadline=None, max_examples=80)
def test_a_judgment_never_lowers_base_nor_raises_residual(
    given_: list[tuple[float, bool]], data: st.DataObject
) -> None:
    gains, tied = [gain for gain, _ in given_], [tie for _, tie in given_]
    place = data.draw(st.integers(0, len(gains) - 1))
    before = scored([*gains[:place], NAN, *gains[place + 1 :]], tied).bounds
    after = scored([*gains[:place], data.draw(st.floats(0, 1)), *gains[place + 1 :]], tied).bounds
    assert before is not None
    assert after is not None
    assert after.base >= before.base
    assert after.residual <= before.residual
    assert after.top <= 1
    assert before.base <= after.top <= before.top


def test_nothing_judged_leaves_exactly_everything_open() -> None:
    for length in (1, 3, 7, 100):
        bounds = scored([NAN] * length, [True] * length).bounds
        assert bounds is not None
        assert (bounds.base, bounds.residual, bounds.projected) == (0.0, 1.0, 1.0)


def test_runs_of_different_lengths_are_each_run_alone() -> None:
    rng = np.random.default_rng(4)
    lengths = np.array([0, 3, 9])
    gains, tied = rng.choice([0.0, 1.0, NAN], (3, 9)), rng.random((3, 9)) < 0.4
    tied[:, 0] = False
    for row, length in enumerate(lengths):
        gains[row, length:], tied[row, length:] = NAN, False
    found = SHARED.scores(Rankings(gains, np.zeros(0), lengths=lengths, tied=tied)).each()
    for row, length in enumerate(lengths):
        alone = rbp_bounds_with_ties(gains[row, :length], tied[row, :length], 0.8)
        assert found[row].bounds == alone
        assert found[row].tail == pytest.approx(0.8**length)


def test_names() -> None:
    assert RBP(0.8, ties_shared=True) == SHARED
    assert [m.name for m in parse_measures("RBP(p=.5, .8,0.95)")] == [
        "RBP(p=0.5)",
        "RBP(p=0.8)",
        "RBP(p=0.95)",
    ]
    assert parse_measures("RBP(p=0.5,0.8,ties=shared)") == [RBP(0.5, True), RBP(0.8, True)]
    assert [m.name for m in parse_measures("AP")] == ["AP"]


@pytest.mark.parametrize("name", ["RBP(p=0.5,1.5)", "RBP(p=0.5,)", "RBP(p=0.5,ties=mean)", "RBP(p=)"])
def test_names_that_no_measure_has(name: str) -> None:
    with pytest.raises(ValueError, match=r"not inside|no measure is called"):
        parse_measures(name)
