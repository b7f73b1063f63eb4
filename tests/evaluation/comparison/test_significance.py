"""Paired tests: textbook figures, slow references, and what the edges give."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation.comparison.significance import TESTS, Test, p_values

# Student 1908, section IX, after Cushny and Peebles: extra hours of sleep, ten patients, two drugs.
SLEEP = np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
# Darwin's plants as in Fisher 1935, section 17: crossed minus self-fertilised, eighths of an inch.
DARWIN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], dtype=float)


def test_t_of_students_own_data() -> None:
    assert p_values(SLEEP, "t", tails=2)[0] == pytest.approx(0.002833, abs=5e-7)
    assert p_values(SLEEP, "t", tails=1)[0] == pytest.approx(0.001416, abs=5e-7)


def test_fishers_randomisation_of_darwins_plants() -> None:
    # Fisher 1935, section 21: of 32768 sums, 863 are at least as large in their favour, 1726 in all.
    all_signs = [
        sum(s * d for s, d in zip(signs, DARWIN, strict=True)) for signs in product([1, -1], repeat=15)
    ]
    assert sum(total >= DARWIN.sum() for total in all_signs) == 863
    drawn = p_values(DARWIN, "randomisation", tails=1, resamples=40_000)[0]
    assert drawn == pytest.approx(863 / 32768, abs=4 * np.sqrt(0.0263 / 40_000))
    assert p_values(DARWIN, "t", tails=2)[0] == pytest.approx(0.0497, abs=5e-5)


def test_sign_test_of_darwins_plants() -> None:
    # 13 of 15 are above 0.
    assert p_values(DARWIN, "sign", tails=1)[0] == pytest.approx((105 + 15 + 1) / 2**15)
    assert p_values(DARWIN, "sign", tails=2)[0] == pytest.approx(2 * (105 + 15 + 1) / 2**15)


def test_wilcoxon_with_ties_is_exact_for_few_topics() -> None:
    # Ranks 1.5, 1.5, 3, 4; only ---- and no other sign vector is as far: 1 of 16.
    assert p_values(np.array([1.0, 1.0, 2.0, 3.0, 0.0]), "wilcoxon", tails=1)[0] == 1 / 16


def slow(values: list[float], test: Test, tails: int) -> float:
    """All sign vectors, one by one."""
    kept = [value for value in values if value or test != "wilcoxon"]
    if test == "wilcoxon":
        kept = list(np.sign(kept) * stats.rankdata(np.abs(kept)))
    if test == "sign":
        kept = [float(np.sign(value)) for value in values if value]
    sums = [
        sum(s * abs(v) for s, v in zip(signs, kept, strict=True))
        for signs in product([1, -1], repeat=len(kept))
    ]
    observed = sum(kept)
    if tails == 2:
        sums, observed = [abs(total) for total in sums], abs(observed)
    return sum(total >= observed - 1e-9 for total in sums) / len(sums)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=8),
    st.sampled_from(["wilcoxon", "sign", "randomisation"]),
    st.sampled_from([1, 2]),
)
def test_against_enumeration(values: list[int], test: Test, tails: int) -> None:
    found = p_values(np.array(values) / 10, test, tails)[0]
    assert found == pytest.approx(slow([value / 10 for value in values], test, tails), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.sampled_from(TESTS), st.sampled_from([1, 2]))
def test_a_pair_is_tested_alike_alone_and_in_company(seed: int, topics: int, test: Test, tails: int) -> None:
    rows = np.round(np.random.default_rng(seed).normal(0.1, 1, (6, topics + 1)), 1)
    together = p_values(rows, test, tails, resamples=200)
    alone = [p_values(row, test, tails, resamples=200)[0] for row in rows]
    assert together == pytest.approx(alone, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(20, 70), st.booleans())
def test_wilcoxon_is_scipys(seed: int, topics: int, coarse: bool) -> None:
    row = np.random.default_rng(seed).normal(0.2, 1, topics)
    row = np.round(row, 1) if coarse else row
    kept = row[row != 0]
    assume(len(kept) > 13)
    tied = len(set(np.abs(kept))) < len(kept)
    method: Any = "asymptotic" if tied or len(kept) > 50 else "exact"
    expected = stats.wilcoxon(kept, alternative="greater", method=method).pvalue
    assert p_values(row, "wilcoxon", tails=1)[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("test", TESTS)
def test_identical_runs_are_never_different(test: Test) -> None:
    assert p_values(np.zeros((2, 30)), test, tails=1).tolist() == [1.0, 1.0]


def test_a_constant_difference() -> None:
    rows = np.array([[0.1] * 5, [-0.1] * 5])
    assert p_values(rows, "t", tails=1).tolist() == [0.0, 1.0]
    assert p_values(rows, "t", tails=2).tolist() == [0.0, 0.0]
    assert p_values(rows, "wilcoxon", tails=1).tolist() == [1 / 32, 1.0]


def test_ties_on_paper_are_ties_here() -> None:
    noisy = np.array([0.3 - 0.1, 0.2, 0.4 - 0.2, 0.9])
    assert p_values(noisy, "wilcoxon", 2)[0] == p_values(np.array([0.2, 0.2, 0.2, 0.9]), "wilcoxon", 2)[0]


def test_the_seed_decides() -> None:
    row = np.random.default_rng(3).normal(0.2, 1, 40)
    first = p_values(row, "randomisation", seed=1)
    assert first == p_values(row, "randomisation", seed=1)
    assert first != p_values(row, "randomisation", seed=2)


def test_one_topic() -> None:
    assert p_values(np.array([[0.4]]), "wilcoxon", tails=1)[0] == 0.5
    with pytest.raises(ValueError, match="at least 2 topics, got 1"):
        p_values(np.array([[0.4]]), "t")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"differences": np.zeros((2, 0))}, "at least 1 topics, got 0"),
        ({"differences": np.array([0.1, np.nan])}, "a difference is nan"),
        ({"differences": np.zeros((1, 2, 2))}, "3 dimensions"),
        ({"test": "z"}, "no test is called 'z'"),
        ({"tails": 3}, "tails = 3"),
        ({"test": "randomisation", "resamples": 0}, "resamples = 0"),
    ],
)
def test_wrong_input_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        p_values(**{"differences": np.ones((1, 20)), **arguments})
