"""Figures for all topics."""

from __future__ import annotations

from math import isnan, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.aggregation import LOWEST_FACTOR, Aggregation, aggregate

scores = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(scores=scores)
def test_geometric_mean_is_the_root_of_the_product(scores: list[float]) -> None:
    floored = [max(score, LOWEST_FACTOR) for score in scores]
    assert aggregate(scores, "geometric mean") == pytest.approx(prod(floored) ** (1 / len(scores)), rel=1e-9)
    assert aggregate(scores, "geometric mean") <= sum(floored) / len(scores) + 1e-12


@given(scores=scores)
def test_sum_is_the_mean_times_topics(scores: list[float]) -> None:
    assert aggregate(scores, "sum") == pytest.approx(aggregate(scores) * len(scores))


@pytest.mark.parametrize("how", ["mean", "sum", "geometric mean"])
def test_nothing_has_no_figure(how: Aggregation) -> None:
    assert isnan(aggregate([], how))
