"""Agreement: the papers' own examples, slow references, edges."""

from __future__ import annotations

from dataclasses import astuple
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.kappa import cohen_kappa, fleiss_kappa, mean_cohen_kappa, overlap
from evaluation.agreement.krippendorff import krippendorff_alpha

NAN = float("nan")
# Krippendorff 2011, section C: four observers, twelve units.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


def spread(table: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The two columns of grades that make a table of counts."""
    cells = [(a, b) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    first, second = zip(*cells, strict=True)
    return np.array(first), np.array(second)


def test_cohens_own_example() -> None:
    # Cohen 1960, Table 1: 200 patients, observed agreement .70, by chance .41.
    found = cohen_kappa(*spread([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), resamples=300)
    assert found.value == pytest.approx((0.70 - 0.41) / (1 - 0.41))
    assert 0.35 < found.low < 0.45 < found.value < 0.55 < found.high < 0.65


def test_fleiss_by_hand() -> None:
    # Agreement (1 + 1/3 + 1/3) / 3 = 5/9 observed, (5/9)^2 + (4/9)^2 = 41/81 by chance.
    found = fleiss_kappa(np.array([[3, 0], [1, 2], [1, 2]]), resamples=20)
    assert found.value == pytest.approx((5 / 9 - 41 / 81) / (1 - 41 / 81))


def test_krippendorffs_own_example() -> None:
    assert krippendorff_alpha(OBSERVERS, resamples=20).value == pytest.approx(0.743, abs=0.0005)
    assert krippendorff_alpha(OBSERVERS, "ordinal", resamples=20).value == pytest.approx(0.815, abs=0.0005)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=10))
def test_kappa_pair_by_pair(grades: list[tuple[int, int]]) -> None:
    first, second = (np.array(column) for column in zip(*grades, strict=True))
    seen = np.mean([a != b for a, b in grades])
    chance = np.mean([a != b for a in first for b in second])
    expected = 1 - seen / chance if chance else NAN
    assert cohen_kappa(first, second, resamples=5).value == pytest.approx(expected, nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_alpha_pair_by_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 4, (3, 6)).astype(float)
    ratings[rng.uniform(size=ratings.shape) < 0.2] = NAN
    units = [[g for g in unit if not np.isnan(g)] for unit in ratings.T]
    units = [unit for unit in units if len(unit) > 1]
    everything = [grade for unit in units for grade in unit]
    if len(units) < 2 or len(set(everything)) < 2:
        return

    def ordinal(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(low <= g <= high for g in everything)
        return (between - (everything.count(a) + everything.count(b)) / 2) ** 2 if a != b else 0.0

    for level, distance in (("nominal", lambda a, b: float(a != b)), ("ordinal", ordinal)):
        seen = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2))
        chance = sum(distance(a, b) for a, b in permutations(everything, 2)) / (len(everything) - 1)
        found = krippendorff_alpha(ratings, level, resamples=5).value  # type: ignore[arg-type]
        assert found == pytest.approx(1 - seen / chance)


def test_fleiss_of_two_is_scotts_pi() -> None:
    rng = np.random.default_rng(4)
    grades = rng.integers(0, 3, (30, 2))
    counts = np.array([np.bincount(row, minlength=3) for row in grades])
    rates = np.bincount(grades.ravel(), minlength=3) / 60
    chance = float((rates**2).sum())
    agreed = float(np.mean(grades[:, 0] == grades[:, 1]))
    assert fleiss_kappa(counts, resamples=5).value == pytest.approx((agreed - chance) / (1 - chance))


def test_overlap_of_three() -> None:
    marks = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1]])
    assert overlap(marks, resamples=20).value == 0.5
    assert np.isnan(overlap(np.zeros((3, 2), int), resamples=5).value)


def test_full_agreement_and_one_grade_only() -> None:
    same = np.array([0, 1, 2, 1])
    assert cohen_kappa(same, same, resamples=20).value == 1.0
    flat = cohen_kappa(np.zeros(4, int), np.zeros(4, int), resamples=20)
    assert np.isnan([flat.value, flat.low, flat.high]).all()
    assert flat.undefined == 20
    assert np.isnan(fleiss_kappa(np.array([[2, 0], [2, 0]]), resamples=5).value)
    assert np.isnan(krippendorff_alpha(np.ones((2, 3)), resamples=5).value)


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="not of the same documents"):
        cohen_kappa(np.array([1, 0]), np.array([1]))
    with pytest.raises(ValueError, match="not of the same documents"):
        cohen_kappa(np.eye(2, dtype=int), np.eye(2, dtype=int))
    with pytest.raises(ValueError, match="at least 2 topics or documents"):
        cohen_kappa(np.array([1]), np.array([1]))
    with pytest.raises(ValueError, match="the same number of grades"):
        fleiss_kappa(np.array([[2, 0], [1, 0]]))
    with pytest.raises(ValueError, match="count -1 is negative"):
        fleiss_kappa(np.array([[3, -1], [1, 1]]))
    with pytest.raises(ValueError, match="at least 2 assessors"):
        overlap(np.ones((3, 1), int))
    with pytest.raises(ValueError, match="at least 2 documents with 2 grades, got 0"):
        krippendorff_alpha(np.array([[1, NAN], [NAN, 1]]))
    with pytest.raises(ValueError, match="no level is called 'ratio'"):
        krippendorff_alpha(OBSERVERS, "ratio")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="infinite"):
        krippendorff_alpha(np.array([[1, np.inf], [1, 1]]))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 4))
def test_the_mean_over_pairs_is_that_of_each_pair_by_itself(seed: int, assessors: int, grades: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, grades, (assessors, 12)).astype(np.float64)
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    values, weights = [], []
    for one, other in combinations(ratings, 2):
        both = ~np.isnan(one) & ~np.isnan(other)
        if both.sum() < 2:
            return
        kappa = cohen_kappa(one[both], other[both], resamples=2).value
        if not np.isnan(kappa):
            values.append(kappa)
            weights.append(int(both.sum()))
    found = mean_cohen_kappa(ratings, resamples=2).value
    expected = np.average(values, weights=weights) if values else NAN
    assert found == pytest.approx(expected, nan_ok=True)


def test_the_mean_over_one_pair_is_its_kappa_with_its_interval() -> None:
    first, second = spread([[8, 1, 2], [1, 4, 1], [0, 1, 6]])
    alone = cohen_kappa(first, second, resamples=200)
    ratings = np.array([first, second, np.full(len(first), NAN)])
    found = mean_cohen_kappa(ratings, resamples=200)
    assert astuple(found) == pytest.approx(astuple(alone))


def test_the_mean_over_pairs_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="got 1"):
        mean_cohen_kappa(np.array([[1, NAN], [1, 1]]))
    with pytest.raises(ValueError, match="dimensions"):
        mean_cohen_kappa(np.ones(3))
    with pytest.raises(ValueError, match="infinite"):
        mean_cohen_kappa(np.array([[1, np.inf], [1, 1]]))


def test_documents_graded_alike_can_be_counted() -> None:
    """Of 300 documents in few ways: the same figures as document by document, and intervals as wide."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 300)
    ratings = np.array([np.where(rng.random(300) < 0.7, truth, rng.integers(0, 3, 300)) for _ in range(3)])
    ways, times = np.unique(ratings, axis=1, return_counts=True)
    assert ways.shape[1] < 30
    counts = [(table[:, :, None] == np.arange(3)).sum(axis=0) for table in (ratings, ways)]
    every = ratings.astype(np.float64), ways.astype(np.float64)
    for whole, counted in (
        (cohen_kappa(ratings[0], ratings[1]), cohen_kappa(ways[0], ways[1], times=times)),
        (fleiss_kappa(counts[0]), fleiss_kappa(counts[1], times=times)),
        (mean_cohen_kappa(every[0]), mean_cohen_kappa(every[1], times=times)),
        (krippendorff_alpha(every[0], "ordinal"), krippendorff_alpha(every[1], "ordinal", times=times)),
    ):
        assert counted.value == pytest.approx(whole.value)
        assert (counted.low, counted.high) == pytest.approx((whole.low, whole.high), abs=0.02)
