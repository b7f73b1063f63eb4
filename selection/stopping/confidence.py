"""Stop when average precision, as far as it can be inferred, orders the best runs with confidence: as
published, which is not calibrated (`selection.simulation.calibrated_pairs` is)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.pair_decisions import leaders
from evaluation.estimation.mtc import confidence_of, pair_moments
from evaluation.estimation.relevance import constant_relevance, expert_relevance, smoothed_relevance
from selection.framework.interface import Setting
from selection.judgments import GainChange
from selection.pool import TopicPool
from selection.state import CampaignState
from selection.stopping.tests import PairIndices, TestWatch, check_pairs

RelevanceKind = Literal["constant", "smoothed", "experts"]


@dataclass(frozen=True)
class ConfidentPairs:
    """Each of the pairs is ordered with at least this confidence by mean average precision.

    confidence : inside (0.5, 1)
    k : the pairs are those among the runs that now are the k best by RBP's base
    pairs : these instead, by index of run
    relevance, prior : the probability that an unjudged document is relevant: `prior`; the smoothed rate of
        the topic; or what the runs asked about make of it
    """

    confidence: float
    k: int = 5
    pairs: PairIndices = ()
    relevance: RelevanceKind = "constant"
    prior: float = 0.5

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence < 1:
            raise ValueError(f"confidence = {self.confidence} is not inside (0.5, 1)")
        if self.relevance not in _ESTIMATES:
            raise ValueError(f"relevance = {self.relevance!r} is none of {', '.join(_ESTIMATES)}")
        if not 0 <= self.prior <= 1:
            raise ValueError(f"prior = {self.prior} is outside [0, 1]")

    def watch(self, state: CampaignState) -> TestWatch:
        if self.pairs:
            check_pairs(self.pairs, state.setting.runs)
        else:
            leaders(state.mean_bounds()[0], self.k)  # refuses what k cannot be
        return _ConfidenceWatch(state, self)

    def estimate(self, rankings: list[IntArray], judged: FloatArray) -> FloatArray:
        return _ESTIMATES[self.relevance](self, rankings, judged)


_ESTIMATES: dict[str, Callable[[ConfidentPairs, list[IntArray], FloatArray], FloatArray]] = {
    "constant": lambda test, _, judged: constant_relevance(judged, test.prior),
    "smoothed": lambda _, __, judged: smoothed_relevance(judged),
    "experts": lambda _, rankings, judged: expert_relevance(rankings, judged),
}


class _ConfidenceWatch:
    """Means and variances (topics, k, k) of the differences, kept for topics without new judgments.

    Variances are upper bounds, if the probabilities are right (see `evaluation.estimation.mtc`).
    """

    def __init__(self, state: CampaignState, test: ConfidentPairs) -> None:
        self._state, self._test = state, test
        self._runs: tuple[int, ...] = ()
        self._stale: set[int] = set()
        self._difference = self._variance = np.zeros((0, 0, 0))

    def judged(self, act: GainChange) -> None:
        self._stale.add(act.topic)

    def passed(self) -> bool:
        self._follow(self._asked())
        confidence = confidence_of(self._difference.mean(axis=0), self._variance.mean(axis=0) / self._topics)
        sure = np.maximum(confidence, 1 - confidence) >= self._test.confidence
        if not self._test.pairs:
            np.fill_diagonal(sure, True)
            return bool(sure.all())
        place = np.searchsorted(self._runs, np.array(self._test.pairs))
        return bool(sure[place[:, 0], place[:, 1]].all())

    def moved(self, state: CampaignState) -> TestWatch:
        other = _ConfidenceWatch(state, self._test)
        other._runs, other._stale = self._runs, set(self._stale)
        other._difference, other._variance = self._difference.copy(), self._variance.copy()
        return other

    @property
    def _topics(self) -> int:
        return len(self._state.pools)

    def _asked(self) -> tuple[int, ...]:
        """Ascending, so that a change of order among the best costs nothing."""
        if self._test.pairs:
            return tuple(np.unique(np.array(self._test.pairs)).tolist())
        return tuple(sorted(leaders(self._state.mean_bounds()[0], self._test.k).tolist()))

    def _follow(self, runs: tuple[int, ...]) -> None:
        if runs != self._runs:
            self._runs, self._stale = runs, set(range(self._topics))
            self._difference = np.zeros((self._topics, len(runs), len(runs)))
            self._variance = np.zeros_like(self._difference)
        for topic in self._stale:
            rankings, judged = judged_rankings(self._state.setting, topic, runs)
            moments = pair_moments(rankings, self._test.estimate(rankings, judged), exact=False)
            self._difference[topic], self._variance[topic] = moments.ap, moments.ap_variance
        self._stale.clear()


def judged_rankings(setting: Setting, topic: int, runs: tuple[int, ...]) -> tuple[list[IntArray], FloatArray]:
    """The runs' rankings, and 0, 1 or NaN for each document that any run ranks."""
    pool = setting.pools[topic]
    ranked = np.flatnonzero(np.diff(pool.start))
    gains = setting.judgments.gains_of(topic)[ranked]
    judged = np.where(np.isnan(gains), np.nan, gains > setting.threshold)
    return _rankings(pool, ranked, runs), judged


def _rankings(pool: TopicPool, ranked: IntArray, runs: tuple[int, ...]) -> list[IntArray]:
    """Each run's documents in rank order, as places in `ranked`."""
    place = np.repeat(np.arange(len(ranked)), np.diff(pool.start)[ranked])
    order = np.lexsort((pool.rank, pool.run))
    begin = np.searchsorted(pool.run[order], np.arange(max(runs, default=-1) + 2))
    return [place[order[begin[run] : begin[run + 1]]] for run in runs]
