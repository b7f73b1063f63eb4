"""Honest assessors are flagged at most once in a hundred, random ones mostly: simulated grades of two people.

`docs/evidence/flags.md` has the rates of thousands of assessors.
"""

from __future__ import annotations

import numpy as np
import pytest

from campaigns.quality.flags import LEAST_COMPARED, is_by_chance
from evaluation.agreement.kappa_over_time import pooled_kappa
from evaluation.arrays import IntArray

ASSESSORS = 200
# Shares of grades 0, 1 and 2 in the qrels of TREC-COVID, first round, and the share of wrong grades.
SHARES, ERRORS = np.array([0.73, 0.13, 0.14]), 0.1


def with_errors(truth: IntArray, dice: np.random.Generator) -> IntArray:
    """One grade in ten becomes a neighbouring one."""
    neighbour = np.where(truth == 1, 2 * dice.integers(0, 2, len(truth)), 1)
    return np.where(dice.random(len(truth)) < ERRORS, neighbour, truth)


def flagged_share(documents: int, *, honest: bool) -> float:
    dice = np.random.default_rng(43)
    flagged = 0
    for _ in range(ASSESSORS):
        truth = dice.choice(3, p=SHARES, size=documents)
        own = with_errors(truth, dice) if honest else dice.integers(0, 3, documents)
        flagged += is_by_chance(pooled_kappa(own, with_errors(truth, dice), np.arange(documents)))
    return flagged / ASSESSORS


@pytest.mark.parametrize("documents", [LEAST_COMPARED, 43, 100])
def test_honest_assessors_are_rarely_flagged(documents: int) -> None:
    assert flagged_share(documents, honest=True) <= 0.02


@pytest.mark.parametrize(("documents", "least"), [(LEAST_COMPARED, 0.5), (43, 0.8), (100, 0.9)])
def test_random_assessors_are_mostly_flagged(documents: int, least: float) -> None:
    assert flagged_share(documents, honest=False) >= least
