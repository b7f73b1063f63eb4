"""The systems of the demo: rankers of scikit-learn and bm25s, each on terms of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import mul

import bm25s
import numpy as np
from bm25s.stopwords import STOPWORDS_EN_PLUS
from numpy.typing import NDArray
from scipy import sparse

from campaigns.formats.topics import TopicRecord
from campaigns.management.demo import tracked
from campaigns.management.demo.corpus import Document

Floats = NDArray[np.floating]
Texts = Sequence[list[str]]  # each text as its terms
# (documents, queries) -> scores of shape (queries, documents); the lowest means “not retrieved”.
Ranker = Callable[[Texts, Texts], Floats]


def okapi(documents: Texts, queries: Texts, *, k1: float = 1.2, b: float = 0.75) -> Floats:
    """BM25 (Robertson et al., TREC-3, 1994): `k1` bounds repetitions, `b` corrects for length."""
    index = bm25s.BM25(k1=k1, b=b)
    index.index(documents, show_progress=False)
    return np.array([index.get_scores(query) for query in queries])


def cosine(documents: Texts, queries: Texts) -> Floats:
    """Logarithmic counts times idf, compared by their angle (Salton and Buckley, 1988)."""
    asked, known = _weighted(documents, queries)
    return np.asarray((asked @ known.T).toarray())


def feedback(documents: Texts, queries: Texts, *, trusted: int = 10, weight: float = 3.0) -> Floats:
    """Rocchio (1971): search again by the mean vector of Okapi's first `trusted` documents."""
    asked, known = _weighted(documents, queries)
    best = np.argsort(-okapi(documents, queries), axis=1, kind="stable")[:, :trusted]
    centres = np.array([known[row].mean(axis=0) for row in best])
    return np.asarray((asked @ known.T).toarray() + weight * (known @ centres.T).T)


def latent_semantic(documents: Texts, queries: Texts, *, dimensions: int = 100) -> Floats:
    """Angles in the space of the strongest `dimensions` (Deerwester et al., 1990): no word need agree."""
    from sklearn.decomposition import TruncatedSVD  # takes seconds to import
    from sklearn.metrics.pairwise import cosine_similarity  # the same

    asked, known = _weighted(documents, queries)
    space = TruncatedSVD(dimensions, algorithm="arpack", random_state=0).fit(known)
    return np.asarray(cosine_similarity(space.transform(asked), space.transform(known)))


def _weighted(documents: Texts, queries: Texts) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Queries and documents as rows of unit length, one column a term."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # takes seconds to import

    weights = TfidfVectorizer(analyzer=list, sublinear_tf=True)
    known = sparse.csr_array(weights.fit_transform(documents))
    return sparse.csr_array(weights.transform(queries)), known


# Programmers join words: `ThreadPoolExecutor` is three, `read_array` two. Most digits are examples' output.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SUFFIX = re.compile(r"(?<=[a-z]{3})(ations?|ions?|ings?|ers?|ors?|ed|es|s|e)$")


def words(text: str) -> list[str]:
    tokens = (word.lower() for word in _WORD.findall(text))
    return [word for word in tokens if 2 <= len(word) <= 30 and word not in STOPWORDS_EN_PLUS]


@cache
def stem(word: str) -> list[str]:
    """`sorted`, `sorting` and `sorts` are all `sort`."""
    return [_SUFFIX.sub("", word)]


@cache
def four_grams(word: str) -> list[str]:
    """`sorted` gives `_sor sort orte rted ted_`."""
    return re.findall("(?=(.{4}))", f"_{word}_")


@dataclass(frozen=True)
class System:
    """A ranker on the `terms` of each word; of a topic, on `wording` of title, description, narrative."""

    tag: str
    group: str
    ranker: Ranker
    terms: Callable[[str], list[str]] = stem
    weights: tuple[int, int, int] = (1, 1, 1)  # how often title, first paragraph and rest count
    wording: int = 1


SYSTEMS = (
    System("okapi", "okapi", okapi),
    System("okapi-gentle", "okapi", partial(okapi, k1=0.9, b=0.4)),
    System("okapi-steep", "okapi", partial(okapi, k1=2.5, b=1.0)),
    System("okapi-no-stems", "okapi", okapi, terms=lambda word: [word]),
    System("okapi-title-desc", "okapi", okapi, wording=2),
    System("okapi-all-fields", "okapi", okapi, wording=3),
    System("okapi-weighted", "structure", okapi, weights=(8, 3, 1)),
    System("okapi-names", "structure", okapi, weights=(1, 0, 0)),
    System("okapi-4grams", "structure", okapi, terms=four_grams),
    System("vector-cosine", "vectors", cosine),
    System("vector-weighted", "vectors", cosine, weights=(8, 3, 1)),
    System("vector-feedback", "vectors", feedback),
    System("vector-lsa", "vectors", latent_semantic),
)


def rank_all(documents: Sequence[Document], topics: Sequence[TopicRecord]) -> Iterator[tuple[str, Floats]]:
    """The tag of every system with its scores of shape (topics, documents)."""
    parts = [[words(part) for part in (each.title, *each.body.partition("\n\n")[::2])] for each in documents]
    asked = [[words(part) for part in (each.title, each.description, each.narrative)] for each in topics]
    for system in tracked(SYSTEMS, "Ranking"):
        known = [_searched(map(mul, each, system.weights), system.terms) for each in parts]
        queries = [_searched(each[: system.wording], system.terms) for each in asked]
        yield system.tag, system.ranker(known, queries)


def _searched(parts: Iterable[list[str]], terms: Callable[[str], list[str]]) -> list[str]:
    return [term for part in parts for word in part for term in terms(word)]
