"""Worked examples of the papers: "2007" is Moffat, Webber and Zobel, "2008" is Moffat and Zobel."""

import numpy as np
import pytest

from evaluation.measures.rbp import rbp_bounds_with_ties
from tests.evaluation.measures.rbp import rbp_bounds

NAN = float("nan")


def relevant_at(*ranks: int, depth: int, unjudged: tuple[int, ...] = ()) -> np.ndarray:
    gains = np.zeros(depth)
    gains[np.array(ranks) - 1] = 1.0
    gains[np.array(unjudged, dtype=int) - 1] = NAN
    return gains


def test_the_2007_example_with_one_unjudged_document() -> None:
    bounds = rbp_bounds(relevant_at(2, 3, 6, 10, depth=10, unjudged=(7,)), 0.8)
    assert bounds.base == pytest.approx(0.3803795, abs=5e-8)
    assert bounds.residual == pytest.approx(0.1598030, abs=5e-8)
    assert bounds.top == pytest.approx(0.5401825, abs=5e-8)


@pytest.mark.parametrize(("depth", "residual"), [(21, 0.009223), (20, 0.011529)])
def test_residual_of_a_fully_judged_prefix_2007(depth: int, residual: float) -> None:
    assert rbp_bounds(np.zeros(depth), 0.8).residual == pytest.approx(residual, abs=5e-7)


@pytest.mark.parametrize(("p", "score"), [(0.5, 0.7661), (0.8, 0.4526), (0.95, 0.1881)])
def test_the_2008_ranking_at_three_persistences(p: float, score: float) -> None:
    assert rbp_bounds(relevant_at(1, 2, 6, 11, 17, depth=20), p).base == pytest.approx(score, abs=5e-5)


@pytest.mark.parametrize(
    ("p", "base", "top"),
    [(0.5, 0.766113, 0.766305), (0.8, 0.447011, 0.488909), (0.95, 0.166126, 0.599303)],
)
def test_the_2008_ranking_with_three_unjudged(p: float, base: float, top: float) -> None:
    bounds = rbp_bounds(relevant_at(1, 2, 6, 11, depth=20, unjudged=(13, 14, 17)), p)
    assert bounds.base == pytest.approx(base, abs=5e-7)
    assert bounds.top == pytest.approx(top, abs=5e-7)


@pytest.mark.parametrize(("p", "depth"), [(0.5, 14), (0.8, 42), (0.95, 180)])
def test_depth_at_which_the_residual_falls_below_a_ten_thousandth_2008(p: float, depth: int) -> None:
    assert rbp_bounds(np.zeros(depth), p).residual <= 1e-4 < rbp_bounds(np.zeros(depth - 1), p).residual


def test_the_most_that_five_relevant_documents_can_score_2008() -> None:
    assert rbp_bounds(relevant_at(1, 2, 3, 4, 5, depth=100), 0.95).base == pytest.approx(0.2262, abs=5e-5)


@pytest.mark.parametrize(
    ("depth", "base", "residual"), [(2, 0.2, 0.7120), (5, 0.2369, 0.5741), (10, 0.3039, 0.4364)]
)
def test_ties_share_weights_and_groups_are_cut_by_their_fraction_inside(
    depth: int, base: float, residual: float
) -> None:
    gains = np.array([1, NAN, 0, NAN, 0, 1, NAN, 0, NAN, 1])
    tied = np.array([0, 0, 1, 0, 0, 1, 0, 0, 0, 1], dtype=bool)
    bounds = rbp_bounds_with_ties(gains, tied, 0.8, depth)
    assert bounds.base == pytest.approx(base, abs=5e-5)
    assert bounds.residual == pytest.approx(residual, abs=5e-5)
