import numpy as np
import pytest

from evaluation.measure import RBP
from evaluation.measures.rbp import rbp_bounds_with_ties
from evaluation.measures.weights import rank_weights
from evaluation.names import parse_measure
from tests.evaluation.measures.rbp import rbp_bounds


def test_an_empty_ranking_leaves_everything_open() -> None:
    bounds = rbp_bounds(np.array([]), 0.8)
    assert (bounds.base, bounds.residual) == (0.0, 1.0)
    bounds = rbp_bounds_with_ties(np.array([]), np.array([], dtype=bool), 0.8)
    assert (bounds.base, bounds.residual) == (0.0, 1.0)


def test_the_residual_always_uses_gain_one() -> None:
    graded, binary = (rbp_bounds(np.array([gain, np.nan]), 0.5) for gain in (0.25, 1.0))
    assert graded.residual == binary.residual == 0.5
    assert (graded.base, binary.base) == (0.125, 0.5)


def test_weights_stay_positive_where_the_grid_has_run_out() -> None:
    assert rank_weights(0.8, 1000)[-1] == pytest.approx(0.2 * 0.8**999, rel=1e-10)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, 1.5, float("nan")])
def test_persistence_outside_its_range(p: float) -> None:
    with pytest.raises(ValueError, match="not inside"):
        rank_weights(p, 3)
    with pytest.raises(ValueError, match="not inside"):
        rbp_bounds(np.array([1.0]), p)


@pytest.mark.parametrize("gain", [-0.1, 1.1, float("inf")])
def test_gain_outside_its_range(gain: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        rbp_bounds(np.array([0.0, gain]), 0.8)


def test_shapes_that_disagree() -> None:
    with pytest.raises(ValueError, match="dimensions"):
        rbp_bounds_with_ties(np.zeros((2, 2)), np.zeros((2, 2), dtype=bool), 0.8)
    with pytest.raises(ValueError, match="shape"):
        rbp_bounds_with_ties(np.zeros(2), np.zeros(3, dtype=bool), 0.8)
    with pytest.raises(ValueError, match="negative"):
        rbp_bounds_with_ties(np.zeros(2), np.zeros(2, dtype=bool), 0.8, -1)


@pytest.mark.parametrize(
    ("name", "p"), [("RBP(p=0.8)", 0.8), ("RBP(p=.5)", 0.5), ("RBP( p = 0.95 )", 0.95), ("RBP", 0.8)]
)
def test_measures_are_found_by_name(name: str, p: float) -> None:
    assert parse_measure(name) == RBP(p)


def test_a_measure_is_named_as_it_is_asked_for() -> None:
    assert parse_measure("RBP(p=.5)").name == "RBP(p=0.5)"
    assert RBP(0.123456789).name == "RBP(p=0.123456789)"


@pytest.mark.parametrize("name", ["RBP@0", "RBP(P=0.8)", "RBP(p=1)", "RBP(p=0)", "RBP(p=x)", "P@ten", ""])
def test_names_that_no_measure_has(name: str) -> None:
    with pytest.raises(ValueError):
        parse_measure(name)
