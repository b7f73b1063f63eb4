"""Means and variances of scores under probabilities of relevance, against all outcomes written out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.arrays import FloatArray
from evaluation.estimation.mtc import topic_moments
from selection.topics.lists import TopicLists
from selection.topics.measures import VARIANCES, uncertain_measure
from tests.selection.topics.tables import random_lists

LISTS = TopicLists(
    5,
    [np.array([0, 1, 2]), np.array([3, 0]), None, np.array([4, 3, 2, 1, 0])],
    [np.arange(3.0), np.arange(2.0), None, np.arange(5.0)],
)


def precision(ranking: list[int], relevant: tuple[int, ...]) -> float:
    return sum(relevant[document] for document in ranking[:2]) / 2


def rbp(ranking: list[int], relevant: tuple[int, ...]) -> float:
    return sum(0.2 * 0.8**rank * relevant[document] for rank, document in enumerate(ranking))


@settings(max_examples=20)
@given(p=st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]), min_size=5, max_size=5))
@pytest.mark.parametrize(("name", "score"), [("P@2", precision), ("RBP(p=0.8)", rbp)])
def test_linear_measures_are_exact(name: str, score: object, p: list[float]) -> None:
    found = uncertain_measure(name)(LISTS, np.array(p))
    for run, ranking in enumerate(LISTS.rankings):
        ranked = [] if ranking is None else ranking.tolist()
        outcomes = [
            (score(ranked, bits), np.prod([q if bit else 1 - q for q, bit in zip(p, bits, strict=True)]))  # type: ignore[operator]
            for bits in product((0, 1), repeat=5)
        ]
        mean = sum(value * chance for value, chance in outcomes)
        variance = sum((value - mean) ** 2 * chance for value, chance in outcomes)
        assert (found[0][run], found[1][run]) == (pytest.approx(mean), pytest.approx(variance, abs=1e-12))


@pytest.mark.parametrize("of", VARIANCES)
@pytest.mark.parametrize("name", ["AP", "R@2", "R@100"])
def test_measures_with_a_denominator_are_exact_once_all_is_judged(name: str, of: str) -> None:
    relevance = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    mean, variance = uncertain_measure(name, of)(LISTS, relevance)
    expected = {
        "AP": [(1 + 2 / 3) / 3, (1 + 1) / 3, 0, (1 / 2 + 2 / 3 + 3 / 5) / 3],
        "R@2": [1 / 3, 2 / 3, 0, 1 / 3],
        "R@100": [2 / 3, 2 / 3, 0, 1],
    }
    np.testing.assert_allclose(mean, expected[name])
    assert variance.tolist() == [0, 0, 0, 0]


def precision_sum(ranking: list[int], relevant: tuple[int, ...]) -> float:
    """AP times R: the sum of the precisions at relevant documents."""
    found = [relevant[document] for document in ranking]
    return float(sum(sum(found[: place + 1]) / (place + 1) for place, bit in enumerate(found) if bit))


def recalled(ranking: list[int], relevant: tuple[int, ...]) -> float:
    return float(sum(relevant[document] for document in ranking[:2]))


@settings(max_examples=20)
@given(p=st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]), min_size=5, max_size=5).filter(sum))
@pytest.mark.parametrize(("name", "total"), [("AP", precision_sum), ("R@2", recalled)])
def test_published_moments_are_exact_with_relevant_documents_held(
    name: str, total: Callable[[list[int], tuple[int, ...]], float], p: list[float]
) -> None:
    """All outcomes written out, each divided by the expected number of relevant documents."""
    means, variances = uncertain_measure(name)(LISTS, np.array(p))
    for run, ranking in enumerate(LISTS.rankings):
        ranked = [] if ranking is None else ranking.tolist()
        outcomes = [
            (
                total(ranked, bits) / sum(p),
                np.prod([q if bit else 1 - q for q, bit in zip(p, bits, strict=True)]),
            )
            for bits in product((0, 1), repeat=5)
        ]
        mean = sum(value * chance for value, chance in outcomes)
        variance = sum((value - mean) ** 2 * chance for value, chance in outcomes)
        assert (means[run], variances[run]) == (pytest.approx(mean), pytest.approx(variance, abs=1e-12))


def paper_variance(ranking: list[int], p: FloatArray) -> float:
    """Carterette, Allan and Sitaraman 2006, Var[AP], term by term."""
    n = len(ranking)
    x = p[ranking]
    q = 1 - x
    a = 1 / np.maximum.outer(np.arange(1, n + 1), np.arange(1, n + 1))
    found = sum(a[i, i] ** 2 * x[i] * q[i] for i in range(n))
    for i in range(n):
        found += sum(a[i, j] ** 2 * x[i] * x[j] * (1 - x[i] * x[j]) for j in range(i + 1, n))
        found += sum(2 * a[i, i] * a[i, j] * x[i] * x[j] * q[i] for j in range(n) if j != i)
        found += sum(
            2 * a[i, j] * a[i, k] * x[i] * x[j] * x[k] * q[i]
            for j in range(n)
            for k in range(j + 1, n)
            if i not in (j, k)
        )
    return float(found / p.sum() ** 2)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), missing=st.sampled_from([0.0, 0.4]))
def test_published_variance_of_average_precision_is_the_papers(seed: int, missing: float) -> None:
    generator = np.random.default_rng(seed)
    lists = random_lists(generator, 4, 15, 8, missing)
    relevance = np.clip(generator.random(lists.documents) * 1.6 - 0.3, 0, 1)
    variance = uncertain_measure("AP")(lists, relevance)[1]
    each = [0.0 if one is None else paper_variance(one.tolist(), relevance) for one in lists.rankings]
    np.testing.assert_allclose(variance, each, rtol=1e-10, atol=1e-15)


@given(seed=st.integers(0, 2**32 - 1), missing=st.sampled_from([0.0, 0.4]))
def test_average_precision_of_all_runs_at_once_is_that_of_each(seed: int, missing: float) -> None:
    generator = np.random.default_rng(seed)
    lists = random_lists(generator, 6, 30, 12, missing)
    # Some documents judged, the others probable.
    relevance = np.clip(generator.random(lists.documents) * 1.6 - 0.3, 0, 1)
    each = topic_moments(lists.rankings, relevance)
    published = each.sp_variance / max(each.relevant, 1e-300) ** 2
    for of, expected in (("published", published), ("delta", each.ap_variance)):
        mean, variance = uncertain_measure("AP", of)(lists, relevance)
        np.testing.assert_allclose(mean, each.ap, rtol=1e-12)
        np.testing.assert_allclose(variance, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["AP", "R@40"])
def test_delta_moments_are_near_those_of_all_outcomes(name: str) -> None:
    """Better the more relevant documents are expected."""
    generator = np.random.default_rng(2)
    rankings = [generator.permutation(60)[:40] for _ in range(2)]
    lists = TopicLists(60, [*rankings, np.arange(60)], [np.arange(40.0), np.arange(40.0), np.arange(60.0)])
    p = 0.3 + 0.4 * generator.random(60)
    mean, variance = uncertain_measure(name, "delta")(lists, p)
    drawn = np.array(
        [uncertain_measure(name)(lists, (generator.random(60) < p).astype(float))[0] for _ in range(3000)]
    )
    np.testing.assert_allclose(mean, drawn.mean(axis=0), rtol=0.03)
    np.testing.assert_allclose(variance, drawn.var(axis=0), rtol=0.15)


@given(p=st.lists(st.floats(0.01, 0.99), min_size=5, max_size=5))
@pytest.mark.parametrize("of", VARIANCES)
@pytest.mark.parametrize("name", ["AP", "R@100"])
def test_rounding_makes_no_variance_negative(name: str, of: str, p: list[float]) -> None:
    """Where a run ranks all that may be relevant, recall is certain."""
    variance = uncertain_measure(name, of)(LISTS, np.array(p))[1]
    assert (variance >= 0).all()


@pytest.mark.parametrize("of", VARIANCES)
@pytest.mark.parametrize("name", ["AP", "P@3", "R@3", "RBP"])
def test_a_topic_without_relevant_documents_scores_nothing(name: str, of: str) -> None:
    mean, variance = uncertain_measure(name, of)(LISTS, np.zeros(5))
    assert mean.tolist() == variance.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("name", ["nDCG@10", "P@0", "P", "RBP(p=1.0)", "", "P@10 AP"])
def test_other_measures_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="topics are not chosen by"):
        uncertain_measure(name)


def test_other_variances_are_refused() -> None:
    with pytest.raises(ValueError, match="variance = 'exact' is not one of published, delta"):
        uncertain_measure("AP", "exact")


def test_a_topic_that_no_run_answers_scores_nothing() -> None:
    empty: FloatArray = np.zeros(0)
    lists = TopicLists(0, [None, None, None], [None, None, None])
    for name in ("AP", "P@3", "R@3", "RBP"):
        mean, variance = uncertain_measure(name)(lists, empty)
        assert mean.tolist() == variance.tolist() == [0, 0, 0]
    features = lists.features(np.zeros(3))
    assert (features.general.shape, features.scores.shape) == ((0, 7), (0, 3))
    assert lists.weighted_features(np.ones(10), np.zeros(3)).shape == (0,)
