"""Probability of relevance of each of a topic's documents, and the change that each would make to the runs'
expected sums of precisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from evaluation.estimation.mtc import topic_moments
from evaluation.estimation.relevance import expert_relevance
from selection.framework.interface import Setting
from selection.judgments import GainChange
from selection.methods.mtc.options import MtcOptions, rank_values
from selection.methods.mtc.ranked_pool import RankedPool

# Sums of 1 / rank over a ranking stay below 16 to a depth of three million: on this grid they are exact.
MARGINAL_GRID = 2.0**49


class PairSums:
    """For each place of a document in a run, sums of 1 / (greater of two ranks) over documents of the run:
    the document itself and those judged relevant (`sure`), and the others that are not judged (`open`).

    With the same probability p for all unjudged documents, the marginal is sure + p * open. Reciprocals are
    rounded to multiples of 2**-49, and so every sum is exact: judging moves the sums of the document's runs
    in one step, taking back restores each bit, and neither leaves a trace of the order.
    """

    def __init__(self, ranked: RankedPool, labels: FloatArray) -> None:
        """`labels` (pool,): 1 relevant, 0 not, NaN not judged."""
        self._ranked = ranked
        self._reciprocal: FloatArray = np.rint(MARGINAL_GRID / ranked.rank) / MARGINAL_GRID
        known = labels[ranked.document]
        self._sure = self._reciprocal + self._sums(known == 1)
        self._open = self._sums(np.isnan(known))

    def move(self, document: int, before: bool | None, after: bool | None) -> None:
        """Follow a judgment: relevant, not relevant, or none."""
        ranked, own = self._ranked, self._ranked.entries(document)
        least = np.zeros(len(ranked.part))
        least[ranked.run[own]] = self._reciprocal[own]
        # Clipping never happens; it spares a check of every index.
        change = least.take(ranked.run, mode="clip")
        np.minimum(change, self._reciprocal, out=change)
        change[own] = 0.0
        if (before is True) != (after is True):
            (np.add if after else np.subtract)(self._sure, change, out=self._sure)
        if (before is None) != (after is None):
            (np.add if after is None else np.subtract)(self._open, change, out=self._open)

    def moved(self, document: int, before: bool | None, after: bool | None) -> PairSums:
        """The same after a judgment that is not made here."""
        other = object.__new__(PairSums)
        other._ranked, other._reciprocal = self._ranked, self._reciprocal
        other._sure, other._open = self._sure.copy(), self._open.copy()
        other.move(document, before, after)
        return other

    def marginals(self, p: float) -> FloatArray:
        """(entries,), above 0."""
        sums = self._open * p
        sums += self._sure
        return sums

    def _sums(self, counted: BoolArray) -> FloatArray:
        """Prefix sums along each run, in whole units of the grid; differences survive an overflow."""
        ranked = self._ranked
        units = np.rint(self._reciprocal * MARGINAL_GRID).astype(np.int64)
        first, at = ranked.by_run()
        number, mass = np.zeros((2, len(at) + 1), dtype=np.int64)
        number[at + 1], mass[at + 1] = counted, counted * units
        number, mass = number.cumsum(), mass.cumsum()
        above = number[at] - number[first[ranked.run]]
        below = mass[first[ranked.run + 1]] - mass[at + 1]
        return np.asarray((above * units + below) / MARGINAL_GRID)


@dataclass(frozen=True, eq=False)
class Belief:
    """`marginals` (entries,): what each document's relevance is expected to add to each run.

    relevance : of every unjudged document alike, or (k,) of those in `RankedPool.documents`
    scale : the marginals times this are in units of the measure; 0 where it is 0 for sure
    judged : how many documents are
    """

    marginals: FloatArray
    relevance: float | FloatArray
    scale: float
    judged: int


class Believer(Protocol):
    def judged(self, act: GainChange) -> None: ...

    def belief(self, after: GainChange | None) -> Belief:
        """Belief on the current judgments, or on those after an act."""
        ...


@dataclass(frozen=True)
class JudgedCounts:
    """Documents judged, those of them that are relevant, and unjudged ones that weigh."""

    judged: int
    relevant: int
    open: int

    def moved(self, before: bool | None, after: bool | None, weighs: bool) -> JudgedCounts:
        change = (before is None) - (after is None)
        relevant = self.relevant + (after is True) - (before is True)
        return replace(self, judged=self.judged + change, relevant=relevant, open=self.open - change * weighs)

    def rate(self, options: MtcOptions) -> float:
        if options.relevance == "constant":
            return options.prior
        return (self.relevant + 1) / (self.judged + 2)


class UniformBelief:
    """One probability for all unjudged documents of the topic: a constant, or the smoothed rate."""

    def __init__(self, setting: Setting, topic: int, ranked: RankedPool, options: MtcOptions) -> None:
        self._setting, self._ranked, self._options = setting, ranked, options
        labels = labels_of(setting, topic, None)
        self._tally = JudgedCounts(
            judged=int(np.count_nonzero(~np.isnan(labels))),
            relevant=int(np.count_nonzero(labels == 1)),
            open=int(np.count_nonzero(np.isnan(labels[ranked.documents]))),
        )
        self._fixed = fixed_marginals(setting, ranked, options)
        self._sums = PairSums(ranked, labels) if self._fixed is None else None

    def judged(self, act: GainChange) -> None:
        before, after = self._labels(act)
        self._tally = self._tally.moved(before, after, self._weighs(act))
        if self._sums is not None:
            self._sums.move(act.document, before, after)

    def belief(self, after: GainChange | None) -> Belief:
        tally, sums = self._tally, self._sums
        if after is not None:
            labels = self._labels(after)
            tally = tally.moved(*labels, self._weighs(after))
            sums = None if sums is None else sums.moved(after.document, *labels)
        p = tally.rate(self._options)
        if self._fixed is not None:
            return Belief(self._fixed, p, 1.0, tally.judged)
        assert sums is not None
        return Belief(sums.marginals(p), p, _inverse(tally.relevant + p * tally.open), tally.judged)

    def _labels(self, act: GainChange) -> tuple[bool | None, bool | None]:
        before, after = act.before, act.after
        return (
            None if before is None else self._setting.relevant(before),
            None if after is None else self._setting.relevant(after),
        )

    def _weighs(self, act: GainChange) -> bool:
        return bool(self._ranked.place[act.document] >= 0)


class ExpertBelief:
    """The runs' rankings as experts' opinions; fitted again after each judgment."""

    def __init__(self, setting: Setting, topic: int, ranked: RankedPool, options: MtcOptions) -> None:
        self._setting, self._topic, self._ranked = setting, topic, ranked
        self._fixed = fixed_marginals(setting, ranked, options)

    def judged(self, act: GainChange) -> None:
        pass

    def belief(self, after: GainChange | None) -> Belief:
        ranked, rankings = self._ranked, self._ranked.rankings()
        labels = labels_of(self._setting, self._topic, after)
        relevance = expert_relevance(rankings, labels)
        known = ~np.isnan(labels)
        # Of the others only those that weigh are held to be possible, as with the other estimators.
        relevance[~known & (ranked.place < 0)] = 0.0
        judged, here = int(np.count_nonzero(known)), relevance[ranked.documents]
        if self._fixed is not None:
            return Belief(self._fixed, here, 1.0, judged)
        marginals = topic_moments(rankings, relevance).marginals
        return Belief(marginals[ranked.run, ranked.document], here, _inverse(float(relevance.sum())), judged)


def believer_of(setting: Setting, topic: int, ranked: RankedPool, options: MtcOptions) -> Believer:
    kind = ExpertBelief if options.relevance == "experts" else UniformBelief
    return kind(setting, topic, ranked, options)


def labels_of(setting: Setting, topic: int, after: GainChange | None) -> FloatArray:
    """1 relevant, 0 not, NaN not judged, (pool,), as they would be after an act."""
    gains = setting.judgments.gains_of(topic)
    if after is not None:
        gains[after.document] = np.nan if after.after is None else after.after
    return np.where(np.isnan(gains), np.nan, gains > setting.threshold)


def fixed_marginals(setting: Setting, ranked: RankedPool, options: MtcOptions) -> FloatArray | None:
    """Marginals of a measure that judgments do not change; None for AP."""
    if options.measure == "AP":
        return None
    return rank_values(options, setting.p, setting.pools.depth)[ranked.rank]


def _inverse(relevant: float) -> float:
    return 1 / relevant if relevant > 0 else 0.0
