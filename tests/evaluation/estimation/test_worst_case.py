"""No assignment of relevance to the unjudged documents goes below the bound."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.worst_case import least_difference, proved_pairs
from evaluation.measures.precision import average_precision


def precision_of(ranking: IntArray | None, relevance: FloatArray) -> float:
    gains = np.zeros((1, 0)) if ranking is None else relevance[ranking][None]
    value = average_precision(gains, int(relevance.sum()))
    return float(np.nan_to_num(value)[0])


def assignments(relevance: FloatArray) -> list[FloatArray]:
    open_ = np.flatnonzero(np.isnan(relevance))
    found = []
    for values in product((0.0, 1.0), repeat=len(open_)):
        complete = relevance.copy()
        complete[open_] = values
        found.append(complete)
    return found


@st.composite
def topics(draw: st.DrawFn) -> tuple[list[IntArray | None], FloatArray]:
    documents = draw(st.integers(1, 7))
    places = st.permutations(range(documents))
    runs: list[IntArray | None] = [
        None
        if draw(st.booleans()) and draw(st.booleans())
        else np.array(draw(places)[: draw(st.integers(1, 7))])
        for _ in range(2)
    ]
    values = st.sampled_from([0.0, 1.0, np.nan])
    return runs, np.array(draw(st.lists(values, min_size=documents, max_size=documents)))


@given(topics())
def test_no_assignment_is_below_the_bound(topic: tuple[list[IntArray | None], FloatArray]) -> None:
    (one, other), relevance = topic
    least = min(precision_of(one, each) - precision_of(other, each) for each in assignments(relevance))
    assert least_difference(one, other, relevance) <= least + 1e-12


@given(topics())
def test_with_everything_judged_it_is_the_difference(topic: tuple[list[IntArray | None], FloatArray]) -> None:
    (one, other), relevance = topic
    complete = np.nan_to_num(relevance)
    assert least_difference(one, other, complete) == pytest.approx(
        precision_of(one, complete) - precision_of(other, complete), abs=1e-12
    )


@given(st.lists(topics(), min_size=1, max_size=2))
def test_a_proved_pair_keeps_its_order(drawn: list[tuple[list[IntArray | None], FloatArray]]) -> None:
    proved = proved_pairs(drawn)
    assert not proved.diagonal().any()
    assert not (proved & proved.T).any()
    for row, column in np.argwhere(proved).tolist():
        worst = sum(
            min(
                precision_of(runs[row], each) - precision_of(runs[column], each)
                for each in assignments(judged)
            )
            for runs, judged in drawn
        )
        assert worst > 0


def test_judging_proves_a_pair() -> None:
    lists: list[IntArray | None] = [np.array([0, 1, 2]), np.array([2, 1, 0])]
    assert not proved_pairs([(lists, np.array([1.0, np.nan, np.nan]))]).any()
    assert proved_pairs([(lists, np.array([1.0, np.nan, 0.0]))]).tolist() == [[False, True], [False, False]]


def test_grades_are_refused() -> None:
    with pytest.raises(ValueError, match="neither relevant"):
        least_difference(np.array([0]), None, np.array([0.5]))
