"""Where each run's score lies, which run is best and how sure that is: what the overview shows.

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
from campaigns.results.score_ranges import RunScoreRange, computed_of, score_ranges_of
from campaigns.results.topic_scope import TopicScope
from campaigns.stopping.prediction import (
    NOISE,
    SEPARATED,
    TOP_RUNS,
    RunPrediction,
    ScorePrediction,
    percent_of,
    prediction_of,
)
from evaluation.arrays import FloatArray

# From this P(best) on, which pages name, a run is counted among those that may be best. Below the second, no
# run stands out, and none gets a figure.
MAY_BE_BEST, STANDS_OUT = 0.01, 0.2
# What the leaders share where no run stands out.
OF_LEADERS = 0.95
# From this probability on a pair leans to one side.
LEANING = 0.8
# Scores that differ by less are shown alike.
SAME_SCORE = 5e-4

PairState = Literal["certain", "likely", "leaning", "open"]
VerdictKind = Literal["none", "alone", "early", "certain", "probable", "leaders"]


@dataclass(frozen=True)
class RunStanding:
    """One row. `expected`, `low`, `high`, `first` and `last` (places that no separated pair rules out) are
    None where nothing is predicted, `best` also where it is too early or no run stands out. Then `leader`
    says whether the run is among the leaders. `twin`: shares the first place with a run that scores alike.
    `same`: further runs that rank the same documents in the same order, and have no row of their own."""

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

    @property
    def may_be_best(self) -> bool:
        return self.leader or (self.best is not None and self.best >= MAY_BE_BEST)


@dataclass(frozen=True)
class Verdict:
    """Who is best. `best`: of the leader, with its twin; `rivals`: other runs from `MAY_BE_BEST` on,
    with their P(best), the likeliest first. `leaders`: how many runs share the first place where none stands
    out."""

    kind: VerdictKind
    run: str = ""
    twin: str = ""
    best: float | None = None
    rivals: tuple[tuple[str, float], ...] = ()
    leaders: int = 0


@dataclass(frozen=True)
class MatrixPair:
    """Two of the first runs. `percent`: how sure it is that `run`, the row of the higher expected score, has
    the higher final score; None while it is too early."""

    run: RunStanding
    other: RunStanding
    state: PairState
    percent: int | None

    @property
    def words(self) -> int:
        """The percentage of whichever is likelier."""
        return 0 if self.percent is None else max(self.percent, 100 - self.percent)


@dataclass(frozen=True)
class Standings:
    """`as_of`: the judgment up to which score ranges are known; `predicted_as_of`: predictions, None where
    there are none. `topics`: of which scores are means."""

    scope: TopicScope
    as_of: int
    judged: int
    length: int
    rows: Sequence[RunStanding]
    prediction: ScorePrediction | None

    @property
    def runs(self) -> int:
        """Identical ones share a row."""
        return count_runs(self.rows)

    @property
    def early(self) -> bool:
        return self.prediction is not None and self.prediction.early

    @property
    def predicted_as_of(self) -> int | None:
        return None if self.prediction is None else self.prediction.as_of

    @property
    def may_be_best(self) -> int:
        return sum(row.may_be_best for row in self.rows)

    @property
    def last_may(self) -> int:
        """The place of the last run that may be best; 0 if none may, or all."""
        last = max((place for place, row in enumerate(self.rows, 1) if row.may_be_best), default=0)
        return last if last < len(self.rows) else 0

    @cached_property
    def pairs(self) -> list[MatrixPair]:
        """Of the first runs by expected score; none where nothing is predicted."""
        if self.prediction is None:
            return []
        return [self._pair(*two) for two in combinations(self.rows[:TOP_RUNS], 2)]

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
        """The likeliest best run and its closest rival; before there is a prediction, the first two rows."""
        if len(self.rows) < 2:
            return None
        first, *others = sorted(self.rows, key=lambda row: -(row.best or 0.0))
        return first, next((row for row in others if not (first.twin and row.twin)), others[0])

    @property
    def next_pairs(self) -> list[MatrixPair]:
        """The open pairs nearest to being separated."""
        unsure = [pair for pair in self.pairs if pair.state in ("leaning", "open") and pair.percent]
        return sorted(unsure, key=lambda pair: -pair.words)

    def _pair(self, run: RunStanding, other: RunStanding) -> MatrixPair:
        confidence = None if self.prediction is None else self.prediction.confidence(run.id, other.id)
        if run.base > other.top + NOISE:
            confidence = 1.0
        elif other.base > run.top + NOISE:
            confidence = 0.0
        return MatrixPair(run, other, pair_state(confidence), percent_of(confidence))

    @cached_property
    def verdict(self) -> Verdict:
        if not self.rows or not self.judged:
            return Verdict("none")
        if len(self.rows) == 1:
            return Verdict("alone", self.rows[0].run)
        surest = max(self.rows, key=lambda row: (row.base, -row.id))
        if all(surest.base > row.top + NOISE for row in self.rows if row is not surest):
            return Verdict("certain", surest.run, best=1.0)
        if self.prediction is None or self.early:
            return Verdict("early")
        if leaders := sum(row.leader for row in self.rows):
            return Verdict("leaders", leaders=leaders)
        return self._probable()

    def _probable(self) -> Verdict:
        known = sorted(self.rows, key=lambda row: (-(row.best or 0.0), row.id))
        first, *others = known
        twin = next((row for row in others if first.twin and row.twin), None)
        best = (first.best or 0.0) + (twin.best or 0.0 if twin else 0.0)
        rivals = tuple((row.run, row.best or 0.0) for row in others if row.may_be_best and row is not twin)
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
    rows = [_row(run) for run in ranges]
    if prediction is not None:
        rows = _predicted(rows, prediction)
    # Without a prediction, by the middle of the range: no run is put first for its base alone.
    rows.sort(key=lambda row: (-_height(row), row.id))
    return Standings(
        topics, computed.applied, computed.judged, length_of(campaign=campaign), rows, prediction
    )


def _height(row: RunStanding) -> float:
    return (row.base + row.top) / 2 if row.expected is None else row.expected


def _row(run: RunScoreRange) -> RunStanding:
    return RunStanding(run.id, run.run, run.group, run.base, run.top, run.late, run.contributes)


def _predicted(rows: Sequence[RunStanding], prediction: ScorePrediction) -> list[RunStanding]:
    rows = _without_doubles(rows, prediction)
    distinct = [run for run in prediction.runs if run.id not in prediction.first_of]
    by_id = {run.id: run for run in distinct}
    first, last = _places(prediction, distinct)
    at = {run.id: place for place, run in enumerate(distinct)}
    leaders = _leaders(prediction)
    found = [
        _cut(row, by_id[row.id], int(first[at[row.id]]), int(last[at[row.id]])) if row.id in by_id else row
        for row in rows
    ]
    if leaders:
        return [replace(row, best=None, leader=row.id in leaders) for row in found]
    twins = _twins(found)
    return [replace(row, twin=row.id in twins) for row in found]


def _cut(row: RunStanding, run: RunPrediction, first: int, last: int) -> RunStanding:
    expected, low, high = (min(max(value, row.base), row.top) for value in (run.expected, run.low, run.high))
    places = (None, None) if run.best is None else (first, last)
    return replace(row, expected=expected, low=low, high=high, best=run.best, first=places[0], last=places[1])


def _without_doubles(rows: Sequence[RunStanding], prediction: ScorePrediction) -> list[RunStanding]:
    """One row for each group of identical runs: that of the first uploaded."""
    tags = {row.id: row.run for row in rows}
    same = {group[0]: tuple(tags[run] for run in group[1:] if run in tags) for group in prediction.same}
    return [replace(row, same=same.get(row.id, ())) for row in rows if row.id not in prediction.first_of]


def _places(prediction: ScorePrediction, distinct: Sequence[RunPrediction]) -> tuple[FloatArray, FloatArray]:
    """The first and the last place that no pair rules out which is separated, among distinct runs."""
    runs = len(prediction.runs)
    better = np.zeros((runs, runs))
    upper = np.triu_indices(runs, 1)
    better[upper] = prediction.pairs
    better.T[upper] = 1 - prediction.pairs
    places = {run.id: place for place, run in enumerate(prediction.runs)}
    here = [places[run.id] for run in distinct]
    # Stored with few digits.
    ahead = np.round(better[np.ix_(here, here)], 4) >= SEPARATED
    return 1 + ahead.sum(axis=0), len(here) - ahead.sum(axis=1)


def _leaders(prediction: ScorePrediction) -> set[int]:
    """Ids of the runs that hold the best one with 95%, where no run stands out; else empty."""
    distinct = [run for run in prediction.runs if run.id not in prediction.first_of]
    order = sorted(distinct, key=lambda run: (-(run.best or 0.0), run.id))
    if prediction.early or not order or (order[0].best or 0.0) >= STANDS_OUT:
        return set()
    shares = np.cumsum([run.best or 0.0 for run in order])
    return {run.id for run in order[: 1 + int(np.searchsorted(shares, OF_LEADERS))]}


def _twins(rows: Sequence[RunStanding]) -> set[int]:
    """Ids of the likeliest best run and of the next one, if both have the same scores."""
    known = sorted((row for row in rows if row.best is not None), key=lambda row: (-(row.best or 0), row.id))
    if len(known) < 2:
        return set()
    leader = known[0]
    for row in known[1:]:
        marks = ((leader.base, row.base), (leader.top, row.top), (leader.expected or 0, row.expected or 0))
        if row.may_be_best and all(abs(one - other) < SAME_SCORE for one, other in marks):
            return {leader.id, row.id}
    return set()
