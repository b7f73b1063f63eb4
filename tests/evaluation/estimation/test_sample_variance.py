"""Variances of counts from a stratified sample: as loops over pairs, and over many samples."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from evaluation.estimation.statap import (
    JudgedSample,
    stat_precision,
    stat_precision_variance,
    stat_relevant_variance,
)
from evaluation.estimation.statndcg import stat_ndcg

NAN = float("nan")
DRAWS, BUCKETS = 8, 5


def stevens(rng: np.random.Generator, chances: np.ndarray) -> np.ndarray:
    """Places drawn: buckets with replacement by their chance, documents of each without."""
    hits = np.bincount(rng.choice(BUCKETS, DRAWS, p=chances), minlength=BUCKETS)
    drawn = [bucket * DRAWS + rng.permutation(DRAWS)[:count] for bucket, count in enumerate(hits)]
    return np.concatenate(drawn)


def test_over_many_samples_the_variance_is_the_estimates_spread() -> None:
    rng = np.random.default_rng(5)
    chances = np.array([0.4, 0.25, 0.18, 0.1, 0.07])
    inclusion = np.repeat(chances, DRAWS)
    relevant = (rng.random(len(inclusion)) < 0.6).astype(float)
    counts, variances, precisions, spreads = [], [], [], []
    for _ in range(3000):
        drawn = stevens(rng, chances)
        sample = JudgedSample(relevant[drawn], inclusion[drawn])
        counts.append(sample.relevant)
        variances.append(stat_relevant_variance(sample))
        ranked, known = np.full(40, NAN), np.full(40, NAN)
        ranked[drawn], known[drawn] = relevant[drawn], inclusion[drawn]
        precisions.append(float(stat_precision(ranked, known, 20)))
        spreads.append(float(stat_precision_variance(ranked, known, sample, 20)))
    assert np.mean(counts) == pytest.approx(relevant.sum(), rel=0.02)
    assert np.mean(variances) == pytest.approx(np.var(counts), rel=0.1)
    assert np.mean(precisions) == pytest.approx(relevant[:20].mean(), rel=0.02)
    assert np.mean(spreads) == pytest.approx(np.var(precisions), rel=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_pair_by_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sample = JudgedSample(rng.integers(0, 2, 20).astype(float), rng.choice([0.1, 0.3, 0.6, 1.0], 20))
    draws = sum(sample.inclusion < 1)
    hits = [float(chance) for gain, chance in zip(sample.gains, sample.inclusion, strict=True) if gain]
    joint = sum(-1 / (draws - 1) / a / b for a, b in permutations(hits, 2) if a != b and a < 1 and b < 1)
    expected = max(sum((1 - chance) / chance**2 for chance in hits) + joint, 0)
    assert stat_relevant_variance(sample) == pytest.approx(expected)
    order = rng.permutation(20)
    found = stat_precision_variance(sample.gains[order][None], sample.inclusion[order][None], sample, 30)
    assert found == pytest.approx([expected / 900])


def test_over_many_samples_ndcg_spreads_about_as_said() -> None:
    """Twenty buckets of forty; a run that has most of the better documents first."""
    rng = np.random.default_rng(6)
    draws, chances = 40, np.linspace(2, 0.5, 20) / np.linspace(2, 0.5, 20).sum()
    inclusion = np.repeat(chances, draws)
    grades = np.where(rng.random(800) < 0.5, rng.choice([1.0, 2.0], 800), 0.0)
    order = np.argsort(-(grades + rng.normal(0, 1, 800)))[:500]
    everything = JudgedSample((grades > 0).astype(float), np.ones(800), grades=grades)
    true = float(stat_ndcg(grades[order], np.ones(500), everything).estimate)
    estimates, variances = [], []
    for _ in range(800):
        hits = np.bincount(rng.choice(20, draws, p=chances), minlength=20)
        drawn = np.concatenate([b * draws + rng.permutation(draws)[:count] for b, count in enumerate(hits)])
        seen, known = np.full(800, NAN), np.full(800, NAN)
        seen[drawn], known[drawn] = grades[drawn], inclusion[drawn]
        sample = JudgedSample((grades[drawn] > 0).astype(float), inclusion[drawn], grades=grades[drawn])
        found = stat_ndcg(seen[order], known[order], sample)
        estimates.append(float(found.estimate))
        variances.append(float(found.variance))
    assert np.mean(estimates) == pytest.approx(true, rel=0.02)
    # Linearised, so too small by some per cent; a ratio taken for a plain sum would be far off.
    assert 0.75 < np.mean(variances) / np.var(estimates) < 1.05
    assert np.mean(np.abs(np.array(estimates) - true) <= 2 * np.sqrt(variances)) > 0.82


@pytest.mark.parametrize("k", [20, 1000])
def test_ndcg_tells_no_spread_where_the_sample_fills_the_ideal(k: int) -> None:
    """Twenty of a hundred documents, drawn evenly; half of them have a grade."""
    rng = np.random.default_rng(9)
    grades = np.where(rng.random(100) < 0.5, rng.choice([1.0, 2.0], 100), 0.0)
    order = np.argsort(-(grades + rng.normal(0, 1, 100)))
    everything = JudgedSample((grades > 0).astype(float), np.ones(100), grades=grades)
    true = float(stat_ndcg(grades[order], np.ones(100), everything, k).estimate)
    estimates, variances = [], []
    for _ in range(1500):
        drawn = rng.choice(100, 20, replace=False)
        seen, known = np.full(100, NAN), np.full(100, NAN)
        seen[drawn], known[drawn] = grades[drawn], 0.2
        sample = JudgedSample((grades[drawn] > 0).astype(float), np.full(20, 0.2), grades=grades[drawn])
        found = stat_ndcg(seen[order], known[order], sample, k)
        estimates.append(float(found.estimate))
        variances.append(float(found.variance))
        fills = 5 * int((grades[drawn] > 0).sum()) >= k
        assert np.isnan(variances[-1]) == fills
    if k == 20:
        assert np.mean(np.isnan(variances)) > 0.95
    else:
        within = np.abs(np.array(estimates) - true) <= 2 * np.sqrt(variances)
        assert within.mean() > 0.75
        assert 0.75 < np.mean(variances) / np.var(estimates) < 1.05


def test_certain_documents_leave_no_doubt_and_one_by_chance_tells_nothing() -> None:
    assert stat_relevant_variance(JudgedSample(np.ones(3), np.ones(3))) == 0
    one = JudgedSample(np.ones(2), np.array([1.0, 0.5]))
    assert np.isnan(stat_relevant_variance(one))
    assert np.isnan(stat_precision_variance(np.array([[1.0]]), np.array([[0.5]]), one, 5)).all()
    with pytest.raises(ValueError, match="k = 0"):
        stat_precision_variance(np.ones(1), np.ones(1), one, 0)
