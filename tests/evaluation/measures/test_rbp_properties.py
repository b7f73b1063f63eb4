"""Bounds against rational arithmetic on random rankings, and what must hold of any."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.bounds import mean_projection, projected_score
from evaluation.measures.rbp import rbp_bounds_with_ties
from evaluation.measures.weights import exact_product, exact_rank_weights, rank_weights
from tests.evaluation.measures.rbp import rbp_bounds

NAN = float("nan")
persistences = st.sampled_from([0.05, 0.5, 0.8, 0.95, 0.999])
gain = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN]), st.floats(0, 1))
rankings = st.lists(gain, max_size=60)


def slow_bounds(gains: list[float], p: float) -> tuple[Fraction, Fraction]:
    q = Fraction(p)
    base, residual = Fraction(0), q ** len(gains)
    for place, value in enumerate(gains):
        weight = (1 - q) * q**place
        if value != value:
            residual += weight
        else:
            base += weight * Fraction(value)
    return base, residual


def slow_tied_bounds(gains: list[float], tied: list[bool], p: float, depth: int) -> tuple[float, float]:
    base, residual = 0.0, p ** min(depth, len(gains))
    first = 0
    while first < len(gains):
        last = first + 1
        while last < len(gains) and tied[last]:
            last += 1
        mean = sum((1 - p) * p**place for place in range(first, last)) / (last - first)
        weight = mean * max(min(last, depth) - first, 0) / (last - first)
        for place in range(first, last):
            if gains[place] != gains[place]:
                residual += weight
            else:
                base += weight * gains[place]
        first = last
    return base, residual


@given(rankings, persistences)
def test_bounds_agree_with_rational_arithmetic(gains: list[float], p: float) -> None:
    bounds = rbp_bounds(np.array(gains), p)
    base, residual = slow_bounds(gains, p)
    assert bounds.base == pytest.approx(float(base), abs=1e-14)
    assert bounds.residual == pytest.approx(float(residual), abs=1e-14)
    assert bounds.base + bounds.residual <= 1


@given(rankings, persistences, st.data())
def test_tied_bounds_agree_with_the_definition(gains: list[float], p: float, data: st.DataObject) -> None:
    tied = data.draw(st.lists(st.booleans(), min_size=len(gains), max_size=len(gains)))
    depth = data.draw(st.integers(0, 70))
    bounds = rbp_bounds_with_ties(np.array(gains), np.array(tied, dtype=bool), p, depth)
    base, residual = slow_tied_bounds(gains, [False, *tied[1:]], p, depth)
    assert bounds.base == pytest.approx(base, abs=1e-12)
    assert bounds.residual == pytest.approx(residual, abs=1e-12)


@given(rankings, persistences)
def test_without_ties_the_tied_bounds_are_the_ordinary_ones(gains: list[float], p: float) -> None:
    tied = rbp_bounds_with_ties(np.array(gains), np.zeros(len(gains), dtype=bool), p)
    assert (tied.base, tied.residual) == pytest.approx(
        (rbp_bounds(np.array(gains), p).base, rbp_bounds(np.array(gains), p).residual), abs=1e-12
    )


@given(rankings.filter(len), persistences, st.data())
def test_a_judgment_never_lowers_base_nor_raises_residual_nor_top(
    gains: list[float], p: float, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(gains) - 1))
    gains[place] = NAN
    before = rbp_bounds(np.array(gains), p)
    gains[place] = data.draw(st.floats(0, 1))
    after = rbp_bounds(np.array(gains), p)
    assert after.base >= before.base
    assert after.residual <= before.residual
    assert after.top <= before.top


@given(persistences, st.integers(0, 3000))
def test_exact_weights_and_tail_make_exactly_one(p: float, depth: int) -> None:
    weights = exact_rank_weights(p, depth)
    assert weights.sum() + rbp_bounds(np.zeros(depth), p).residual == 1.0
    assert np.abs(weights - rank_weights(p, depth)).max(initial=0) <= 2.0**-52
    assert (weights >= 0).all()


@given(persistences, st.floats(0, 1))
def test_a_share_of_a_weight_is_never_more_than_the_weight(p: float, value: float) -> None:
    weights = exact_rank_weights(p, 300)
    assert (exact_product(weights, value) <= weights).all()


def test_the_order_of_summation_leaves_no_trace() -> None:
    rng = np.random.default_rng(5)
    parts = exact_product(exact_rank_weights(0.9, 500), rng.random(500))
    sums = {float(np.cumsum(rng.permutation(parts))[-1]) for _ in range(50)}
    assert len(sums) == 1


def test_projection_of_arrays_and_of_nothing_judged() -> None:
    assert projected_score(np.array([0.2, 0.0]), np.array([0.5, 1.0])).tolist() == [0.4, 1.0]
    assert rbp_bounds(np.array([NAN]), 0.5).projected == 1.0
    assert rbp_bounds(np.array([1.0]), 0.5).projected == 1.0


def test_the_mean_projection_leaves_out_topics_with_nothing_judged() -> None:
    # Three topics of three runs. The last run has nothing judged anywhere.
    base = np.array([[0.1, 0.5, 0.0], [0.3, 0.0, 0.0], [0.0, 0.0, 0.0]])
    residual = np.array([[0.8, 0.5, 1.0], [0.4, 1.0, 1.0], [0.2, 1.0, 1.0]])
    assert mean_projection(base, residual) == pytest.approx([(0.5 + 0.5 + 0.0) / 3, 1.0, 1.0])
    assert mean_projection(np.zeros((0, 2)), np.zeros((0, 2))).tolist() == [1.0, 1.0]


def test_the_mean_projection_lies_between_base_and_top() -> None:
    rng = np.random.default_rng(3)
    residual = np.where(rng.random((40, 300)) < 0.3, 1.0, rng.random((40, 300)))
    base = rng.random(residual.shape) * (1 - residual)
    found = mean_projection(base, residual)
    assert (base.mean(axis=0) <= found).all()
    assert (found <= (base + residual).mean(axis=0) + 1e-12).all()
