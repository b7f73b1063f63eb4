"""Standings for the overview: each run's score, the best run, and the confidence in it.

A score range is certain. An expected score, its prediction interval and every probability come from the
model, and are cut to the score range: the prediction may know fewer judgments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from campaigns.log.judgments import length_of
from campaigns.models import Campaign
from campaigns.predictions.prediction import (
    NOISE,
    SEPARATED,
    TOP_RUNS,
    MissingPrediction,
    RunPrediction,
    ScorePrediction,
    is_too_wide,
    percent_of,
    prediction_of,
    unpredicted_of,
)
from campaigns.results.score_ranges import RunScoreRange, computed_of, score_ranges_of
from campaigns.results.topic_scope import TopicScope
from evaluation.arrays import IntArray
from selection.simulation.prediction import count_leaders, possible_places

# From this P(best) on, which pages name, a run is counted among those that may be best. Below the second, no
# run stands out, and none gets a figure.
MAY_BE_BEST, STANDS_OUT = 0.01, 0.2
# From this probability on a pair leans to one side.
LEANING = 0.8
# Scores that differ by less are shown alike.
SAME_SCORE = 5e-4

PairState = Literal["certain", "likely", "leaning", "open"]
VerdictKind = Literal["alone", "certain", "early", "leaders", "probable", "unpredicted"]


@dataclass(frozen=True)
class RunStanding:
    """One row. `expected`, `low`, `high`, `first` and `last` (places that no separated pair rules out) are
    None where nothing is predicted, `best` also where it is too early or no run stands out. Then `leader`
    says whether the run is among the leaders. `early`: too early for probabilities of any run. `twin`: shares
    the first place with a run that scores alike. `same`: further runs that rank the same documents in the
    same order, and have no row of their own."""

    id: int
    run: str
    group: str
    base: float
    top: float
    late: bool
    contributes: bool
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    best: float | None = None
    first: int | None = None
    last: int | None = None
    twin: bool = False
    leader: bool = False
    same: tuple[str, ...] = ()
    early: bool = False

    @property
    def too_early(self) -> bool:
        """True if only the score range and the place in the order are shown of the prediction."""
        if self.low is None or self.high is None:
            return False
        return self.early or is_too_wide(self.base, self.low, self.high, self.top)

    @property
    def may_be_best(self) -> bool:
        return self.leader or (self.best is not None and self.best >= MAY_BE_BEST)


@dataclass(frozen=True)
class Verdict:
    """Verdict on the best run: only ever the first row. `best`: P(best) of that run, with its twin; `rivals`:
    other runs from `MAY_BE_BEST` on, with their P(best), the likeliest first. `leaders`: the number of runs,
    headed by `run`, that share the first place where none stands out. `why`: nothing is predicted."""

    kind: VerdictKind
    run: str = ""
    twin: str = ""
    best: float | None = None
    rivals: tuple[tuple[str, float], ...] = ()
    leaders: int = 0
    why: MissingPrediction | None = None


@dataclass(frozen=True)
class MatrixPair:
    """Two runs, in the matrix the one of the higher expected score first. `percent`: how sure it is that
    `run` has the higher final score; None while it is too early."""

    run: RunStanding
    other: RunStanding
    state: PairState
    percent: int | None


@dataclass(frozen=True)
class Standings:
    """`as_of`: the judgment up to which score ranges are known; `predicted_as_of`: predictions, None where
    there are none; then `unpredicted` says why. `topics`: of which scores are means."""

    scope: TopicScope
    as_of: int
    judged: int
    length: int
    rows: Sequence[RunStanding]
    prediction: ScorePrediction | None
    unpredicted: MissingPrediction | None = None

    @property
    def runs(self) -> int:
        """All that take part; identical ones share a row."""
        return count_runs(self.rows)

    @property
    def distinct(self) -> int:
        """Number of runs among which ranks are given."""
        return len(self.rows)

    def of_run(self, run: int) -> RunStanding | None:
        """Standing of the run, or of the first one that is identical to it; None for a withdrawn one."""
        first = self.prediction.first_of.get(run, run) if self.prediction else run
        return self._by_id.get(first)

    @cached_property
    def _by_id(self) -> dict[int, RunStanding]:
        return {row.id: row for row in self.rows}

    @property
    def early(self) -> bool:
        return self.prediction is not None and self.prediction.early

    @property
    def predicted_as_of(self) -> int | None:
        return None if self.prediction is None else self.prediction.as_of

    @cached_property
    def may_be_best(self) -> int:
        return sum(row.may_be_best for row in self.rows)

    @cached_property
    def last_may(self) -> int:
        """The place of the last run that may be best; 0 if none may, or all."""
        last = max((place for place, row in enumerate(self.rows, 1) if row.may_be_best), default=0)
        return last if last < len(self.rows) else 0

    @cached_property
    def pairs(self) -> list[MatrixPair]:
        """Pairs of the first runs by expected score; none where nothing is predicted."""
        if self.prediction is None:
            return []
        return [self.pair(*two) for two in combinations(self.rows[:TOP_RUNS], 2)]

    @property
    def certain(self) -> int:
        return sum(pair.state == "certain" for pair in self.pairs)

    @property
    def likely(self) -> int:
        return sum(pair.state == "likely" for pair in self.pairs)

    @property
    def separated(self) -> int:
        return self.certain + self.likely

    @property
    def open(self) -> int:
        return len(self.pairs) - self.separated

    @property
    def contest(self) -> tuple[RunStanding, RunStanding] | None:
        """The first run and its likeliest rival that is no twin of it; where no P(best) is shown, the first
        two rows."""
        if len(self.rows) < 2:
            return None
        first, *others = self.rows
        others = sorted(others, key=lambda row: -(row.best or 0.0))
        return first, next((row for row in others if not (first.twin and row.twin)), others[0])

    @property
    def next_pairs(self) -> list[MatrixPair]:
        """The open pairs nearest to being separated."""
        unsure = [pair for pair in self.pairs if pair.state in ("leaning", "open") and pair.percent]
        return sorted(unsure, key=lambda pair: -abs((pair.percent or 0) - 50))

    def pair(self, run: RunStanding, other: RunStanding) -> MatrixPair:
        confidence = None if self.prediction is None else self.prediction.confidence(run.id, other.id)
        if run.base > other.top + NOISE:
            confidence = 1.0
        elif other.base > run.top + NOISE:
            confidence = 0.0
        return MatrixPair(run, other, pair_state(confidence), percent_of(confidence))

    @cached_property
    def verdict(self) -> Verdict:
        if len(self.rows) == 1 and self.length:
            return Verdict("alone", self.rows[0].run)
        if self.rows and self.judged and all(self.rows[0].base > row.top + NOISE for row in self.rows[1:]):
            return Verdict("certain", self.rows[0].run, best=1.0)
        if self.prediction is None or not self.judged:
            waits = MissingPrediction("computing" if self.as_of < self.length else "empty")
            return Verdict("unpredicted", why=self.unpredicted or waits)
        if self.early:
            return Verdict("early")
        if leaders := sum(row.leader for row in self.rows):
            return Verdict("leaders", self.rows[0].run, leaders=leaders)
        return self._probable()

    def _probable(self) -> Verdict:
        first, *others = self.rows
        twin = next((row for row in others if first.twin and row.twin), None)
        best = (first.best or 0.0) + (twin.best or 0.0 if twin else 0.0)
        likeliest = sorted(others, key=lambda row: (-(row.best or 0.0), row.id))
        rivals = tuple((row.run, row.best or 0.0) for row in likeliest if row.may_be_best and row is not twin)
        return Verdict("probable", first.run, twin.run if twin else "", best, rivals)


def count_runs(rows: Sequence[RunStanding]) -> int:
    return sum(1 + len(row.same) for row in rows)


def pair_state(confidence: float | None) -> PairState:
    if confidence is None:
        return "open"
    if confidence in (0, 1):
        return "certain"
    surer = max(confidence, 1 - confidence) + NOISE
    return "likely" if surer >= SEPARATED else "leaning" if surer >= LEANING else "open"


def standings_of(*, campaign: Campaign, topics: TopicScope = "all") -> Standings:
    computed = computed_of(campaign=campaign)
    ranges = score_ranges_of(campaign=campaign, computed=computed, topics=topics)
    prediction = prediction_of(campaign=campaign, topics=topics)
    rows = ordered_rows([_row(run) for run in ranges], prediction)
    return Standings(
        topics,
        computed.applied,
        computed.judged,
        length_of(campaign=campaign),
        rows,
        prediction,
        None if prediction else unpredicted_of(campaign=campaign),
    )


def ordered_rows(rows: list[RunStanding], prediction: ScorePrediction | None) -> list[RunStanding]:
    """Rows of score ranges with what is predicted. Without a prediction, by the middle of the range: no run
    is put first for its base alone."""
    if prediction is not None:
        rows = predicted_rows(rows, prediction)
    return sorted(rows, key=_place)


def _place(row: RunStanding) -> tuple[float, int]:
    return -_height(row), row.id


def _height(row: RunStanding) -> float:
    return (row.base + row.top) / 2 if row.expected is None else row.expected


def _row(run: RunScoreRange) -> RunStanding:
    return RunStanding(run.id, run.run, run.group, run.base, run.top, run.late, run.contributes)


def predicted_rows(rows: Sequence[RunStanding], prediction: ScorePrediction) -> list[RunStanding]:
    """Rows of score ranges, with what is predicted, in any order."""
    rows = _without_doubles(rows, prediction)
    distinct = [run for run in prediction.runs if run.id not in prediction.first_of]
    by_id = {run.id: run for run in distinct}
    first, last = _places(prediction, distinct)
    at = {run.id: place for place, run in enumerate(distinct)}
    ranked = [
        _cut(row, by_id[row.id], int(first[at[row.id]]), int(last[at[row.id]])) if row.id in by_id else row
        for row in rows
    ]
    if prediction.early:
        return [replace(row, early=True, first=None, last=None) for row in ranked]
    ranked.sort(key=_place)
    if leaders := _leaders(ranked, prediction):
        return [replace(row, best=None, leader=row.id in leaders) for row in ranked]
    twins = _twins(ranked)
    return [replace(row, twin=row.id in twins) for row in ranked]


def _cut(row: RunStanding, run: RunPrediction, first: int, last: int) -> RunStanding:
    expected, low, high = (min(max(value, row.base), row.top) for value in (run.expected, run.low, run.high))
    return replace(row, expected=expected, low=low, high=high, best=run.best, first=first, last=last)


def _without_doubles(rows: Sequence[RunStanding], prediction: ScorePrediction) -> list[RunStanding]:
    """One row for each group of identical runs: that of the first uploaded."""
    tags = {row.id: row.run for row in rows}
    same = {group[0]: tuple(tags[run] for run in group[1:] if run in tags) for group in prediction.same}
    return [replace(row, same=same.get(row.id, ())) for row in rows if row.id not in prediction.first_of]


def _places(prediction: ScorePrediction, distinct: Sequence[RunPrediction]) -> tuple[IntArray, IntArray]:
    """The first and the last place that no pair rules out which is separated, among distinct runs."""
    runs = len(prediction.runs)
    better = np.zeros((runs, runs))
    upper = np.triu_indices(runs, 1)
    better[upper] = prediction.pairs
    better.T[upper] = 1 - prediction.pairs
    places = {run.id: place for place, run in enumerate(prediction.runs)}
    here = [places[run.id] for run in distinct]
    return possible_places(better[np.ix_(here, here)])


def _leaders(rows: Sequence[RunStanding], prediction: ScorePrediction) -> set[int]:
    """Ids of the first rows whose P(best) sum up to 95%, where no run stands out: there are too many for a
    P(best) of each, the likeliest has little, or it is not the first by expected score. Else empty."""
    if not rows:
        return set()
    chances = np.array([prediction.chances.get(row.id, 0.0) for row in rows])
    likeliest = rows[int(chances.argmax())]
    is_first = chances.max() == chances[0] or _alike(rows[0], likeliest)
    if rows[0].best is not None and chances.max() >= STANDS_OUT and is_first:
        return set()
    return {row.id for row in rows[: count_leaders(chances)]}


def _twins(rows: Sequence[RunStanding]) -> set[int]:
    """Ids of the first run and of the likeliest other one that has the same scores, if there is one."""
    likeliest = sorted(rows[1:], key=lambda row: (-(row.best or 0), row.id))
    twin = next((row for row in likeliest if row.may_be_best and _alike(rows[0], row)), None)
    return set() if twin is None else {rows[0].id, twin.id}


def _alike(one: RunStanding, other: RunStanding) -> bool:
    marks = ((one.base, other.base), (one.top, other.top), (one.expected or 0, other.expected or 0))
    return all(abs(first - second) < SAME_SCORE for first, second in marks)
