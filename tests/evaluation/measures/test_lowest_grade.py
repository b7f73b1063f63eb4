"""`rel`, the lowest grade that is relevant, and RBP to a rank."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.measure import GradedRankings, Rankings
from evaluation.names import parse_measure

NAN = float("nan")
GRADES = np.array([[2.0, 1.0, NAN, 0.0, 2.0, -2.0]])
JUDGED = np.array([2.0, 1.0, 0.0, 2.0, -2.0, 2.0])


def topic() -> Rankings:
    """All gains are 1 from grade 1 on, as without --gains."""
    graded = GradedRankings(GRADES, JUDGED)
    return Rankings(np.clip(GRADES, 0, 1), np.clip(JUDGED, 0, 1), graded=graded)


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("P(rel=2)@5", 2 / 5),
        ("P(rel=1)@5", 3 / 5),
        ("P(rel=0)@5", 4 / 5),
        ("AP(rel=2)", (1 + 2 / 5) / 3),
        ("RR(rel=2)", 1.0),
        ("Rprec(rel=2)", 1 / 3),
        # Not relevant above the second: grades 1 and 0. R is 3, and so is N.
        ("Bpref(rel=2)", (1 + 1 - 2 / 3) / 3),
        ("R(rel=2)@1", 1 / 3),
        ("Success(rel=2)@1", 1.0),
        ("RBP(p=0.5,rel=2)", 0.5 + 0.5**5),
        ("RBP(p=0.5,rel=2)@4", 0.5),
        ("RBP(p=0.5)@4", 0.75),
    ],
)
def test_by_hand(name: str, score: float) -> None:
    assert parse_measure(name).scores(topic()).score == pytest.approx([score])


def test_without_grades_there_is_no_value() -> None:
    assert np.isnan(parse_measure("AP(rel=2)").score(np.ones(2), np.ones(2)).score)


@pytest.mark.parametrize("name", ["RBP(p=0.8)@4", "RBP(p=0.8,ties=shared)@4", "RBP(p=0.8,rel=2)@4"])
def test_the_weight_below_the_cut_stays_in_the_residual(name: str) -> None:
    [found] = parse_measure(name).scores(topic()).each()
    assert found.bounds is not None
    # Open: the unjudged third rank, and all below the fourth.
    assert found.bounds.residual == pytest.approx(0.2 * 0.8**2 + 0.8**4)
    assert found.tail == pytest.approx(0.8**4)
    full = parse_measure(name.removesuffix("@4")).scores(topic()).each()[0].bounds
    assert full is not None
    assert found.bounds.base <= full.base <= full.top <= found.bounds.top + 1e-12


def test_a_cut_below_the_end_of_a_run_changes_nothing() -> None:
    deep, whole = (parse_measure(name).scores(topic()).each() for name in ("RBP(p=0.8)@50", "RBP(p=0.8)"))
    assert deep == whole


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AP(rel=-1)", "rel = -1 is not a grade"),
        ("AP(rel=x)", "no measure is called"),
        ("nDCG(rel=2)", "no measure is called"),
        ("AP(rel=1,rel=2)", "no measure is called"),
        ("RBP(p=0.8,ties=shared,rel=2)", "not both"),
        ("DCG(b=2,log2(i+1))@5", "not both"),
        ("ERR(max_rel=0)@5", "max_rel = 0 is below 1"),
        ("INST(T=0.4)", r"T = 0\.4 is not a number from 0\.5 on"),
        ("RBP(p=0.8-)", r"p = 0\.8- is not a number"),
        ("RBP(p=0.8)@0", "k = 0 is below 1"),
    ],
)
def test_names_that_no_measure_has(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_measure(name)
