from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation.comparison.rank_correlation import compare_orders, kendall, pearson, rbo, spearman, tau_ap
from evaluation.resampling import bootstrap

few_scores = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=5)


def by_definition(reference: list[int], ranked: tuple[int, ...]) -> float:
    """Yilmaz, Aslam and Robertson 2008, equation 5, for orders without ties."""
    shares = [
        sum(reference[above] > reference[run] for above in ranked[:place]) / place
        for place, run in enumerate(ranked)
        if place
    ]
    return 2 * sum(shares) / len(shares) - 1


@settings(max_examples=60, deadline=None)
@given(few_scores)
def test_tau_ap_is_the_mean_over_all_orders_of_tied_runs(scores: list[tuple[int, int]]) -> None:
    reference, estimate = zip(*scores, strict=True)
    orders = list(permutations(range(len(scores))))

    def compatible(values: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [o for o in orders if all(values[a] >= values[b] for a, b in pairwise(o))]

    found = []
    for right in compatible(reference):
        strict = [0] * len(scores)
        for place, run in enumerate(right):
            strict[run] = -place
        found += [by_definition(strict, ranked) for ranked in compatible(estimate)]
    assert tau_ap(np.array(reference, float), np.array(estimate, float)) == pytest.approx(np.mean(found))


def test_tau_ap_minds_the_top_more() -> None:
    best_first = np.arange(8.0, 0, -1)
    top, bottom = best_first.copy(), best_first.copy()
    top[[0, 1]], bottom[[6, 7]] = top[[1, 0]], bottom[[7, 6]]
    assert kendall(best_first, top) == kendall(best_first, bottom)
    assert tau_ap(best_first, top) < tau_ap(best_first, bottom)
    assert tau_ap(best_first, best_first) == pytest.approx(1.0)
    assert tau_ap(best_first, -best_first) == pytest.approx(-1.0)


def test_coefficients_by_hand() -> None:
    first = np.array([86, 97, 99, 100, 101, 103, 106, 110, 112, 113], dtype=float)
    second = np.array([2, 20, 28, 27, 50, 29, 7, 17, 6, 12], dtype=float)
    # Squared differences of ranks add up to 194; 20 pairs agree and 25 do not.
    assert spearman(first, second) == pytest.approx(1 - 6 * 194 / (10 * 99))
    assert kendall(first, second) == pytest.approx((20 - 25) / 45)
    assert pearson(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=9), st.floats(0.1, 0.95)
)
def test_rbo_depth_by_depth(scores: list[tuple[int, int]], p: float) -> None:
    columns = [np.array(column, float) for column in zip(*scores, strict=True)]
    ranks = [[1 + sum(other > own for other in column) for own in column] for column in columns]
    total, agreement = 0.0, 0.0
    for depth in range(1, len(scores) + 1):
        one, other = ({run for run, rank in enumerate(rs) if rank <= depth} for rs in ranks)
        agreement = 2 * len(one & other) / (len(one) + len(other))
        total += (1 - p) * p ** (depth - 1) * agreement
    assert rbo(columns[0], columns[1], p) == pytest.approx(total + p ** len(scores) * agreement)
    assert rbo(columns[0], columns[0], p) == pytest.approx(1.0)


def test_rbo_by_hand() -> None:
    # a b c against b a c: nothing shared at depth 1, all at 2 and 3: p.
    assert rbo(np.array([3.0, 2, 1]), np.array([2.0, 3, 1]), 0.8) == pytest.approx(0.8)


def test_intervals_over_topics() -> None:
    rng = np.random.default_rng(5)
    runs = np.linspace(0, 1, 12)[:, None]
    first = runs + rng.normal(0, 0.5, (12, 40))
    second = runs + rng.normal(0, 0.5, (12, 40))
    found = compare_orders(first, second, resamples=60, seed=1)
    assert found == compare_orders(first, second, resamples=60, seed=1)
    assert found != compare_orders(first, second, resamples=60, seed=2)
    means = first.mean(axis=1), second.mean(axis=1)
    assert found.kendall.value == pytest.approx(stats.kendalltau(*means).statistic)
    for each in (found.kendall, found.tau_ap, found.spearman, found.pearson, found.rbo):
        assert each.low < each.high
        assert each.low <= each.value <= each.high + 0.1
        assert each.undefined == 0
    more = compare_orders(np.tile(first, 6), np.tile(second, 6), resamples=60, seed=1)
    assert more.kendall.high - more.kendall.low < found.kendall.high - found.kendall.low


def test_runs_that_are_all_alike_have_no_order() -> None:
    flat, other = np.full((3, 4), 0.5), np.arange(12.0).reshape(3, 4)
    found = compare_orders(flat, other, resamples=20)
    assert np.isnan(found.kendall.value)
    assert np.isnan(found.kendall.low)
    assert found.kendall.undefined == 20
    assert found.tau_ap.value == 0.0


def test_wrong_input_is_named() -> None:
    scores = np.arange(6.0).reshape(2, 3)
    with pytest.raises(ValueError, match="not the same runs and topics"):
        compare_orders(scores, scores[:, :2])
    with pytest.raises(ValueError, match="at least 2 topics or documents to draw from, got 1"):
        compare_orders(scores[:, :1], scores[:, :1])
    with pytest.raises(ValueError, match="at least 2 runs, got 1"):
        compare_orders(scores[:1], scores[:1])
    with pytest.raises(ValueError, match="a score is nan"):
        tau_ap(np.array([1.0, np.nan]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="p = 1"):
        rbo(scores[0], scores[0], 1)
    for wrong in ({"resamples": 0}, {"confidence": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            bootstrap(lambda places: 0.0, 3, **wrong)


def test_the_interval_of_a_mean_covers_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(8)
    covered = 0
    for seed in range(50):
        values = rng.normal(0, 1, 60)
        found = bootstrap(lambda places: float(values[places].mean()), 60, resamples=60, seed=seed)  # noqa: B023
        covered += found.low <= 0 <= found.high
    assert 43 <= covered <= 50
