"""Expected agreement of the runs' means over some topics with their means over all (Hosseini and others
2012)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray

FEWEST_RUNS = 3
# A search through all subsets of a size takes seconds up to here.
MOST_SUBSETS = 200_000
RANDOM_SUBSETS = 10_000
_AT_ONCE = 2_000


@dataclass(frozen=True, eq=False)
class PerformanceMatrix:
    """Scores as they are expected, and how uncertain each is.

    mean, variance : float64 (runs, topics); the variance of what is judged is 0
    """

    mean: FloatArray
    variance: FloatArray

    def __post_init__(self) -> None:
        if self.mean.ndim != 2 or self.mean.shape != self.variance.shape:
            raise ValueError(f"scores of shape {self.mean.shape}, variances of {self.variance.shape}")
        if len(self.mean) < FEWEST_RUNS:
            raise ValueError(f"{len(self.mean)} runs: topics are chosen with {FEWEST_RUNS} or more")
        if not (np.isfinite(self.mean).all() and np.isfinite(self.variance).all()):
            raise ValueError("a score or its variance is not a finite number")
        if (self.variance < 0).any():
            raise ValueError("a variance is negative")

    @property
    def topics(self) -> int:
        return int(self.mean.shape[1])

    def of_runs(self, runs: IntArray) -> PerformanceMatrix:
        return PerformanceMatrix(self.mean[runs], self.variance[runs])


class Covariances:
    """Covariances of the topics over the runs, as far as they are needed: `e` sums over all topics, so that
    no (topics, topics) matrix is made.

    with_all : float64 (topics,), Σe: each topic with the sum of all
    own : float64 (topics,), Σ's diagonal
    uncertainty : float64 (topics,), U's diagonal, the mean variance of the runs' scores
    total : eᵀΣe
    """

    def __init__(self, matrix: PerformanceMatrix) -> None:
        self._centred = matrix.mean - matrix.mean.mean(axis=0)
        self._scale = 1.0 / (len(matrix.mean) - 1)
        sums = self._centred.sum(axis=1)
        self.with_all: FloatArray = self._centred.T @ sums * self._scale
        self.own: FloatArray = (self._centred**2).sum(axis=0) * self._scale
        self.uncertainty: FloatArray = matrix.variance.mean(axis=0)
        self.total = float(sums @ sums * self._scale)

    def with_topics(self, topics: Sequence[int]) -> FloatArray:
        """The sum of some of Σ's columns, (topics,)."""
        return np.asarray(self._centred.T @ self._centred[:, list(topics)].sum(axis=1) * self._scale)

    def between(self, topics: IntArray) -> FloatArray:
        """Σ of some topics, (k, k)."""
        some = self._centred[:, topics]
        return np.asarray(some.T @ some * self._scale)

    @property
    def correlation_with_rest(self) -> FloatArray:
        """Correlation of each topic's scores with the sum of all other topics', (topics,) in [-1, 1]; 0 where
        either does not vary."""
        rest = self.total - 2 * self.with_all + self.own
        return _ratio(self.with_all - self.own, self.own * rest)


def gamma(matrix: PerformanceMatrix, subset: Iterable[int]) -> float:
    """Expected quality of the order of the runs by a subset of the topics.

    Parameters
    ----------
    matrix : PerformanceMatrix
    subset : iterable of int
        Topics, without repeats.

    Returns
    -------
    float
        γ(Φ) = eᵀΣd / √(dᵀ(Σ + U)d). Divided by √(eᵀΣe) it is the Pearson correlation that the runs' means
        over the subset are expected to have with those over all topics. 0 for no topic, and where the
        denominator is 0.

    Raises
    ------
    ValueError
        If a topic is not in the matrix, or twice in the subset.

    References
    ----------
    Hosseini, Cox, Milic-Frayling, Shokouhi and Yilmaz 2012, equation 5.

    Examples
    --------
    >>> scores = np.array([[0.1, 0.4], [0.2, 0.2], [0.6, 0.3]])
    >>> matrix = PerformanceMatrix(scores, np.zeros((3, 2)))
    >>> round(gamma(matrix, [0]), 4), round(gamma(matrix, [0, 1]), 4)
    (0.2457, 0.2646)
    """
    return GrowingSubset(Covariances(matrix), subset).gamma


class GrowingSubset:
    """γ of a subset to which topics are added one by one; a step takes time in proportion to the topics.

    Adding a topic j changes the numerator by Σe's entry s_j, and the denominator by Σ_jj + 2 g_j + U_jj,
    where g = Σd.
    """

    def __init__(self, covariances: Covariances, chosen: Iterable[int] = ()) -> None:
        c = self.covariances = covariances
        self.chosen: list[int] = []
        for topic in chosen:
            self._check(topic)
            self.chosen.append(topic)
        self._with_chosen: FloatArray = c.with_topics(self.chosen)
        self._numerator = float(c.with_all[self.chosen].sum())
        self._denominator = float((self._with_chosen + c.uncertainty)[self.chosen].sum())

    @property
    def gamma(self) -> float:
        return float(_ratio(np.array(self._numerator), np.array(self._denominator)))

    @property
    def correlation(self) -> float:
        """Expected between the runs' means over the subset and over all topics, in [-1, 1]."""
        total = self.covariances.total
        return float(np.clip(self.gamma / np.sqrt(total), -1, 1)) if total > 0 else 0.0

    def gammas(self) -> FloatArray:
        """γ with each topic added, (topics,); NaN for those that are in the subset."""
        c = self.covariances
        denominators = self._denominator + c.own + 2 * self._with_chosen + c.uncertainty
        gammas = _ratio(self._numerator + c.with_all, denominators)
        gammas[self.chosen] = np.nan
        return gammas

    def add(self, topic: int) -> None:
        c = self.covariances
        self._check(topic)
        self._numerator += float(c.with_all[topic])
        self._denominator += float(c.own[topic] + 2 * self._with_chosen[topic] + c.uncertainty[topic])
        self._with_chosen = self._with_chosen + c.with_topics([topic])
        self.chosen.append(topic)

    def _check(self, topic: int) -> None:
        if not 0 <= topic < len(self.covariances.own):
            raise ValueError(f"topic {topic} of {len(self.covariances.own)}")
        if topic in self.chosen:
            raise ValueError(f"topic {topic} is in the subset already")


def best_subset(matrix: PerformanceMatrix, size: int, generator: np.random.Generator) -> tuple[int, ...]:
    """The subset of a size with the highest γ: of all, where these are fewer than `MOST_SUBSETS` and the size
    is below 10 or within 10 of the number of topics, otherwise of 10,000 random ones.

    Parameters
    ----------
    matrix : PerformanceMatrix
    size : int
        From 1 to the number of topics.
    generator : numpy.random.Generator
        Draws the random subsets.

    Returns
    -------
    tuple of int
        Topics, ascending.

    Raises
    ------
    ValueError
        If the size is out of range.

    References
    ----------
    Hosseini and others 2012, section 6, "Oracle".

    Examples
    --------
    >>> scores = np.array([[0.1, 0.4, 0.2], [0.2, 0.2, 0.1], [0.6, 0.3, 0.5]])
    >>> best_subset(PerformanceMatrix(scores, np.zeros((3, 3))), 2, np.random.default_rng(0))
    (0, 1)
    """
    topics = matrix.topics
    if not 1 <= size <= topics:
        raise ValueError(f"a subset of {size} of {topics} topics")
    every = (size < 10 or size > topics - 10) and comb(topics, size) <= MOST_SUBSETS
    candidates = _all_subsets(topics, size) if every else _random_subsets(topics, size, generator)
    covariances = Covariances(matrix)
    full = covariances.between(np.arange(topics))
    full[np.diag_indices(topics)] += covariances.uncertainty
    best, highest = np.arange(size), -np.inf
    for subsets in candidates:
        chosen = np.zeros((len(subsets), topics))
        np.put_along_axis(chosen, subsets, 1.0, axis=1)
        values = _ratio(chosen @ covariances.with_all, ((chosen @ full) * chosen).sum(axis=1))
        place = int(values.argmax())
        if values[place] > highest:
            best, highest = subsets[place], float(values[place])
    return tuple(sorted(best.tolist()))


def _all_subsets(topics: int, size: int) -> Iterable[IntArray]:
    subsets = combinations(range(topics), size)
    while some := list(islice(subsets, _AT_ONCE)):
        yield np.array(some)


def _random_subsets(topics: int, size: int, generator: np.random.Generator) -> Iterable[IntArray]:
    for _ in range(RANDOM_SUBSETS // _AT_ONCE):
        yield generator.random((_AT_ONCE, topics)).argpartition(size - 1, axis=1)[:, :size]


def _ratio(numerator: FloatArray, square: FloatArray) -> FloatArray:
    """numerator / √square; 0 where the square is not above 0, as rounding leaves it where nothing varies."""
    positive: BoolArray = square > 1e-24
    return np.where(positive, numerator / np.sqrt(np.where(positive, square, 1.0)), 0.0)


def first_best(values: FloatArray, order: Sequence[float]) -> int:
    """The place of the highest value; of equal ones (12 significant digits), the first by `order`."""
    highest = np.nanmax(values)
    equal = np.flatnonzero(values >= highest - 1e-12 * abs(highest))
    return min(equal.tolist(), key=lambda place: order[place])
