"""The AP prior, and Stevens' sampling: probabilities against enumeration and against what is drawn."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

from evaluation.arrays import FloatArray
from selection.methods.statap import Buckets, ap_prior, document_prior, stevens
from selection.pool import build_topic_pool
from tests.selection.reference.statap import slow_document_prior, slow_inclusion, slow_rank_prior

priors = st.lists(st.integers(1, 9), min_size=1, max_size=8)
DRAWS = 20_000


def prior_of(length: int) -> FloatArray:
    """The prior of all ranks of one ranking."""
    return ap_prior(np.arange(1, length + 1), np.full(length, length))


def test_golden_ap_prior_of_five_ranks() -> None:
    assert prior_of(5) == pytest.approx([0.328333, 0.228333, 0.178333, 0.145, 0.12], abs=5e-7)


@pytest.mark.parametrize("length", [1, 2, 7, 1000])
def test_ap_prior_is_a_distribution_and_that_of_the_pairs_of_ranks(length: int) -> None:
    prior = prior_of(length)
    assert prior.sum() == pytest.approx(1, abs=1e-12)
    assert (np.diff(prior) < 0).all()
    ranks = np.arange(1, length + 1)
    pairs = (1 + np.eye(length)) / np.maximum.outer(ranks, ranks)
    assert prior == pytest.approx(pairs.sum(axis=1) / pairs.sum(), rel=1e-12)
    assert prior[:50] == pytest.approx([float(slow_rank_prior(r, length)) for r in ranks[:50].tolist()])


def test_a_document_s_prior_is_the_mean_over_the_runs_that_rank_the_topic() -> None:
    rankings: list[list[int]] = [[4, 2, 9], [2, 7], [], [5, 4]]
    contributing = [True, True, True, False]
    arrays = [np.array(ranking, dtype=np.int32) for ranking in rankings]
    pool = build_topic_pool(arrays, 0.8, np.array(contributing))
    prior = document_prior(pool, np.array(contributing))
    slow = slow_document_prior(rankings[:2])
    assert prior == pytest.approx([float(slow.get(document, 0)) for document in pool.documents.tolist()])
    assert prior.sum() == pytest.approx(1)
    assert document_prior(pool, np.zeros(4, dtype=np.bool_)).tolist() == [0.0] * len(pool)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(priors, st.integers(1, 4))
def test_probabilities_are_those_of_all_ways_in_which_buckets_can_be_hit(prior: list[int], size: int) -> None:
    buckets = stevens(np.array(prior, dtype=np.float64), size)
    single, joint = slow_inclusion([Fraction(one) for one in prior], size)
    assert buckets.order.tolist() == sorted(range(len(prior)), key=lambda d: (-prior[d], d))
    assert buckets.inclusion() == pytest.approx([float(single[d]) for d in buckets.order.tolist()], rel=1e-12)
    for (first, d), (second, f) in combinations(enumerate(buckets.order.tolist()), 2):
        found = buckets.joint()[buckets.bucket[first], buckets.bucket[second]]
        assert found == pytest.approx(float(joint[d, f]), rel=1e-12, abs=1e-15)


def indicators(buckets: Buckets, seed: int, draws: int = DRAWS) -> np.ndarray:
    """Which places were drawn, bool (draws, n)."""
    generator = np.random.default_rng(seed)
    drawn = np.zeros((draws, len(buckets.order)), dtype=np.bool_)
    for row in drawn:
        row[buckets.draw(generator)] = True
    return drawn


# Four full buckets and one of three; and four, all of them full.
LAYOUTS = [stevens(prior_of(23), 5), stevens(prior_of(24), 6)]


@pytest.mark.parametrize("buckets", LAYOUTS)
def test_documents_are_drawn_as_often_as_told(buckets: Buckets) -> None:
    drawn = indicators(buckets, seed=11)
    assert surprise(drawn, buckets.inclusion(), buckets) > 0.001
    proportional = prior_of(len(buckets.order)) * buckets.size
    assert surprise(drawn, proportional, buckets) < 1e-9


def surprise(drawn: np.ndarray, single: np.ndarray, buckets: Buckets) -> float:
    """The p of a chi-square test on all documents' counts at once, with the covariance of their draws."""
    at, exact = buckets.bucket, buckets.inclusion()
    both = buckets.joint()[np.ix_(at, at)]
    np.fill_diagonal(both, exact)
    covariance = both - np.outer(exact, exact)
    # Where all buckets are full the sample's size never varies, and the matrix lacks a rank.
    inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    rank = int(np.linalg.matrix_rank(covariance, tol=1e-9, hermitian=True))
    off = drawn.mean(axis=0) - single
    return float(chi2.sf(len(drawn) * off @ inverse @ off, rank))


@pytest.mark.parametrize("buckets", LAYOUTS)
def test_pairs_of_documents_are_drawn_together_as_often_as_told(buckets: Buckets) -> None:
    drawn, single = indicators(buckets, seed=12), buckets.inclusion()
    at = buckets.bucket
    both_hit: list[float] = []
    independent: list[float] = []
    for d, f in [(0, 1), (0, 6), (0, 21), (1, 22), (6, 9), (7, 15), (12, 22), (16, 18), (20, 21), (21, 22)]:
        counts = np.bincount(drawn[:, d] * 2 + drawn[:, f], minlength=4)
        for both, found in ((buckets.joint()[at[d], at[f]], both_hit), (single[d] * single[f], independent)):
            expected = np.array([1 - single[d] - single[f] + both, single[f] - both, single[d] - both, both])
            found.append(chisquare(counts, expected * DRAWS).pvalue)
    assert min(both_hit) > 0.001
    # In different buckets they exclude each other a little, and the test sees it.
    assert min(independent) < 1e-6


def test_a_sample_has_as_many_documents_as_told_on_average_and_none_twice() -> None:
    buckets = LAYOUTS[0]
    generator = np.random.default_rng(5)
    samples = [buckets.draw(generator).tolist() for _ in range(2000)]
    assert all(len(set(sample)) == len(sample) <= buckets.size for sample in samples)
    mean = np.mean([len(sample) for sample in samples])
    assert mean == pytest.approx(buckets.inclusion().sum(), abs=0.02)


def test_every_document_is_equally_likely_to_come_first_in_a_sample_of_all() -> None:
    buckets, generator = stevens(prior_of(6), 9), np.random.default_rng(8)
    first = np.bincount([buckets.draw(generator)[0] for _ in range(6000)], minlength=6)
    assert chisquare(first).pvalue > 0.001


@pytest.mark.parametrize("size", [5, 6, 400])
def test_a_sample_as_large_as_the_pool_is_the_pool_for_certain(size: int) -> None:
    buckets = stevens(prior_of(5), size)
    assert buckets.inclusion().tolist() == [1.0] * 5
    assert buckets.joint().tolist() == [[1.0]]
    assert sorted(buckets.draw(np.random.default_rng(0)).tolist()) == [0, 1, 2, 3, 4]


def test_documents_without_prior_are_in_no_bucket() -> None:
    buckets = stevens(np.array([0.0, 0.5, 0.0, 0.5]), 1)
    assert buckets.order.tolist() == [1, 3]
    assert buckets.inclusion().tolist() == [0.5, 0.5]
    nothing = stevens(np.zeros(3), 2)
    assert len(nothing.inclusion()) == len(nothing.draw(np.random.default_rng(0))) == 0


def test_sums_of_the_same_parts_in_another_order_tie() -> None:
    assert stevens(np.array([0.3, 0.1 + 0.2, 0.4]), 2).order.tolist() == [2, 0, 1]


def test_what_cannot_be_drawn_from_is_refused() -> None:
    with pytest.raises(ValueError, match="size = 0"):
        stevens(np.array([1.0]), 0)
    for wrong in (-0.5, np.nan, np.inf):
        with pytest.raises(ValueError, match=f"prior {wrong}"):
            stevens(np.array([0.5, wrong]), 1)
