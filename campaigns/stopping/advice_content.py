"""Stored content about stopping (`Advice.content`) and planning (`Outlook.content`), and its JSON.

Databases hold rows of older versions: `from_json` reads them, so names in the JSON stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from evaluation.measures.bounds import projected_score
from selection.simulation.planning import PlannedTrajectory
from selection.simulation.relevance.relevance_model import MODEL_VERSION

DecisionBasis = Literal["intervals", "difference", ""]
# Judgments of one kind say too little for a simulation, and none shows how one judgment gives all others of
# its topic gain 0.
Withheld = Literal["all_relevant", "none_relevant", "unjudged_not_relevant"]


@dataclass(frozen=True)
class StoredForecast:
    """Judgments still to come: the median of simulated futures, and the ends of the interval that holds 80 %
    of them; None: not within `horizon`. `never`: in most futures it does not come though all is judged that
    the method serves. `until`: the best run is distinct, or all pairs are decided; empty for a single
    pair."""

    median: int | None
    low: int | None
    high: int | None
    horizon: int
    never: bool
    until: Literal["top", "pairs", ""] = ""

    def to_json(self) -> dict[str, Any]:
        row = asdict(self)
        if not self.until:
            del row["until"]
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any] | None) -> StoredForecast | None:
        return None if row is None else cls(**row)


@dataclass(frozen=True)
class AdvisedRun:
    """One of the best runs, with means over topics. `id`: None in rows that are older than webhooks."""

    id: int | None
    run: str
    base: float
    residual: float
    projected: float

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> AdvisedRun:
        base, residual = row["base"], row["residual"]
        # Older rows hold the means alone.
        projected = row.get("projected", projected_score(base, residual))
        return cls(row.get("id"), row["run"], base, residual, projected)


@dataclass(frozen=True)
class AdvisedPair:
    """Two of the best runs by their places, the one of higher base first. `by`: what decides the pair, empty
    while it is open."""

    upper: int
    lower: int
    by: DecisionBasis
    forecast: StoredForecast | None = None

    def to_json(self) -> list[Any]:
        forecast = None if self.forecast is None else self.forecast.to_json()
        # Older versions stored MTC's confidence in the fourth place, and read one there.
        return [self.upper, self.lower, self.by, None, forecast]

    @classmethod
    def from_json(cls, row: list[Any]) -> AdvisedPair:
        upper, lower, by, _, *forecast = row
        return cls(upper, lower, by, StoredForecast.from_json(forecast[0] if forecast else None))


# No one reads a document faster: scripts and replays do not make assessors' hours shorter.
LEAST_SECONDS = 5.0


def counted_seconds(measured: float | None) -> float | None:
    """The seconds of a judgment that hours are computed with: those measured, at least `LEAST_SECONDS`."""
    return None if measured is None else max(measured, LEAST_SECONDS)


# Fields of the stored JSON that are as they are in `AdviceContent`.
ALWAYS_STORED = ("model", "judged", "best", "distinct", "rivals", "further", "seconds")
STORED_IF_KNOWN = ("next_horizon", "seconds_each", "withheld")
# The better run's id, the other's.
PairIds = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class AdviceContent:
    """Stopping advice on the judgments so far. `rivals`: other runs that may still become the best.
    `left_out`: parts that would have taken too long. `further`: true to simulate further ahead next time, up
    to `next_horizon`. `seconds`: time of the computation; `seconds_each`: the median time of a judgment, as
    measured. `model`: the version of the relevance model, 1 in older rows. `announced`: the decided pairs
    that webhooks know; None in rows that are older than webhooks. `next_pair`, `one_best`: forecasts until
    the prediction separates another pair of the best runs, and until one run has a P(best) of 95%; None if
    that is so already, or unknown. `separating`: for open pairs of the best runs by expected score, by their
    ids, the forecast until the prediction separates them. `withheld`: the reason for no forecast."""

    model: int = MODEL_VERSION
    judged: int = 0
    best: str = ""
    distinct: bool = False
    rivals: int = 0
    runs: tuple[AdvisedRun, ...] = ()
    pairs: tuple[AdvisedPair, ...] = ()
    forecast: StoredForecast | None = None
    left_out: tuple[str, ...] = ()
    further: bool = False
    next_horizon: int | None = None
    seconds_each: float | None = None
    seconds: float = 0.0
    announced: frozenset[PairIds] | None = None
    next_pair: StoredForecast | None = None
    one_best: StoredForecast | None = None
    separating: Mapping[PairIds, StoredForecast] = field(default_factory=dict)
    withheld: Withheld | Literal[""] = ""

    def ids(self, pair: AdvisedPair) -> PairIds | None:
        upper, lower = self.runs[pair.upper].id, self.runs[pair.lower].id
        return None if upper is None or lower is None else (upper, lower)

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            **{name: getattr(self, name) for name in ALWAYS_STORED},
            "left_out": list(self.left_out),
            "runs": [asdict(run) for run in self.runs],
            "pairs": [pair.to_json() for pair in self.pairs],
            "forecast": None if self.forecast is None else self.forecast.to_json(),
        }
        if self.next_horizon is not None:
            row["next_horizon"] = self.next_horizon
        if self.next_horizon is not None or self.seconds_each is not None:
            row["seconds_each"] = self.seconds_each
        for name in ("next_pair", "one_best"):
            if (forecast := getattr(self, name)) is not None:
                row[name] = forecast.to_json()
        if self.withheld:
            row["withheld"] = self.withheld
        if self.separating:
            row["separating"] = [[*pair, forecast.to_json()] for pair, forecast in self.separating.items()]
        if self.announced is not None:
            row["told"] = sorted(self.announced)
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> AdviceContent:
        """Read a stored row; an empty row gives the content before the first computation."""
        plain = {name: row[name] for name in (*ALWAYS_STORED, *STORED_IF_KNOWN) if name in row}
        return cls(
            **{"model": 1, **plain},
            runs=tuple(map(AdvisedRun.from_json, row.get("runs", ()))),
            pairs=tuple(map(AdvisedPair.from_json, row.get("pairs", ()))),
            forecast=StoredForecast.from_json(row.get("forecast")),
            left_out=tuple(row.get("left_out", ())),
            announced=frozenset((a, b) for a, b in row["told"]) if "told" in row else None,
            next_pair=StoredForecast.from_json(row.get("next_pair")),
            one_best=StoredForecast.from_json(row.get("one_best")),
            separating={
                (one, other): StoredForecast(**forecast) for one, other, forecast in row.get("separating", ())
            },
        )


@dataclass(frozen=True)
class PlanProblem:
    """Reason why a plan has no figures. `code`: empty for a sentence (`said`) that an older version
    stored."""

    code: str
    method: str = ""
    said: str = ""

    def to_json(self) -> dict[str, str] | str:
        if not self.code:
            return self.said
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, row: Mapping[str, str] | str) -> PlanProblem | None:
        if not row:
            return None
        return cls("", said=row) if isinstance(row, str) else cls(**row)


@dataclass(frozen=True)
class PlanRequest:
    """`lines`: methods, each with one p."""

    lines: tuple[tuple[str, float], ...]
    budget: int


@dataclass(frozen=True)
class PlanStart:
    """Start of a plan: the judgments up to `as_of`, the number of documents with one, and of topics without
    any."""

    as_of: int
    judged: int
    unbegun: int


@dataclass(frozen=True, eq=False)
class PlanContent:
    """`trajectories`: of each line replayed so far, none where the method refused. `pool`: pool
    sizes by depth, empty before the first replay. `start`: None before it, and of older versions, whose
    plans began before the first judgment."""

    request: PlanRequest
    trajectories: tuple[tuple[PlannedTrajectory, ...], ...] = ()
    pool: tuple[tuple[int, int], ...] = ()
    problem: PlanProblem | None = None
    start: PlanStart | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "lines": [list(line) for line in self.request.lines],
            "budget": self.request.budget,
            "found": [[_trajectory_to_json(one) for one in line] for line in self.trajectories],
            "pool": [list(size) for size in self.pool],
            "wrong": {} if self.problem is None else self.problem.to_json(),
            "start": None if self.start is None else asdict(self.start),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> PlanContent:
        return cls(
            PlanRequest(tuple((method, p) for method, p in row["lines"]), row["budget"]),
            tuple(tuple(map(_trajectory_from_json, line)) for line in row["found"]),
            tuple((depth, size) for depth, size in row["pool"]),
            PlanProblem.from_json(row["wrong"]),
            PlanStart(**row["start"]) if row.get("start") else None,
        )


def _trajectory_to_json(course: PlannedTrajectory) -> dict[str, Any]:
    """JSON has no NaN."""
    return {
        "judged": course.judged.tolist(),
        "residual": course.residual.tolist(),
        "tau": [None if np.isnan(tau) else tau for tau in course.tau.tolist()],
    }


def _trajectory_from_json(row: Mapping[str, Any]) -> PlannedTrajectory:
    tau = np.array([np.nan if value is None else value for value in row["tau"]], dtype=np.float64)
    return PlannedTrajectory(np.array(row["judged"], dtype=np.int64), np.array(row["residual"]), tau)
