"""Tables 1 to 3 and Figure 2 of Ravana and Moffat 2010: scores estimated from few judgments, and the pairs of
runs that they separate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.comparison.significance import p_values
from selection.studies.interface import (
    Found,
    PaperStudy,
    Point,
    Row,
    StudySettings,
    TrialMean,
    trial_mean,
)
from selection.studies.known_collection import KnownCollection
from selection.studies.partial_judgments import (
    ESTIMATES,
    GROUPS,
    PESSIMISTIC,
    TABLED_SHARES,
    EstimationTrial,
    budgets_of,
    estimation_trials,
    run_estimation,
)

LEVEL = 0.05
# Table 1's parts: the score that each estimate gives; the residual is a part of its own.
PARTS = ("simplistic", "residual", "interpolated", "smoothed")
NEW = GROUPS[1]

Results = Mapping[EstimationTrial, Found]
Stages = list[tuple[int, str]]


def _measures(results: Results) -> list[str]:
    return list(next(iter(results.values()))["measures"][NEW])


def _stages(known: KnownCollection, settings: StudySettings, results: Results) -> Stages:
    """Stages of the tables: the place of each among a trial's, and its name."""
    budgets = next(iter(results)).budgets
    shown = budgets_of(known, settings, TABLED_SHARES)
    return [(budgets.index(budget), f"{budget:,}") for budget in shown] + [(len(budgets), "all")]


def _values(results: Results, of: Callable[[Found], float]) -> FloatArray:
    """Values of all trials, by seed, (trials,)."""
    return np.array([of(results[trial]) for trial in sorted(results, key=lambda trial: trial.seed)])


def _at(*path: str | int) -> Callable[[Found], float]:
    """The number of a trial's result that is there."""

    def of(result: Found) -> float:
        for step in path:
            result = result[step]
        return float(result)

    return of


def _point(results: Results, of: Callable[[Found], float]) -> Point:
    cell = trial_mean(_values(results, of))
    return {"mean": cell.mean, "low": cell.mean - cell.half_width, "high": cell.mean + cell.half_width}


def _judged(results: Results, stage: int) -> float:
    return float(_values(results, _at("judged", stage)).mean())


# Table 1.


def _score_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    columns = [(group, measure) for group in GROUPS for measure in _measures(results)]
    rows: list[Row] = []
    for part in PARTS:
        for stage, name in _stages(known, settings, results):
            cells = {f"{m}, {g}": _score_cell(results, part, g, m, stage) for g, m in columns}
            rows.append({"part": part, "judgments": name, **cells})
    full = {f"{m}, {g}": trial_mean(_values(results, _at("measures", g, m, "full"))) for g, m in columns}
    return [*rows, {"part": "full", "judgments": "qrels", **full}]


def _score_cell(results: Results, part: str, group: str, measure: str, stage: int) -> TrialMean:
    def values(*path: str) -> FloatArray:
        return _values(results, _at("measures", group, measure, *path, stage))

    if part == "residual":
        return trial_mean(values("residual"))
    nearer = values("error", "interpolated") - values("error", part)
    marked = part == "smoothed" and bool(p_values(nearer[None, :], "t", tails=1)[0] < LEVEL)
    return replace(trial_mean(values("score", part)), marked=marked)


def _score_points(_: KnownCollection, __: StudySettings, results: Results) -> list[Point]:
    points: list[Point] = []
    for group in GROUPS:
        for measure in _measures(results):
            for stage in range(len(next(iter(results.values()))["judged"])):
                about: Point = {"runs": group, "panel": measure, "judgments": _judged(results, stage)}
                path = "measures", group, measure
                for name in ESTIMATES:
                    points.append(
                        {**about, "estimate": name, **_point(results, _at(*path, "score", name, stage))}
                    )
                points.append({**about, "estimate": "full", **_point(results, _at(*path, "full"))})
    return points


# Table 2 and Figure 2.


def _share(group: str, measure: str, method: str, stage: int) -> Callable[[Found], float]:
    """Share of significant pairs, as a function of one trial's results."""

    def of(result: Found) -> float:
        one = result["measures"][group][measure]
        return float(one["agreed"][method][stage][stage] / one["pairs"])

    return of


def _separability_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    return [
        {
            "runs": group,
            "measure": measure,
            "judgments": name,
            **{
                method: trial_mean(_values(results, _share(group, measure, method, stage)))
                for method in (*ESTIMATES, PESSIMISTIC)
            },
        }
        for group in GROUPS
        for measure in _measures(results)
        for stage, name in _stages(known, settings, results)
    ]


def _separability_points(_: KnownCollection, __: StudySettings, results: Results) -> list[Point]:
    return [
        {
            "panel": measure,
            "estimate": method,
            "judgments": _judged(results, stage),
            **_point(results, _share(NEW, measure, method, stage)),
        }
        for measure in _measures(results)
        for method in (*ESTIMATES, PESSIMISTIC)
        for stage in range(len(next(iter(results.values()))["judged"]))
    ]


# Table 3.


def _lost(measure: str, method: str, first: int, later: int) -> Callable[[Found], float]:
    """Share of pairs of new runs that are significant at first and not later; 0 without any."""

    def of(result: Found) -> float:
        agreed = result["measures"][NEW][measure]["agreed"][method]
        return float(1 - agreed[first][later] / agreed[first][first]) if agreed[first][first] else 0.0

    return of


def _convergence_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    stages = _stages(known, settings, results)
    rows: list[Row] = []
    for measure in _measures(results):
        for method in ESTIMATES:
            for place, (first, name) in enumerate(stages[:-1]):
                row: Row = {"measure": measure, "estimate": method, "judgments": name}
                pairs = _at("measures", NEW, measure, "agreed", method, first, first)
                row["pairs"] = float(_values(results, pairs).mean())
                for later, column in stages[place + 1 :]:
                    row[f"lost at {column}"] = trial_mean(
                        _values(results, _lost(measure, method, first, later))
                    )
                rows.append(row)
    return rows


def _convergence_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    """From each stage to the end."""
    last = len(next(iter(results.values()))["judged"]) - 1
    return [
        {
            "panel": measure,
            "estimate": method,
            "judgments": _judged(results, stage),
            **_point(results, _lost(measure, method, stage, last)),
        }
        for measure in _measures(results)
        for method in ESTIMATES
        for stage in range(last)
    ]


def _study(
    rows: Callable[[KnownCollection, StudySettings, Results], list[Row]],
    points: Callable[[KnownCollection, StudySettings, Results], list[Point]],
) -> PaperStudy:
    uses = ("trials", "seed", "depth", "p", "budgets")
    return PaperStudy(estimation_trials, run_estimation, rows, points, uses=uses, fewest_runs=4)


ESTIMATION_STUDIES = {
    "score-estimates": _study(_score_rows, _score_points),
    "pessimistic-separability": _study(_separability_rows, _separability_points),
    "convergence": _study(_convergence_rows, _convergence_points),
}
