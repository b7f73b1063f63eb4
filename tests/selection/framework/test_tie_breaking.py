"""Rounding and ties: weight at 12 digits, then Method-A weight, topic order, docno."""

from __future__ import annotations

from decimal import Context, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selection.framework.threshold import WeighedDocuments
from selection.rounding import round_significant
from tests.selection.reference.campaign import state_of


def found(rows: list[tuple[float, float, int, int]]) -> WeighedDocuments:
    weight, method_a, topic, document = (np.array(column) for column in zip(*rows, strict=True))
    return WeighedDocuments(topic, document, weight, method_a)


def test_ties_across_topics() -> None:
    rows = [(0.5, 0.7, 0, 4), (0.5, 0.9, 3, 6), (0.9, 0.1, 5, 8), (0.5, 0.9, 3, 2), (0.5, 0.9, 1, 7)]
    ordered = found(rows).sorted()
    assert ordered.topic.tolist() == [5, 1, 3, 3, 0]
    assert ordered.document.tolist() == [8, 7, 2, 6, 4]
    assert found(rows).sorted(2).document.tolist() == [8, 7]


def test_topics_best_documents_tie_by_method_a_before_topic_order() -> None:
    # With p = 1/2, document 2 of topic 0 and documents 11 and 21 of topic 1 all weigh exactly 1/8.
    rankings = [[[1, 2], []], [[10, 11, 12], [20, 21, 22, 11]]]
    state = state_of(rankings, "0.5", "B", "topic", [True, True])
    for topic, document in [(0, 1), (1, 10), (1, 12), (1, 20)]:
        state.judge(topic, int(np.flatnonzero(state.pools[topic].documents == document)[0]), 0.0)
    order = []
    for _ in range(3):
        choice = state.best()
        assert choice is not None
        assert choice.weight == 0.125
        order.append(int(state.pools[choice.topic].documents[choice.document]))
        state.pass_over(choice.topic, choice.document)
    assert order == [11, 2, 21]


@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-290, 100)), max_size=20))
def test_rounding_keeps_twelve_digits(values: list[float]) -> None:
    rounded = round_significant(np.array(values))
    for value, result in zip(values, rounded, strict=True):
        exact = Context(prec=12).create_decimal(Decimal(value))
        assert result == pytest.approx(float(exact), rel=1.01e-12, abs=0)
        assert abs(result - value) <= 0.51e-11 * value


@given(st.lists(st.floats(1e-300, 100), min_size=2, max_size=20))
def test_rounding_keeps_the_order(values: list[float]) -> None:
    rounded = round_significant(np.sort(np.array(values)))
    assert (np.diff(rounded) >= 0).all()


def test_rounding_joins_what_differs_in_the_last_bits() -> None:
    values = np.array([0.3, 0.1 + 0.2, 1e-9 * 3, 3e-9, 1e-5, 1e-5 - 2e-21, 0.0])
    rounded = round_significant(values)
    assert rounded[0] == rounded[1]
    assert rounded[2] == rounded[3]
    assert rounded[4] == rounded[5]
    assert rounded[6] == 0.0
