from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from selection.randomness import lot

DRAWN = np.array([lot("overlap", 1, "701", f"GX{n:06}") for n in range(20_000)])


def test_lots_are_uniform() -> None:
    assert DRAWN.min() >= 0
    assert DRAWN.max() < 1
    assert stats.kstest(DRAWN, "uniform").pvalue > 0.01
    for share in (0.01, 0.1, 0.5):
        assert stats.binomtest(int((share > DRAWN).sum()), len(DRAWN), share).pvalue > 0.01


def test_a_lot_tells_nothing_of_the_grade() -> None:
    # Grades fall down the list and come in stretches, as they do in rankings.
    grades = (np.arange(len(DRAWN)) // 500) % 3
    table = [np.bincount(grades[DRAWN < 0.3], minlength=3), np.bincount(grades[DRAWN >= 0.3], minlength=3)]
    assert stats.chi2_contingency(table).pvalue > 0.01


def test_each_name_counts_and_one_lot_says_nothing_of_another() -> None:
    other = [
        np.array([lot("repeat", 1, "701", f"GX{n:06}") for n in range(5000)]),
        np.array([lot("overlap", 2, "701", f"GX{n:06}") for n in range(5000)]),
        np.array([lot("overlap", 1, "702", f"GX{n:06}") for n in range(5000)]),
    ]
    for drawn in other:
        assert stats.spearmanr(DRAWN[:5000], drawn).pvalue > 0.01


def test_lots_stay_as_they_are() -> None:
    assert lot("overlap", 1, "701", "d1") == pytest.approx(0.7734395, abs=1e-6)


def test_names_cannot_run_into_each_other() -> None:
    assert lot("a", "b") != lot("ab")
    with pytest.raises(ValueError, match="line feed"):
        lot("a\nb")
