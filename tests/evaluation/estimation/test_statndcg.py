"""stat-nDCG: by hand, as loops, and as nDCG where all is judged."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from evaluation.estimation.statap import JudgedSample
from evaluation.estimation.statndcg import stat_ndcg
from evaluation.measures.cumulated_gain import ndcg

NAN = float("nan")


def sample_of(grades: np.ndarray, inclusion: np.ndarray) -> JudgedSample:
    return JudgedSample((grades > 0).astype(float), inclusion, grades=grades)


def slow(grades: np.ndarray, inclusion: np.ndarray, sample: JudgedSample, k: int) -> float:
    assert sample.grades is not None
    earned = sum(
        (2 ** max(grade, 0) - 1) / chance / log2(place + 2)
        for place, (grade, chance) in enumerate(zip(grades[:k], inclusion[:k], strict=True))
        if grade == grade
    )
    best: list[float] = []
    for level in sorted({grade for grade in sample.grades if grade > 0}, reverse=True):
        stands_for = sum(1 / sample.inclusion[sample.grades == level])
        best += [2**level - 1] * int(stands_for + 0.5)
    return float(earned / sum(gain / log2(place + 2) for place, gain in enumerate(best[:k])))


def test_by_hand() -> None:
    # Grade 2 drawn with 1/2 stands for two documents, grade 1 for one: ideal 3, 3, 1.
    sample = sample_of(np.array([2.0, 1.0, 0.0]), np.array([0.5, 1.0, 0.2]))
    found = stat_ndcg(np.array([1.0, NAN, 2.0]), np.array([1.0, NAN, 0.5]), sample)
    assert found.estimate == pytest.approx((1 + 3 / 0.5 / 2) / (3 + 3 / log2(3) + 1 / 2))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 7, 1000])
def test_against_loops(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    grades, inclusion = rng.integers(-2, 4, 30).astype(float), rng.uniform(0.1, 1, 30)
    orders = np.array([rng.permutation(50)[:25] for _ in range(3)])
    ranked, known = np.r_[grades, np.full(20, NAN)][orders], np.r_[inclusion, np.full(20, NAN)][orders]
    sample = sample_of(grades, inclusion)
    expected = [slow(g, i, sample, k) for g, i in zip(ranked, known, strict=True)]
    assert stat_ndcg(ranked, known, sample, k).estimate == pytest.approx(expected, abs=1e-12)


def test_with_all_judged_it_is_ndcg_of_exponential_gains() -> None:
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 4, 40).astype(float)
    order = rng.permutation(40)[:20]
    gains = (2**grades - 1) / 7
    found = stat_ndcg(grades[order], np.ones(20), sample_of(grades, np.ones(40)), 10)
    assert found.variance == 0
    assert found.estimate == pytest.approx(float(ndcg(gains[order], gains, 10)))


def test_grades_and_probabilities_beyond_all_bounds() -> None:
    high = sample_of(np.array([5000.0, 1.0]), np.array([1.0, 1e-300]))
    assert stat_ndcg(np.array([5000.0]), np.array([1.0]), high).estimate == pytest.approx(1)


def test_no_grade_no_value_and_wrong_arguments() -> None:
    nothing = sample_of(np.array([0.0, -2.0]), np.array([0.5, 0.5]))
    assert np.isnan(stat_ndcg(np.array([[0.0]]), np.array([[0.5]]), nothing).estimate).all()
    with pytest.raises(ValueError, match="carries no grades"):
        stat_ndcg(np.ones(1), np.ones(1), JudgedSample(np.ones(1), np.ones(1)))
    with pytest.raises(ValueError, match="k = 0"):
        stat_ndcg(np.ones(1), np.ones(1), sample_of(np.ones(1), np.ones(1)), k=0)
    with pytest.raises(ValueError, match="known together"):
        stat_ndcg(np.ones(1), np.array([NAN]), nothing)
    with pytest.raises(ValueError, match="shape"):
        JudgedSample(np.ones(1), np.ones(1), grades=np.ones(2))
