"""Final scores predicted: what complete judging would give each run, and which run would be best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.weights import rank_weights
from selection.pool import TopicPool
from selection.simulation.relevance.document_features import entries_of
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.relevance.relevance_model import EffectSamples, RelevanceRates
from selection.simulation.topic_sample import TopicPopulation
from selection.simulation.topics_like_these import TopicCovariance
from selection.state import CampaignState

# The tenth score from either end of so many bounds 95% of further ones: (399 + 1 - 2 * 10) / (399 + 1).
DRAWS, OUTSIDE = 399, 10
NOMINAL = 0.95
# What a rank so deep or deeper could still add to a score is far below the third digit.
LEAST_TAIL = 2e-5
# With fewer judgments for each begun topic, a prediction rests on past collections more than on this one.
EARLY = 3.0
# Wider than this share of the score range, intervals say hardly more than it, while most weight is open.
MOST_WIDTH, MOST_OPEN = 0.6, 0.5
# The leaders are the likeliest runs that share so much of P(best); pairs are separated from it on.
OF_LEADERS = SEPARATED = 0.95


@dataclass(frozen=True, eq=False)
class Prediction:
    """Prediction of mean RBP over topics, were every ranked document judged.

    expected, low, high : float64 (runs,), inside the score range; low to high is the 95% interval
    best : float64 (runs,), the probability that the run has the highest score; sums to 1
    better : float32 (runs, runs), the probability that the row's run has the higher score, ties shared
    early : whether the begun topics have fewer than `EARLY` judgments each, or most intervals are nearly as
        wide as the score ranges, though most of the weight is open
    like_these : float64 (runs, runs), covariance of the runs' means over topics like these; None for few
    """

    expected: FloatArray
    low: FloatArray
    high: FloatArray
    best: FloatArray
    better: NDArray[np.float32]
    early: bool
    like_these: FloatArray | None = None


class PredictedDifferences:
    """Predicted differences of pairs of runs: between means, and for some runs in each topic.

    The low end of the 95% interval of the row's score less the column's; the high end is the low one of the
    column's less the row's, negated.

    means : float32 (runs, runs), one for each scope
    watched : int64 (watched,), indices of runs
    expected : float32 (topics, watched), expected scores; NaN in topics that are not predicted
    topics : float32 (topics, watched, watched)
    with_zero : whether one more run stands last in `expected` and `topics`, which scores 0 everywhere: the
        difference to it is a run's own score
    """

    def __init__(self, watched: IntArray, topics: int, *, with_zero: bool = False) -> None:
        self.means: list[NDArray[np.float32]] = []
        self.watched = watched
        self.with_zero = with_zero
        runs = len(watched) + with_zero
        self.expected = np.full((topics, runs), np.nan, dtype=np.float32)
        self.topics = np.full((topics, runs, runs), np.nan, dtype=np.float32)

    def add_topic(self, topic: int, scores: FloatArray) -> None:
        """Add a topic by its scores (runs, draws)."""
        own = scores[self.watched]
        if self.with_zero:
            own = np.pad(own, ((0, 1), (0, 0)))
        self.expected[topic], self.topics[topic] = own.mean(axis=1), _ahead(own)

    def add_mean(self, scores: FloatArray) -> None:
        self.means.append(_ahead(scores))


def predict(
    state: CampaignState,
    *,
    seed: int,
    scopes: Sequence[Sequence[int]] = (),
    experience: Experience = NO_EXPERIENCE,
    compared: IntArray | None = None,
    differences: PredictedDifferences | None = None,
    populations: Sequence[TopicPopulation] = (),
) -> list[Prediction]:
    """Draw the relevance of unjudged documents many times, and score every run in each draw.

    Parameters
    ----------
    state : CampaignState
        Is not changed.
    seed : int
        At least 0. The same seed and judgments, the same prediction.
    scopes : sequence of sequences of int
        Topics whose mean is predicted, by index; one `Prediction` each. All topics, if none are given.
    experience : Experience
        What finished campaigns showed.
    compared : ndarray of int, optional
        Runs among which the best is sought; all if none are given. The others have a `best` of 0.
    differences : PredictedDifferences, optional
        Is filled; without it none are computed.
    populations : sequence of TopicPopulation
        One for each scope, of which the scope's topics are a random sample: its mean is predicted. Without
        them, a scope is predicted by itself.

    Raises
    ------
    ValueError
        If the seed is below 0, a scope has no topics, or the campaign no runs.

    References
    ----------
    This project's choice: quantiles of posterior draws, by the model of `RelevanceRates`.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.arange(0, 9), np.arange(9, 18)], 0.5, both)
    >>> from selection.specification import CampaignSpec
    >>> spec = CampaignSpec(runs=2, p=0.5, method="A", scope="campaign", contributing=both)
    >>> state = CampaignState([pool], spec)
    >>> changed = [len(state.judge(0, d, float(pool.documents[d] < 9))) for d in range(8)]
    >>> [found] = predict(state, seed=0)
    >>> bool(found.better[0, 1] > 0.95), bool(found.low[0] <= found.expected[0] <= found.high[0])
    (True, True)
    """
    groups = [list(scope) for scope in scopes] or [list(range(len(state.pools)))]
    if seed < 0:
        raise ValueError(f"seed = {seed} is below 0")
    if not state.setting.runs or not all(groups):
        raise ValueError("a prediction needs a run, and a topic in each scope")
    drawn = DrawnScores(state, seed, experience)
    totals = [np.zeros((state.setting.runs, DRAWS)) for _ in groups]
    expected = np.zeros(state.base.shape)
    covariances = [TopicCovariance(state.setting.runs) for _ in groups]
    for topic in sorted(set().union(*groups)):
        scores = drawn.of(topic)
        expected[topic] = scores.mean(axis=1)
        if differences is not None:
            differences.add_topic(topic, scores)
        for total, group, covariance in zip(totals, groups, covariances, strict=True):
            if topic in group:
                total += scores
                covariance.add(scores)
    means = [total / len(group) for total, group in zip(totals, groups, strict=True)]
    like_these = [one.of_means(mean) for one, mean in zip(covariances, means, strict=True)]
    bounds = [(state.base[group].mean(axis=0), state.residual[group].mean(axis=0)) for group in groups]
    if populations:
        for scope, (of, group) in enumerate(zip(populations, groups, strict=True)):
            added = expected[group] - state.base[group]
            gains = means[scope] - bounds[scope][0][:, None]
            means[scope] = of.means(gains, added, state.residual[group], seed)
            bounds[scope] = of.base, of.residual
    if differences is not None:
        for mean in means:
            differences.add_mean(mean)
    early = is_early(state)
    compared = np.arange(state.setting.runs) if compared is None else compared
    return [
        _summary(mean, *between, compared, covariance, early)
        for mean, between, covariance in zip(means, bounds, like_these, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class DrawnTopic:
    """documents : int64 (open,), unjudged ones by pool index; weights : (runs, open), of each document in
    each run's score; gains : float64 (open, draws)."""

    documents: IntArray
    weights: scipy.sparse.csr_array
    gains: FloatArray


class DrawnScores:
    """Scores (runs, draws) of one topic after the other, and the gains that make them."""

    def __init__(self, state: CampaignState, seed: int, experience: Experience = NO_EXPERIENCE) -> None:
        rates = RelevanceRates(state.setting, experience)
        self._state, self._rates, self._seed = state, rates, seed
        self._samples: EffectSamples = rates.sampled(DRAWS, np.random.default_rng(seed))
        p = state.setting.p
        self._depth = min(ceil(log(LEAST_TAIL) / log(p)), state.pools.depth)
        self._weights = rank_weights(p, max(state.pools.depth, 1))

    def of(self, topic: int) -> FloatArray:
        drawn = self.topic(topic)
        return np.asarray(self._state.base[topic][:, None] + drawn.weights @ drawn.gains)

    def topic(self, topic: int) -> DrawnTopic:
        setting, pool = self._state.setting, self._state.pools[topic]
        key = setting.keys[topic] if setting.keys else topic
        generator = np.random.default_rng((self._seed, key))
        open_ = self._open(topic, pool)
        chance = self._rates.sampled_probabilities(topic, open_, self._samples, generator)
        gains = self._rates.gains_by_chance(chance, generator)
        at, of = entries_of(pool, open_)
        cells = pool.run[at].astype(np.intp), of
        shape = setting.runs, len(open_)
        weights = scipy.sparse.csr_array((self._weights[pool.rank[at] - 1], cells), shape=shape)
        return DrawnTopic(open_, weights, gains)

    def _open(self, topic: int, pool: TopicPool) -> IntArray:
        """Unjudged documents that any run ranks high enough."""
        high = np.concatenate([[0], np.cumsum(pool.rank <= self._depth)])
        judged = ~np.isnan(self._state.setting.judgments.gains_of(topic))
        return np.flatnonzero((np.diff(high[pool.start]) > 0) & ~judged)


def is_early(state: CampaignState) -> bool:
    counts = [len(state.setting.judgments.judged_in(topic)) for topic in range(len(state.pools))]
    begun = [count for count in counts if count]
    return not begun or sum(begun) / len(begun) < EARLY


def _summary(
    scores: FloatArray,
    base: FloatArray,
    residual: FloatArray,
    compared: IntArray,
    like_these: FloatArray | None,
    early: bool,
) -> Prediction:
    """Summarise draws of scores (runs, draws) as a prediction."""
    ordered = np.sort(scores, axis=1)
    low, high = ordered[:, OUTSIDE - 1], ordered[:, -OUTSIDE]
    expected = scores.mean(axis=1)
    # Draws differ in the last bits from sums that were made in another order.
    low, high, expected = (np.clip(one, base, base + residual) for one in (low, high, expected))
    early = early or _is_vague((high - low)[compared], residual[compared])
    return Prediction(expected, low, high, _first(scores, compared), _better(scores), early, like_these)


def _is_vague(width: FloatArray, residual: FloatArray) -> bool:
    """True if most intervals are hardly narrower than the score ranges, in the course of a campaign."""
    if residual.mean() <= MOST_OPEN:
        return False
    return bool(np.median(width / np.maximum(residual, np.finfo(np.float64).tiny)) > MOST_WIDTH)


def count_leaders(best: FloatArray) -> int:
    """Number of first runs that share `OF_LEADERS` of the probability to be the best.

    Parameters
    ----------
    best : ndarray of float64, shape (runs,)
        The probability to have the highest score, of runs in the order of their expected scores.

    Examples
    --------
    >>> count_leaders(np.array([0.6, 0.1, 0.3, 0.0]))
    3
    """
    # Sums of shares of draws may lack the last bits.
    return min(1 + int(np.searchsorted(np.cumsum(best), OF_LEADERS - 1e-9)), len(best))


def possible_places(better: NDArray[np.floating]) -> tuple[IntArray, IntArray]:
    """The first and the last place that no separated pair rules out.

    Parameters
    ----------
    better : ndarray of float, shape (runs, runs)
        The probability that the row's run has the higher score.

    Returns
    -------
    first, last : ndarray of int64, shape (runs,)
        In [1, runs].

    Examples
    --------
    >>> first, last = possible_places(np.array([[0.5, 0.96], [0.04, 0.5]]))
    >>> first.tolist(), last.tolist()
    ([1, 2], [1, 2])
    """
    # Stored with few digits.
    ahead = np.round(better, 4) >= SEPARATED
    return 1 + ahead.sum(axis=0), len(ahead) - ahead.sum(axis=1)


def _first(scores: FloatArray, compared: IntArray) -> FloatArray:
    rounded = np.round(scores[compared], 12)
    first = rounded == rounded.max(axis=0)
    best = np.zeros(len(scores))
    best[compared] = (first / first.sum(axis=0)).mean(axis=1)
    return best


def _better(scores: FloatArray) -> NDArray[np.float32]:
    rounded = np.round(scores, 12)
    better = np.empty((len(scores), len(scores)), dtype=np.float32)
    for run, own in enumerate(rounded):
        better[run] = ((own > rounded) + 0.5 * (own == rounded)).mean(axis=1)
    return better


def _ahead(scores: FloatArray) -> NDArray[np.float32]:
    """(runs, runs), of scores (runs, draws)."""
    drawn = scores.astype(np.float32)
    ahead = np.empty((len(scores), len(scores)), dtype=np.float32)
    for run, own in enumerate(drawn):
        ahead[run] = np.partition(own - drawn, OUTSIDE - 1, axis=1)[:, OUTSIDE - 1]
    return ahead
