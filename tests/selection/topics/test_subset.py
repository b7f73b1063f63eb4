"""γ of subsets of topics, against matrices written out, simulation and exhaustive search."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.arrays import FloatArray
from selection.topics.subset import (
    MOST_SUBSETS,
    Covariances,
    GrowingSubset,
    PerformanceMatrix,
    best_subset,
    gamma,
)
from tests.selection.topics.tables import random_matrix

SEEDS = st.integers(0, 2**32 - 1)


def naive_gamma(matrix: PerformanceMatrix, subset: tuple[int, ...]) -> float:
    """Equation 5 as it is printed."""
    sigma = np.cov(matrix.mean, rowvar=False)
    uncertainty = matrix.variance.mean(axis=0)
    numerator = sum(sigma[i, j] for i in range(matrix.topics) for j in subset)
    denominator = sum(sigma[i, j] for i in subset for j in subset) + sum(uncertainty[j] for j in subset)
    return float(numerator / np.sqrt(denominator))


@given(seed=SEEDS, runs=st.integers(3, 9), topics=st.integers(2, 7))
def test_gamma_is_equation_5(seed: int, runs: int, topics: int) -> None:
    generator = np.random.default_rng(seed)
    matrix = random_matrix(generator, runs, topics)
    subset = tuple(generator.permutation(topics)[: generator.integers(1, topics + 1)].tolist())
    assert gamma(matrix, subset) == pytest.approx(naive_gamma(matrix, subset), rel=1e-9)


@given(seed=SEEDS)
def test_without_uncertainty_it_is_pearsons_correlation(seed: int) -> None:
    generator = np.random.default_rng(seed)
    mean = random_matrix(generator, 6, 5).mean
    matrix = PerformanceMatrix(mean, np.zeros_like(mean))
    subset = [0, 3]
    growing = GrowingSubset(Covariances(matrix))
    for topic in subset:
        growing.add(topic)
    expected = np.corrcoef(mean.mean(axis=1), mean[:, subset].mean(axis=1))[0, 1]
    assert growing.correlation == pytest.approx(expected, rel=1e-9)
    total = np.cov(mean, rowvar=False).sum()
    assert growing.gamma == pytest.approx(expected * np.sqrt(total), rel=1e-9)


def test_variance_of_means_is_that_of_noisy_scores() -> None:
    """Equation 2: the runs' spread and the noise of their scores add up."""
    generator = np.random.default_rng(4)
    matrix = random_matrix(generator, 12, 5)
    subset = [1, 2, 4]
    noisy = matrix.mean + np.sqrt(matrix.variance) * generator.standard_normal((40_000, 12, 5))
    means = noisy[:, :, subset].mean(axis=2)
    simulated = means.var(axis=1, ddof=1).mean()
    c = Covariances(matrix)
    spread = c.between(np.array(subset)).sum() + c.uncertainty[subset].sum()
    assert spread / len(subset) ** 2 == pytest.approx(simulated, rel=0.01)


@given(seed=SEEDS, topics=st.integers(2, 6), chosen=st.integers(0, 4))
def test_a_step_finds_gamma_with_every_topic(seed: int, topics: int, chosen: int) -> None:
    matrix = random_matrix(np.random.default_rng(seed), 5, topics)
    growing = GrowingSubset(Covariances(matrix))
    for topic in range(min(chosen, topics - 1)):
        growing.add(topic)
    found = growing.gammas()
    for topic in range(topics):
        if topic in growing.chosen:
            assert np.isnan(found[topic])
        else:
            assert found[topic] == pytest.approx(naive_gamma(matrix, (*growing.chosen, topic)), rel=1e-9)


@given(seed=SEEDS, size=st.integers(1, 6))
def test_the_best_of_all_subsets_is_found(seed: int, size: int) -> None:
    matrix = random_matrix(np.random.default_rng(seed), 5, 6)
    best = best_subset(matrix, size, np.random.default_rng(0))
    every = [naive_gamma(matrix, subset) for subset in combinations(range(6), size)]
    assert naive_gamma(matrix, best) == pytest.approx(max(every), rel=1e-9)


def test_large_sizes_are_searched_at_random() -> None:
    matrix = random_matrix(np.random.default_rng(1), 5, 40)
    one, other = (best_subset(matrix, 20, np.random.default_rng(seed)) for seed in (3, 3))
    assert one == other
    assert len(set(one)) == 20
    some = [gamma(matrix, np.random.default_rng(n).permutation(40)[:20].tolist()) for n in range(100)]
    assert gamma(matrix, one) > max(some)
    # Nine of forty would be 273 million subsets.
    assert MOST_SUBSETS < 1_000_000
    assert len(best_subset(matrix, 9, np.random.default_rng(3))) == 9


@settings(max_examples=30)
@given(seed=SEEDS)
def test_order_of_runs_and_names_of_topics_do_not_matter(seed: int) -> None:
    generator = np.random.default_rng(seed)
    matrix = random_matrix(generator, 7, 6)
    runs, topics = generator.permutation(7), generator.permutation(6)
    shuffled = PerformanceMatrix(matrix.mean[np.ix_(runs, topics)], matrix.variance[np.ix_(runs, topics)])
    places = np.argsort(topics)
    for subset in ((0,), (1, 4), (0, 2, 5)):
        renamed = [int(places[topic]) for topic in subset]
        assert gamma(shuffled, renamed) == pytest.approx(gamma(matrix, subset), rel=1e-9)


def test_scores_that_do_not_vary_are_worth_nothing() -> None:
    matrix = PerformanceMatrix(np.full((3, 4), 0.3), np.zeros((3, 4)))
    assert gamma(matrix, [0, 1]) == 0
    assert Covariances(matrix).correlation_with_rest.tolist() == [0, 0, 0, 0]
    assert GrowingSubset(Covariances(matrix)).correlation == 0
    assert best_subset(matrix, 2, np.random.default_rng(0)) == (0, 1)


def test_correlation_with_the_rest_leaves_the_topic_out() -> None:
    matrix = random_matrix(np.random.default_rng(5), 8, 4)
    rest = matrix.mean[:, 1:].sum(axis=1)
    expected = np.corrcoef(matrix.mean[:, 0], rest)[0, 1]
    assert Covariances(matrix).correlation_with_rest[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("mean", "variance", "why"),
    [
        (np.zeros((2, 3)), np.zeros((2, 3)), "2 runs: topics are chosen with 3 or more"),
        (np.zeros((3, 3)), np.zeros((3, 2)), r"scores of shape \(3, 3\), variances of \(3, 2\)"),
        (np.full((3, 1), np.nan), np.zeros((3, 1)), "not a finite number"),
        (np.zeros((3, 1)), np.full((3, 1), -0.1), "a variance is negative"),
    ],
)
def test_bad_matrices_are_refused(mean: FloatArray, variance: FloatArray, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        PerformanceMatrix(mean, variance)


def test_bad_subsets_are_refused() -> None:
    matrix = random_matrix(np.random.default_rng(0), 3, 3)
    with pytest.raises(ValueError, match="topic 3 of 3"):
        gamma(matrix, [3])
    with pytest.raises(ValueError, match="topic 1 is in the subset already"):
        gamma(matrix, [1, 1])
    with pytest.raises(ValueError, match="a subset of 4 of 3 topics"):
        best_subset(matrix, 4, np.random.default_rng(0))
