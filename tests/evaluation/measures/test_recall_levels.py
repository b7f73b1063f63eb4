"""Precision at levels of recall and multiples of R, against slow programs."""

from __future__ import annotations

from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.recall_levels import (
    ELEVEN_LEVELS,
    eleven_point_precision,
    interpolated_precision,
    precision_at_multiple,
)

NAN = float("nan")
rankings = st.lists(st.sampled_from([0.0, 0.5, 1.0, NAN]), max_size=20)


def precisions(ranked: list[float]) -> list[float]:
    return [sum(gain > 0 for gain in ranked[:rank]) / rank for rank in range(1, len(ranked) + 1)]


def slow_interpolated(ranked: list[float], relevant: int, level: float) -> float:
    needed = floor(level * relevant + 0.5)
    ends = [rank for rank in range(1, len(ranked) + 1) if sum(gain > 0 for gain in ranked[:rank]) >= needed]
    return max((precisions(ranked)[rank - 1] for rank in ends), default=0.0)


@given(ranked=rankings, missed=st.integers(0, 5))
def test_interpolated_precision_is_the_best_from_the_level_on(ranked: list[float], missed: int) -> None:
    relevant = sum(gain > 0 for gain in ranked) + missed
    for level in (*ELEVEN_LEVELS, 0.25):
        found = interpolated_precision(np.array([ranked]), relevant, level)
        assert found == pytest.approx([slow_interpolated(ranked, relevant, level) if relevant else 0.0])
    points = [float(interpolated_precision(np.array(ranked), relevant, level)) for level in ELEVEN_LEVELS]
    assert points == sorted(points, reverse=True)
    assert eleven_point_precision(np.array(ranked), relevant) == pytest.approx(sum(points) / 11)


@given(ranked=rankings, missed=st.integers(0, 5), multiple=st.sampled_from([0.05, 0.2, 1.0, 1.8]))
def test_precision_at_a_multiple_counts_missing_ranks(
    ranked: list[float], missed: int, multiple: float
) -> None:
    relevant = sum(gain > 0 for gain in ranked) + missed
    rank = max(int(multiple * relevant + 0.9), 1)
    expected = sum(gain > 0 for gain in ranked[:rank]) / rank if relevant else 0.0
    assert precision_at_multiple(np.array(ranked), relevant, multiple) == pytest.approx(expected)


@pytest.mark.parametrize("level", [-0.1, 1.1, NAN])
def test_levels_outside_0_to_1_are_refused(level: float) -> None:
    with pytest.raises(ValueError, match="is outside"):
        interpolated_precision(np.ones(2), 2, level)


@pytest.mark.parametrize("multiple", [0.0, -1.0, NAN, float("inf")])
def test_multiples_that_are_no_positive_number_are_refused(multiple: float) -> None:
    with pytest.raises(ValueError, match="is not above 0"):
        precision_at_multiple(np.ones(2), 2, multiple)
