"""Stop tests that follow a campaign's judgments."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from math import ceil, log2
from typing import Literal, Protocol, get_args

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.comparison.pair_decisions import (
    by_differences,
    by_score_ranges,
    leaders,
    shared_weight,
    top_is_distinct,
)
from evaluation.measures.weights import exact_rank_weights
from selection.framework.interface import Setting
from selection.judgments import GainChange
from selection.state import CampaignState


class SharedWeights:
    """`shared_weight` of these runs (all, if none are named), summed over topics and kept while judgments
    come, change and go.

    Sums are integers, so that the order of the judgments leaves no trace. Beyond 512 topics the unit is
    coarser than 2**-53, and weights are rounded down: a pair may be decided late, but never wrongly.
    """

    def __init__(self, setting: Setting, runs: IntArray | None = None) -> None:
        pools = setting.pools
        unit = 2.0 ** min(53, 62 - ceil(log2(max(len(pools), 1))))
        self._pools, self._all = pools, max(len(pools), 1) * unit
        self._units = np.floor(exact_rank_weights(setting.p, pools.depth) * unit)
        runs = np.arange(setting.runs) if runs is None else runs
        self._place = np.full(setting.runs, -1)
        self._place[runs] = np.arange(len(runs))
        self._total = np.zeros((len(runs), len(runs)), dtype=np.int64)
        for topic, pool in enumerate(pools):
            judged = np.zeros(len(pool), dtype=np.bool_)
            judged[list(setting.judgments.judged_in(topic))] = True
            shared = shared_weight(pool.start, pool.run, pool.rank, judged, self._units, runs)
            self._total += shared.astype(np.int64)

    def copy(self) -> SharedWeights:
        other = copy(self)
        other._total = self._total.copy()
        return other

    def judged(self, act: GainChange) -> None:
        if (act.before is None) == (act.after is None):
            return
        runs, ranks = self._pools[act.topic].occurrences(act.document)
        place = self._place[runs]
        mask = place >= 0
        if np.count_nonzero(mask) < 2:
            return
        place, units = place[mask], self._units[ranks[mask] - 1].astype(np.int64)
        lesser = np.minimum.outer(units, units)
        np.fill_diagonal(lesser, 0)
        self._total[place[:, None], place] += lesser if act.after is None else -lesser

    def among(self, runs: IntArray) -> FloatArray:
        """float64 (k, k), means over all topics for these runs."""
        place = self._place[runs]
        return np.asarray(self._total[place[:, None], place] / self._all)


Bound = Literal["differences", "intervals"]
PairIndices = tuple[tuple[int, int], ...]


class TestWatch(Protocol):
    """A stop test on one state."""

    def judged(self, act: GainChange) -> None:
        """Take note of an act that the state already reflects; none may be left out."""
        ...

    def passed(self) -> bool:
        """True if the test passes on the current judgments."""
        ...

    def moved(self, state: CampaignState) -> TestWatch:
        """The same test on a copy of the state that has gone no further."""
        ...


class Panel(Protocol):
    """Several questions asked of one state."""

    def judged(self, act: GainChange) -> None:
        """Take note of an act that the state already reflects; none may be left out."""
        ...

    def passed(self) -> BoolArray:
        """For each question: true if the current judgments answer it."""
        ...

    def moved(self, state: CampaignState) -> Panel:
        """The same questions on a copy of the state that has gone no further."""
        ...


class StopTest(Protocol):
    def watch(self, state: CampaignState) -> TestWatch:
        """Follow the state from here; ValueError if it does not have the runs that the test asks about."""
        ...


@dataclass(frozen=True)
class TopDistinct:
    """One run's base is above every other run's top (see `pair_decisions.top_is_distinct`).

    among : the runs that are compared, by index; all, if none are named
    """

    among: tuple[int, ...] = ()

    def watch(self, state: CampaignState) -> TestWatch:
        runs = _compared(state, self.among)
        top_is_distinct(*_bounds(state, runs))  # refuses a single run
        return _TopDistinct(state, runs)


@dataclass(frozen=True)
class TopPairs:
    """All pairs among the runs that now are the k best are decided by their bounds, for good.

    among : the runs that are compared, by index; all, if none are named
    """

    k: int
    bound: Bound = "differences"
    among: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.bound not in get_args(Bound):
            raise ValueError(f"bound = {self.bound!r} is neither 'differences' nor 'intervals'")

    def watch(self, state: CampaignState) -> TestWatch:
        leaders(_bounds(state, _compared(state, self.among))[0], self.k)  # refuses what k cannot be
        return _TopPairs(state, self, SharedWeights(state.setting) if self.bound == "differences" else None)


@dataclass(frozen=True)
class PairsDecided:
    """These pairs of runs, by index, are decided by the bounds of their differences."""

    pairs: PairIndices

    def watch(self, state: CampaignState) -> TestWatch:
        return _PairsDecided(SeparatedPairs(state, self.pairs))


class SeparatedPairs:
    """A panel: of each of these pairs, whether the bounds of the difference decide it.

    ValueError if there are not these runs.
    """

    def __init__(self, state: CampaignState, pairs: PairIndices, shared: SharedWeights | None = None) -> None:
        check_pairs(pairs, state.setting.runs)
        self._state, self._pairs = state, pairs
        self._runs, place = np.unique(np.array(pairs), return_inverse=True)
        self._cells = tuple(place.reshape(-1, 2).T)
        self._shared = SharedWeights(state.setting, self._runs) if shared is None else shared

    def judged(self, act: GainChange) -> None:
        self._shared.judged(act)

    def passed(self) -> BoolArray:
        base, residual = self._state.mean_bounds()
        shared = self._shared.among(self._runs)
        better = by_differences(base[self._runs], residual[self._runs], shared).better
        return np.asarray(better[self._cells] | better.T[self._cells])

    def moved(self, state: CampaignState) -> SeparatedPairs:
        return SeparatedPairs(state, self._pairs, self._shared.copy())


def check_pairs(pairs: Sequence[tuple[int, int]], runs: int) -> None:
    if not pairs:
        raise ValueError("no pairs of runs are given")
    for one, other in pairs:
        if one == other or not (0 <= one < runs and 0 <= other < runs):
            raise ValueError(f"({one}, {other}) is no pair of {runs} runs")


def _compared(state: CampaignState, among: Sequence[int]) -> IntArray:
    runs = np.array(among or range(state.setting.runs), dtype=np.int64)
    wrong = runs[(runs < 0) | (runs >= state.setting.runs)]
    if len(wrong):
        raise ValueError(f"run {wrong[0]} of {state.setting.runs}")
    return runs


def _bounds(state: CampaignState, runs: IntArray) -> tuple[FloatArray, FloatArray]:
    base, residual = state.mean_bounds()
    return base[runs], residual[runs]


class _TopDistinct:
    def __init__(self, state: CampaignState, runs: IntArray) -> None:
        self._state, self._runs = state, runs

    def judged(self, act: GainChange) -> None:
        pass

    def passed(self) -> bool:
        return top_is_distinct(*_bounds(self._state, self._runs))

    def moved(self, state: CampaignState) -> TestWatch:
        return _TopDistinct(state, self._runs)


class _TopPairs:
    def __init__(self, state: CampaignState, test: TopPairs, shared: SharedWeights | None) -> None:
        self._state, self._test, self._shared = state, test, shared
        self._runs = _compared(state, test.among)

    def judged(self, act: GainChange) -> None:
        if self._shared is not None:
            self._shared.judged(act)

    def passed(self) -> bool:
        base, residual = self._state.mean_bounds()
        here = self._runs
        runs = here[leaders(base[here], self._test.k)]
        if self._shared is None:
            return by_score_ranges(base[runs], residual[runs]).all_decided
        return by_differences(base[runs], residual[runs], self._shared.among(runs)).all_decided

    def moved(self, state: CampaignState) -> TestWatch:
        return _TopPairs(state, self._test, None if self._shared is None else self._shared.copy())


class _PairsDecided:
    def __init__(self, each: SeparatedPairs) -> None:
        self._each = each

    def judged(self, act: GainChange) -> None:
        self._each.judged(act)

    def passed(self) -> bool:
        return bool(self._each.passed().all())

    def moved(self, state: CampaignState) -> TestWatch:
        return _PairsDecided(self._each.moved(state))
