"""Continuous active learning over the whole collection, and its classifier (Cormack and Grossman 2015: their
baseline model implementation)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.extras import extra
from selection.cache import LruCache
from selection.framework.interface import Setting, Texts
from selection.framework.topicwise import Topicwise
from selection.framework.walks import WalkingTopic
from selection.rounding import round_significant

# What the authors' program has: C of a model trained on k texts is 1 / (k times this).
REGULARIZATION = 1e-4


def relevance_chances(texts: Texts, topic: int, relevant: IntArray, nonrelevant: IntArray) -> FloatArray:
    """Probability that each document is relevant, by a logistic model of its terms.

    Parameters
    ----------
    texts : Texts
    topic : int
        Row of `texts.topics`, which is trained on as a relevant document.
    relevant, nonrelevant : ndarray of int
        Rows of `texts.vectors`. Both classes count the same, however many documents they have.

    Returns
    -------
    ndarray of float64, shape (n + 1,)
        In (0, 1), one for each document; the last is that of a document without text. All 0.5 if no
        document is not relevant.

    Examples
    --------
    >>> words = scipy.sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> topic = scipy.sparse.csr_array(np.array([[2.0, 0.0]]))
    >>> texts = Texts(np.array([3, 4, 7], dtype=np.int32), words, topic)
    >>> chances = relevance_chances(texts, 0, np.array([], dtype=int), np.array([1]))
    >>> bool(chances[0] > chances[2] > chances[1])
    True
    """
    if not len(nonrelevant):
        return np.full(len(texts.documents) + 1, 0.5)
    rows = np.concatenate([relevant, nonrelevant])
    examples = scipy.sparse.csr_array(scipy.sparse.vstack([texts.topics[[topic]], texts.vectors[rows]]))
    terms, intercept = _trained(examples, np.arange(len(rows) + 1) <= len(relevant))
    # Of the same kind as the vectors: the product would copy them otherwise.
    scores = texts.vectors @ terms.astype(texts.vectors.dtype)
    return np.asarray(scipy.special.expit(np.append(scores.astype(np.float64), 0.0) + intercept))


def _trained(examples: scipy.sparse.csr_array, relevant: BoolArray) -> tuple[FloatArray, float]:
    """Coefficients (terms,) and the intercept."""
    # It takes seconds to import, and most campaigns never need it.
    with extra("cal"):
        from sklearn.linear_model import LogisticRegression

    # Terms that no example has would only make it slower: their coefficients are 0.
    used, column = np.unique(examples.indices, return_inverse=True)
    parts = examples.data, column.astype(np.int32), examples.indptr.astype(np.int32)
    narrow = scipy.sparse.csr_array(parts, shape=(examples.shape[0], len(used)))
    strength = 1 / (REGULARIZATION * examples.shape[0])
    model = LogisticRegression(C=strength, class_weight="balanced", solver="liblinear", max_iter=1000)
    model.fit(narrow, relevant)
    terms = np.zeros(examples.shape[1])
    terms[used] = model.coef_[0]
    return terms, float(model.intercept_[0])


# Documents of kept rankings, 12 bytes each: early rounds are there again when a judgment is withdrawn.
CAL_CACHE_SIZE = 4_000_000


@dataclass(frozen=True)
class CalOptions:
    """presumed : so many documents, drawn again for each round, are trained on as not relevant
    growth : after a round of b judgments comes one of b + ceil(growth b); the first has one
    """

    presumed: int = 100
    growth: float = 0.1

    def __post_init__(self) -> None:
        if self.presumed < 1:
            raise ValueError(f"presumed = {self.presumed} is below 1")
        if not 0 <= self.growth <= 1:
            raise ValueError(f"growth = {self.growth} is outside [0, 1]")

    def after(self, size: int) -> int:
        # In decimals: 0.1 times 30 is above 3 as floats are multiplied.
        return size + ceil(Fraction(str(self.growth)) * size)


class Round(NamedTuple):
    """Training data of a model: the topic's text, and the judgments of these documents (pool indices)."""

    topic: int
    number: int
    relevant: frozenset[int]
    nonrelevant: frozenset[int]


class ChanceRanking(NamedTuple):
    """Pool indices (n,), the likeliest first, and their chances to be relevant."""

    documents: IntArray
    chances: FloatArray


class CalWalk:
    """Down the ranking of one model until a round is full, then of the next, trained on all that was
    learnt in the rounds before.

    What is only presumed fills no round: a queue that goes on past the present round keeps its model.
    """

    run = -1

    def __init__(self, topic: int, options: CalOptions, rank: Callable[[Round], ChanceRanking]) -> None:
        self._topic, self._options, self._rank = topic, options, rank
        self._number, self._size = 0, 1
        self._open = self._size
        self._learnt: dict[int, bool] = {}
        self._ranking: ChanceRanking | None = None
        self._place = 0
        self._presumes = False

    @property
    def document(self) -> int | None:
        documents = self._ranked().documents
        while self._place < len(documents) and int(documents[self._place]) in self._learnt:
            self._place += 1
        return int(documents[self._place]) if self._place < len(documents) else None

    @property
    def weight(self) -> float:
        return float(self._ranked().chances[self._place])

    def learn(self, relevant: bool) -> None:
        document = self.document
        if document is None or self._presumes:
            self._place += 1
            return
        self._learnt[document] = relevant
        self._open -= 1
        if not self._open:
            self._number += 1
            self._size = self._open = self._options.after(self._size)
            self._ranking, self._place = None, 0

    def presume(self) -> None:
        self._presumes = True
        self._place += 1

    def skip(self) -> None:
        self._place += 1

    def fork(self) -> CalWalk:
        copy = object.__new__(CalWalk)
        copy.__dict__ |= self.__dict__
        copy._learnt = self._learnt.copy()
        return copy

    def _ranked(self) -> ChanceRanking:
        """Trained when it is asked for, not when the round before is full."""
        if self._ranking is None:
            relevant = frozenset(document for document, is_ in self._learnt.items() if is_)
            rest = frozenset(self._learnt.keys() - relevant)
            self._ranking = self._rank(Round(self._topic, self._number, relevant, rest))
        return self._ranking


def cal(setting: Setting, options: CalOptions) -> Topicwise:
    """Each topic has its turn, since the chances of different models do not compare.

    Judgments of documents that the walk has not come to (made elsewhere, say) are trained on from when it
    comes to them, in the round after.

    A topic whose text has no word in common with the documents begins in the pool's order.

    Raises ValueError without texts.
    """
    texts = _checked(setting)

    def rank(trained: Round) -> ChanceRanking:
        chances = _chances(setting, texts, options, trained)
        order = np.argsort(-chances, kind="stable").astype(np.int32)
        return ChanceRanking(order, chances[order])

    rankings: LruCache[Round, ChanceRanking] = LruCache(
        rank, lambda _, ranking: len(ranking.documents) + 100, CAL_CACHE_SIZE
    )

    def make(setting: Setting, topic: int) -> WalkingTopic:
        every = np.ones(len(setting.pools[topic]), dtype=np.bool_)
        return WalkingTopic(
            setting, topic, every, lambda: CalWalk(topic, options, lambda trained: rankings[trained])
        )

    return Topicwise(setting, make, rounds=True)


def _checked(setting: Setting) -> Texts:
    texts = setting.texts
    if texts is None or not texts.vectors.nnz:
        raise ValueError("CAL reads documents, but there are no texts of the collection's documents")
    if texts.topics.shape[0] != len(setting.pools):
        raise ValueError(f"texts of {texts.topics.shape[0]} topics for {len(setting.pools)} topics")
    return texts


def _chances(setting: Setting, texts: Texts, options: CalOptions, trained: Round) -> FloatArray:
    """Probability of relevance of each document of the pool, 12 significant digits."""
    documents = setting.pools[trained.topic].documents
    rows = np.searchsorted(texts.documents, documents)
    # The last of the chances, that of a document without text.
    rows[rows == len(texts.documents)] = -1
    rows[texts.documents[rows] != documents] = -1
    relevant, nonrelevant = (_known(rows, judged) for judged in (trained.relevant, trained.nonrelevant))
    if not len(relevant) and texts.topics.indptr[trained.topic] == texts.topics.indptr[trained.topic + 1]:
        # There is nothing yet that a relevant document could be like.
        return np.full(len(documents), 0.5)
    free = np.ones(len(texts.documents), dtype=np.bool_)
    free[relevant] = free[nonrelevant] = False
    # From the collection and not from the pool, which grows with the runs.
    others = np.flatnonzero(free)
    generator = setting.generator(trained.topic, f"presumed not relevant, round {trained.number}")
    presumed = generator.choice(others, min(options.presumed, len(others)), replace=False)
    nonrelevant = np.sort(np.concatenate([nonrelevant, presumed]))
    return round_significant(relevance_chances(texts, trained.topic, relevant, nonrelevant)[rows])


def _known(rows: IntArray, judged: frozenset[int]) -> IntArray:
    """The rows of these documents, ascending; those without text teach nothing."""
    places = rows[np.fromiter(judged, dtype=np.intp, count=len(judged))]
    return np.sort(places[places >= 0])
