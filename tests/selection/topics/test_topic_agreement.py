"""Predicted agreement of means over judged topics with means over all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.comparison.rank_correlation import kendall, pearson
from selection.topics.agreement import _pearson, _tau, predicted_agreement


def scores_of(seed: int, runs: int, topics: int, noise: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 1, runs)[:, None]
    return quality + noise * rng.standard_normal((runs, topics))


@given(st.integers(0, 10_000), st.integers(3, 12))
def test_correlations_equal_those_of_scipy(seed: int, runs: int) -> None:
    rng = np.random.default_rng(seed)
    columns, other = rng.integers(0, 4, (runs, 5)).astype(float), rng.integers(0, 4, runs).astype(float)
    for found, oracle in ((_pearson, pearson), (_tau, kendall)):
        expected = np.nan_to_num([oracle(column, other) for column in columns.T])
        assert found(columns, other) == pytest.approx(expected, abs=1e-9)


def test_intervals_hold_the_outcome_where_topics_are_alike() -> None:
    held = []
    for seed in range(60):
        every = scores_of(seed, 20, 40, noise=1.0)
        for found in predicted_agreement(every[:, :10], 40, [5, 10], seed):
            truth = pearson(every[:, : found.topics].mean(axis=1), every.mean(axis=1))
            held.append(found.pearson.low <= truth <= found.pearson.high)
            assert found.tau.low <= found.tau.mean <= found.tau.high
    # 0.95 of 120, less three standard deviations.
    assert np.mean(held) > 0.89


def test_more_topics_leave_less_open() -> None:
    found = predicted_agreement(scores_of(1, 30, 24, 1.0), 30, [4, 12, 24], seed=1)
    widths = [one.pearson.high - one.pearson.low for one in found]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 4 * widths[-1]


def test_all_topics_leave_nothing_open() -> None:
    [found] = predicted_agreement(scores_of(2, 9, 6, 1.0), 6, [6], seed=0)
    assert (found.pearson.low, found.pearson.high) == pytest.approx((1, 1))
    assert (found.tau.low, found.tau.high) == (1, 1)


def test_runs_may_come_in_any_order() -> None:
    scores = scores_of(3, 12, 5, 1.0)
    [one] = predicted_agreement(scores, 20, [5], seed=7)
    [other] = predicted_agreement(scores[::-1], 20, [5], seed=7)
    assert one.pearson.mean == pytest.approx(other.pearson.mean)
    assert one.tau.low == pytest.approx(other.tau.low)


def test_equal_runs_have_no_correlation() -> None:
    [found] = predicted_agreement(np.full((4, 3), 0.5), 9, [3], seed=0)
    assert (found.pearson.mean, found.tau.mean) == (0, 0)


@pytest.mark.parametrize(
    ("topics", "sizes", "words"),
    [(2, [2], "3 of 2 topics"), (9, [1], "at least 2"), (9, [4], "the first 4 of 3")],
)
def test_impossible_sizes_are_refused(topics: int, sizes: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        predicted_agreement(np.zeros((4, 3)), topics, sizes, seed=0)
