from __future__ import annotations

from collections import Counter
from math import inf

import numpy as np
import pytest

from campaigns.demo.index import Floats, Index, build_index, count_words
from campaigns.demo.rankers import language_models, probabilistic, simple, vectors
from tests.demo import slow_rankers
from tests.demo.slow_rankers import SlowIndex

WORDS = ["apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel", "iris", "jasmine"]
QUERIES = ["apple fig", "banana banana grape", "jasmine", "cherry damson elder hazel"]


@pytest.fixture(scope="module", params=[1, 2, 3])
def texts(request: pytest.FixtureRequest) -> list[str]:
    """Forty documents of very different lengths, common and rare words."""
    rng = np.random.default_rng(request.param)
    chances = np.arange(len(WORDS), 0, -1) / np.arange(len(WORDS), 0, -1).sum()
    drawn = [" ".join(rng.choice(WORDS, size=rng.integers(1, 40), p=chances)) for _ in range(39)]
    # Every word occurs, and one document is all one word.
    return [*drawn, "jasmine jasmine", " ".join(WORDS)]


def fast_index(texts: list[str]) -> Index:
    return build_index(*count_words(texts), lambda word: [word])


def assert_same(fast: Floats, slow: list[list[float]]) -> None:
    np.testing.assert_allclose(fast, np.array(slow), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.5, 1.0)])
def test_bm25(texts: list[str], k1: float, b: float) -> None:
    index, slow = fast_index(texts), SlowIndex(texts)
    scores = probabilistic.bm25(index, index.queries(QUERIES), k1=k1, b=b)
    assert_same(
        scores,
        [[slow_rankers.bm25(slow, Counter(q.split()), d, k1, b) for d in range(slow.n)] for q in QUERIES],
    )


def test_divergence_from_randomness(texts: list[str]) -> None:
    index, slow = fast_index(texts), SlowIndex(texts)
    scores = probabilistic.divergence_from_randomness(index, index.queries(QUERIES))
    assert_same(
        scores, [[slow_rankers.dph(slow, Counter(q.split()), d) for d in range(slow.n)] for q in QUERIES]
    )


@pytest.mark.parametrize("mu", [10.0, 500.0])
def test_dirichlet(texts: list[str], mu: float) -> None:
    index, slow = fast_index(texts), SlowIndex(texts)
    scores = language_models.dirichlet(index, index.queries(QUERIES), mu=mu)
    wanted = [
        [slow_rankers.dirichlet(slow, dict(Counter(q.split())), d, mu) for d in range(slow.n)]
        for q in QUERIES
    ]
    assert_same(scores, wanted)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_jelinek_mercer(texts: list[str], share: float) -> None:
    index, slow = fast_index(texts), SlowIndex(texts)
    scores = language_models.jelinek_mercer(index, index.queries(QUERIES), share=share)
    wanted = [
        [slow_rankers.jelinek_mercer(slow, Counter(q.split()), d, share) for d in range(slow.n)]
        for q in QUERIES
    ]
    assert_same(scores, wanted)


def test_relevance_model(texts: list[str]) -> None:
    index, slow = fast_index(texts), SlowIndex(texts)
    settings = {"feedback": 5, "terms": 4, "original": 0.6}
    scores = language_models.relevance_model(index, index.queries(QUERIES), feedback=5, terms=4, original=0.6)
    wanted = [
        slow_rankers.relevance_model(slow, Counter(q.split()), 500.0, **settings)  # type: ignore[arg-type]
        for q in QUERIES
    ]
    assert_same(scores, wanted)


def test_cosine(texts: list[str]) -> None:
    index, slow = fast_index(texts), SlowIndex(texts)
    scores = vectors.cosine(index, index.queries(QUERIES))
    assert_same(
        scores, [[slow_rankers.cosine(slow, Counter(q.split()), d) for d in range(slow.n)] for q in QUERIES]
    )


def test_latent_semantic_finds_neighbours_without_common_words() -> None:
    texts = [
        "car engine wheel",
        "engine wheel",
        "auto engine wheel",
        "tulip rose",
        "rose lily tulip",
        "lily rose",
    ]
    index = fast_index(texts)
    [scores] = vectors.latent_semantic(index, index.queries(["car"]), dimensions=2)
    assert min(scores[:3]) > max(scores[3:]) + 0.5


def test_latent_semantic_with_all_dimensions_is_nearly_the_cosine(texts: list[str]) -> None:
    # Every direction but the weakest: the angles hardly change.
    index = fast_index(texts)
    scores = vectors.latent_semantic(index, index.queries(QUERIES), dimensions=len(WORDS) - 1)
    exact = vectors.cosine(index, index.queries(QUERIES))
    assert np.corrcoef(scores.ravel(), np.where(np.isfinite(exact), exact, 0).ravel())[0, 1] > 0.8


def test_coordination_level_and_length() -> None:
    index = fast_index(["apple fig fig", "apple", "grape grape grape grape", "fig grape apple"])
    queries = index.queries(["apple fig", "grape"])
    assert simple.coordination_level(index, queries).tolist() == [[2, 1, -inf, 2], [-inf, -inf, 1, 1]]
    assert simple.longest(index, queries).tolist() == [[3, 1, -inf, 3], [-inf, -inf, 4, 3]]


def test_fusion_adds_reciprocal_ranks() -> None:
    first, second = np.array([[3.0, 2.0, -inf, -inf]]), np.array([[1.0, 5.0, 0.5, -inf]])
    [fused] = simple.reciprocal_rank_fusion([first, second], k=60)
    np.testing.assert_allclose(fused, [1 / 61 + 1 / 62, 1 / 62 + 1 / 61, 1 / 63, -inf])


def test_a_query_of_unknown_words_retrieves_nothing(texts: list[str]) -> None:
    index = fast_index(texts)
    queries = index.queries(["zebra", "apple"])
    for ranker in (
        probabilistic.bm25,
        probabilistic.divergence_from_randomness,
        language_models.dirichlet,
        language_models.jelinek_mercer,
        language_models.relevance_model,
        vectors.cosine,
        vectors.latent_semantic,
        simple.coordination_level,
        simple.longest,
    ):
        unknown, known = ranker(index, queries)
        assert not np.isfinite(unknown).any()
        assert np.isfinite(known).any()
