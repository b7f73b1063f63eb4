from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from campaigns.management.demo.files import ranking
from campaigns.management.demo.rankers import (
    cosine,
    feedback,
    four_grams,
    latent_semantic,
    okapi,
    stem,
    words,
)
from tests.campaigns.management.demo import reference_rankers
from tests.campaigns.management.demo.reference_rankers import SlowIndex

WORDS = ["apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel", "iris", "jasmine"]
QUERIES = ["apple fig", "banana banana grape", "jasmine", "cherry damson elder hazel"]
SPLIT = [query.split() for query in QUERIES]


@pytest.fixture(scope="module", params=[1, 2, 3])
def texts(request: pytest.FixtureRequest) -> list[str]:
    """Forty documents of very different lengths, common and rare words."""
    rng = np.random.default_rng(request.param)
    chances = np.arange(len(WORDS), 0, -1) / np.arange(len(WORDS), 0, -1).sum()
    drawn = [" ".join(rng.choice(WORDS, size=rng.integers(1, 40), p=chances)) for _ in range(39)]
    # Every word occurs, and one document is all one word.
    return [*drawn, "jasmine jasmine", " ".join(WORDS)]


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.5, 1.0)])
def test_okapi_is_the_formula(texts: list[str], k1: float, b: float) -> None:
    slow = SlowIndex(texts)
    expected = [[reference_rankers.bm25(slow, Counter(q), d, k1, b) for d in range(slow.n)] for q in SPLIT]
    scores = okapi([text.split() for text in texts], SPLIT, k1=k1, b=b)
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)


def test_cosine_is_the_formula(texts: list[str]) -> None:
    slow = SlowIndex(texts)
    expected = [[reference_rankers.cosine(slow, Counter(q), d) for d in range(slow.n)] for q in SPLIT]
    np.testing.assert_allclose(cosine([text.split() for text in texts], SPLIT), expected, atol=1e-12)


GARDEN_AND_GARAGE = [
    text.split()
    for text in (
        "car engine wheel",
        "engine wheel",
        "auto engine wheel",
        "tulip rose",
        "rose lily",
        "lily rose",
    )
]


def test_latent_semantic_finds_neighbours_without_common_words() -> None:
    [scores] = latent_semantic(GARDEN_AND_GARAGE, [["car"]], dimensions=2)
    assert min(scores[:3]) > max(scores[3:]) + 0.5


def test_feedback_finds_neighbours_without_common_words() -> None:
    [scores] = feedback(GARDEN_AND_GARAGE, [["car"]], trusted=1)
    assert scores[0] > min(scores[1:3]) > max(scores[3:]) == 0


def test_ranking_leaves_out_the_lowest_and_breaks_ties_by_docno() -> None:
    found = ranking("7", ["a", "b", "c", "d"], np.array([1.0, 2.0, 0.0, 1.0]))
    assert (found.topic, found.docnos, found.scores.tolist()) == ("7", ["b", "d", "a"], [2, 1, 1])


def test_words_are_split_as_programmers_join_them() -> None:
    text = "The ThreadPoolExecutor of parse_HTTPHeader2 isn't x"
    assert words(text) == ["thread", "pool", "executor", "parse", "http", "header"]


def test_stems_and_grams() -> None:
    assert stem("sorting") == stem("sorted") == stem("sorts") == stem("sort") == ["sort"]
    assert four_grams("sorted") == ["_sor", "sort", "orte", "rted", "ted_"]
    assert four_grams("is") == ["_is_"]
