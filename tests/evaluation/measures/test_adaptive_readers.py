"""ERR and INST against slow programs that follow the papers' sums, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.arrays import FloatArray
from evaluation.measure import GradedRankings, Rankings
from evaluation.measures.adaptive_readers import (
    expected_reciprocal_rank,
    inst,
    stopping_probabilities,
)
from evaluation.names import parse_measure

NAN = float("nan")


def slow_err(grades: list[float], k: int, highest: int) -> float:
    """Chapelle et al. 2009, algorithm 2."""
    score, p = 0.0, 1.0
    for rank, grade in enumerate(grades[:k], start=1):
        stops = 0.0 if np.isnan(grade) else (2 ** max(grade, 0) - 1) / 2**highest
        score += p * stops / rank
        p *= 1 - stops
    return score


def slow_inst(gains: list[float], target: float, depth: int = 1000) -> float:
    """Moffat et al. 2015: the continuation probabilities first, then weights that add up to 1."""
    gains = [0.0 if np.isnan(gain) else gain for gain in gains]
    gains += [0.0] * (depth - len(gains))
    weights, missing = [1.0], target
    for rank in range(1, depth):
        missing -= gains[rank - 1]
        weights.append(weights[-1] * ((rank + target + missing - 1) / (rank + target + missing)) ** 2)
    return sum(w * g for w, g in zip(weights, gains, strict=True)) / sum(weights)


@pytest.mark.parametrize("highest", [1, 2, 4])
def test_err_is_the_sum_of_the_paper(highest: int) -> None:
    rng = np.random.default_rng(highest)
    for length in (0, 1, 3, 30):
        grades = rng.choice([*range(highest + 1), -2, NAN], length)
        for k in (1, 5, 20):
            found = expected_reciprocal_rank(stopping_probabilities(grades, highest), k)
            assert found == pytest.approx(slow_err(grades.tolist(), k, highest), abs=1e-12)


def test_err_by_hand() -> None:
    # Grades 0 to 2: stops with 0, 1/4 and 3/4.
    stops = stopping_probabilities(np.array([1.0, NAN, 2.0, 0.0]), highest=2)
    assert expected_reciprocal_rank(stops, 10) == pytest.approx(1 / 4 + 3 / 4 * 3 / 4 / 3)
    assert expected_reciprocal_rank(stops, 2) == 0.25


def test_err_of_given_gains_takes_them_as_probabilities() -> None:
    grades = np.array([[2.0, 7.0]])
    gains = np.array([[0.5, 1.0]])
    topic = Rankings(gains, gains[0], graded=GradedRankings(grades, grades[0], has_gains=True))
    assert parse_measure("ERR@20").scores(topic).score.tolist() == [0.5 + 0.5 / 2]


def test_a_grade_beyond_the_scale() -> None:
    with pytest.raises(ValueError, match="grade 5 is above 4"):
        stopping_probabilities(np.array([5.0, NAN]))
    assert stopping_probabilities(np.array([5.0]), highest=5).tolist() == [31 / 32]


@pytest.mark.parametrize("target", [0.5, 1.0, 2.5, 10.0])
def test_inst_is_the_sum_of_the_paper(target: float) -> None:
    rng = np.random.default_rng(int(target))
    for length in (0, 1, 7, 200, 1200):
        gains = rng.choice([0.0, 0.25, 1.0, NAN], length)
        assert inst(gains, target) == pytest.approx(slow_inst(gains[:1000].tolist(), target), abs=1e-12)


def test_inst_by_hand_at_depth_three() -> None:
    # T = 1: after the first document nothing is missing, C_1 = (1/2)^2; then C_2 = (2/3)^2.
    found = inst(np.array([1.0, 0.0, 1.0]), 1.0, depth=3)
    weights = np.array([1, 1 / 4, 1 / 9])
    assert found == pytest.approx((1 + 1 / 9) / weights.sum())
    assert inst(np.ones(1000), 3.0) == pytest.approx(1.0)
    assert inst(np.zeros(5), 3.0) == 0.0


def test_inst_takes_the_gains_or_the_scale() -> None:
    grades = np.array([[3.0, 1.0, 5.0, -2.0, NAN]])
    gains = np.array([[1.0, 1.0, 1.0, 0.0, NAN]])
    topic = Rankings(gains, gains[0, :4], graded=GradedRankings(grades, grades[0, :4]))
    by_gains = parse_measure("INST(T=2)").scores(topic).score[0]
    by_scale = parse_measure("INST(T=2,max_rel=3)").scores(topic).score[0]
    assert by_gains == pytest.approx(slow_inst([1, 1, 1, 0, 0], 2))
    assert by_scale == pytest.approx(slow_inst([1, 1 / 3, 1, 0, 0], 2))


@pytest.mark.parametrize("name", ["ERR@20", "INST(T=2)", "AP(rel=2)", "RBP(p=0.8,rel=2)@10", "Judged@10"])
def test_all_runs_at_once_are_each_run_alone(name: str) -> None:
    rng = np.random.default_rng(6)
    grades = rng.choice([0.0, 1.0, 2.0, NAN], (5, 40))
    judged = rng.choice([0.0, 1.0, 2.0], 60)
    measure = parse_measure(name)

    def of(rows: FloatArray) -> list[float]:
        graded, lengths = GradedRankings(rows, judged), np.full(len(rows), 40)
        found: list[float] = measure.scores(
            Rankings(rows / 2, judged / 2, None, lengths, graded=graded)
        ).score.tolist()
        return found

    alone = [of(row[None])[0] for row in grades]
    assert of(grades) == of(np.c_[grades, np.full((5, 30), NAN)]) == alone
