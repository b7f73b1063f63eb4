"""Tables 2 to 5 and Figures 1 to 3 of Moffat, Webber and Zobel 2007: which documents to judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.pairs import Rule, ordered_pairs, top_runs, verdicts
from evaluation.comparison.rank_correlation import kendall
from evaluation.measures.bounds import begun_projections
from selection.bounds import RunBounds
from selection.simulation.replay import UnjudgedPolicy
from selection.studies.interface import PaperStudy, Point, Row, StudySettings
from selection.studies.known_collection import KnownCollection
from selection.studies.known_scores import run_means, run_scores
from selection.studies.targeted_replays import (
    METHODS,
    JudgingOrder,
    TargetedReplay,
    all_judged,
    bounds_of,
    budgets_of,
    relevant_among,
    run_order,
    run_replay,
)

# Of selection and of evaluation.
PERSISTENCE, PERSISTENCES = 0.8, (0.5, 0.8, 0.95)
RANGE_PERSISTENCES = (0.8, 0.95)
GOOD_SHARE = 1 / 3
# With fewer, a third of the runs is no pair.
FEWEST_RUNS = 5
CURVE_POINTS = 40
ALL_RBP, ALL_AP = "all: RBP", "all: AP"
CONTRASTS = ("base to base", "base to top", "base to projected")

Results = Mapping[TargetedReplay, dict[str, list[int]]]
Judged = Sequence[IntArray]


def good_runs(known: KnownCollection) -> IntArray:
    """The best third of the runs by mean AP with all judgments, best first."""
    return top_runs(run_means(known, "AP"), GOOD_SHARE)


def _one_p(settings: StudySettings) -> float:
    if len(settings.p) > 1:
        raise ValueError(f"{len(settings.p)} persistences: this study takes one")
    return settings.p[0] if settings.p else PERSISTENCE


def _several_p(settings: StudySettings) -> tuple[float, ...]:
    return tuple(dict.fromkeys(settings.p)) or PERSISTENCES


def _order(results: Results, trial: TargetedReplay) -> JudgingOrder:
    return JudgingOrder.of(results[trial])


def _after(known: KnownCollection, results: Results, trial: TargetedReplay, judgments: int) -> Judged:
    return _order(results, trial).judged(len(known.topics), judgments)


# Tables and curves read the same bounds several times.
def _bounds(
    known: KnownCollection, results: Results, trial: TargetedReplay, judgments: int, p: float
) -> RunBounds:
    def make() -> RunBounds:
        return bounds_of(known, _after(known, results, trial, judgments), p)

    return known.cached(("bounds", trial, judgments, p), make)


def _all_bounds(known: KnownCollection, p: float) -> RunBounds:
    return known.cached(("bounds of all", p), lambda: bounds_of(known, all_judged(known), p))


def _methods(known: KnownCollection, settings: StudySettings, bypass: bool = False) -> list[TargetedReplay]:
    p, largest = _one_p(settings), budgets_of(known, settings)[-1]
    unjudged: UnjudgedPolicy = "bypass" if bypass else "nonrelevant"
    return [TargetedReplay(method, p, largest, unjudged) for method in METHODS]


def _curve(largest: int) -> list[int]:
    """Numbers of judgments at which a curve is drawn."""
    return sorted({max(1, round(largest * place / CURVE_POINTS)) for place in range(1, CURVE_POINTS + 1)})


# Table 2.


def _relevant_trials(known: KnownCollection, settings: StudySettings) -> list[TargetedReplay]:
    return _methods(known, settings, bypass=True)


def _relevant_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    rows: list[Row] = []
    for judgments in budgets_of(known, settings):
        row: Row = {"judgments": judgments}
        for trial in _relevant_trials(known, settings):
            order = _order(results, trial)
            row[trial.method] = relevant_among(known, order.judged(len(known.topics), judgments))
            row[f"{trial.method} handled"] = int(order.handled[judgments - 1])
        rows.append(row)
    return rows


def _relevant_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    every = relevant_among(known, all_judged(known))
    return [
        {
            "method": trial.method,
            "judgments": judgments,
            "relevant": relevant_among(known, _after(known, results, trial, judgments)),
            "all": every,
        }
        for trial in _relevant_trials(known, settings)
        for judgments in _curve(trial.budget)
    ]


# Table 3.


def _overlap_trials(known: KnownCollection, settings: StudySettings) -> list[TargetedReplay]:
    largest = budgets_of(known, settings)[-1]
    return [TargetedReplay("C", p, largest) for p in _several_p(settings)]


def _common(one: Judged, other: Judged) -> int:
    return sum(len(np.intersect1d(*pair, assume_unique=True)) for pair in zip(one, other, strict=True))


def _overlap_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    rows: list[Row] = []
    trials = _overlap_trials(known, settings)
    for judgments in budgets_of(known, settings):
        judged = [_after(known, results, trial, judgments) for trial in trials]
        for trial, one in zip(trials, judged, strict=True):
            row: Row = {"judged with": f"p = {trial.p:g}", "judgments": judgments}
            for other, documents in zip(trials, judged, strict=True):
                row[f"p = {other.p:g}"] = _common(one, documents)
            rows.append(row)
    return rows


def _overlap_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    trials = _overlap_trials(known, settings)
    points: list[Point] = []
    for judgments in _curve(trials[0].budget):
        judged = [_after(known, results, trial, judgments) for trial in trials]
        for second in range(len(trials)):
            points += [
                {
                    "pair": f"p = {trials[first].p:g} and {trials[second].p:g}",
                    "judgments": judgments,
                    "common": _common(judged[first], judged[second]) / judgments,
                }
                for first in range(second)
            ]
    return points


# Table 4.


def _residual_trials(known: KnownCollection, settings: StudySettings) -> list[TargetedReplay]:
    largest = budgets_of(known, settings)[-1]
    # The order of pooling does not depend on p.
    return [*_overlap_trials(known, settings), TargetedReplay("pooling", PERSISTENCE, largest)]


def _judgment_set(trial: TargetedReplay) -> str:
    return f"Method C, p = {trial.p:g}" if trial.method == "C" else "Pooling"


def _good_residual(
    known: KnownCollection, results: Results, trial: TargetedReplay, judgments: int, p: float
) -> float:
    _, residual = _bounds(known, results, trial, judgments, p).means()
    return float(residual[good_runs(known)].mean())


def _residual_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    rows: list[Row] = []
    for judgments in budgets_of(known, settings):
        for trial in _residual_trials(known, settings):
            row: Row = {"judged by": _judgment_set(trial), "judgments": judgments}
            for p in _several_p(settings):
                row[f"p = {p:g}"] = _good_residual(known, results, trial, judgments, p)
            rows.append(row)
    return rows


def _residual_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    return [
        {
            "panel": f"p = {p:g}",
            "set": _judgment_set(trial),
            "judgments": judgments,
            "residual": _good_residual(known, results, trial, judgments, p),
        }
        for p in _several_p(settings)
        for trial in _residual_trials(known, settings)
        for judgments in budgets_of(known, settings)
    ]


# Table 5.


def _fractions_of(known: KnownCollection, bounds: RunBounds) -> list[float]:
    """Share of pairs of good runs, each ordered by mean base, that are significant by each of `CONTRASTS`."""
    base, residual = bounds.base.T, bounds.residual.T
    good = good_runs(known)
    better, worse = ordered_pairs(good[run_order(bounds.means()[0][good])])
    against = (base, base + residual, begun_projections(base, residual))
    return [verdicts(base, other, better, worse, Rule()).fraction for other in against]


def _fractions(
    known: KnownCollection, results: Results, trial: TargetedReplay, judgments: int, p: float
) -> list[float]:
    def make() -> list[float]:
        return _fractions_of(known, _bounds(known, results, trial, judgments, p))

    return known.cached(("fractions", trial, judgments, p), make)


def _fraction_of_ap(known: KnownCollection) -> float:
    scores = run_scores(known, "AP")
    return verdicts(scores, scores, *ordered_pairs(good_runs(known)), Rule()).fraction


def _separability(
    known: KnownCollection, settings: StudySettings, results: Results
) -> dict[tuple[int, str], list[float]]:
    """Separability by judgments and method, all judgments last; AP has no bounds."""
    p = _one_p(settings)
    fractions: dict[tuple[int, str], list[float]] = {}
    for judgments in budgets_of(known, settings):
        for trial in _methods(known, settings):
            fractions[judgments, trial.method] = _fractions(known, results, trial, judgments, p)
    every = sum(map(len, all_judged(known)))
    fractions[every, ALL_RBP] = _fractions_of(known, _all_bounds(known, p))
    fractions[every, ALL_AP] = [_fraction_of_ap(known)]
    return fractions


def _separability_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    rows: list[Row] = []
    for (judgments, method), fractions in _separability(known, settings, results).items():
        row: Row = {"method": method, "judgments": judgments}
        row |= dict.fromkeys(CONTRASTS, "–") | dict(zip(CONTRASTS, fractions, strict=False))
        rows.append(row)
    return rows


def _separability_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    return [
        {"panel": contrast, "method": method, "judgments": judgments, "share": share}
        for (judgments, method), shares in _separability(known, settings, results).items()
        for contrast, share in zip(CONTRASTS, shares, strict=False)
    ]


# Figures 1 to 3.


@dataclass(frozen=True)
class RangePanel:
    """A score range of each run: from base to `end`, "top" or "projected". `trial` None: all judgments."""

    name: str
    trial: TargetedReplay | None
    judgments: int
    p: float
    end: str


def _range_trials(known: KnownCollection, settings: StudySettings) -> list[TargetedReplay]:
    p, *others = settings.p or RANGE_PERSISTENCES
    if len(others) > 1:
        raise ValueError(f"{len(settings.p)} persistences: this study takes one or two")
    largest = budgets_of(known, settings)[-1]
    every = [TargetedReplay(method, p, largest) for method in METHODS]
    return [*every, *(TargetedReplay("C", other, largest) for other in others if other != p)]


def range_panels(known: KnownCollection, settings: StudySettings) -> list[RangePanel]:
    budgets = budgets_of(known, settings)
    # Of the paper's numbers the second and the third; of those given the first and the last.
    few, many = (budgets[0], budgets[-1]) if settings.budgets or len(budgets) < 4 else budgets[1:3]
    trials = _range_trials(known, settings)
    method_c, other_c = trials[len(METHODS) - 1], trials[-1]
    every = sum(map(len, all_judged(known)))
    first = [
        RangePanel(f"1 ({letter})", trial, few, trial.p, "top")
        for letter, trial in zip("abcd", trials, strict=False)
    ]
    return [
        *first,
        RangePanel("2 (a)", method_c, many, method_c.p, "top"),
        RangePanel("2 (b)", method_c, many, method_c.p, "projected"),
        RangePanel("3 (a)", other_c, many, other_c.p, "projected"),
        RangePanel("3 (b)", None, every, other_c.p, "projected"),
    ]


def _range(known: KnownCollection, results: Results, panel: RangePanel) -> tuple[FloatArray, FloatArray]:
    """Mean base of each run, and the end of its range, (runs,) both."""
    if panel.trial is None:
        bounds = _all_bounds(known, panel.p)
    else:
        bounds = _bounds(known, results, panel.trial, panel.judgments, panel.p)
    base, residual = bounds.means()
    return base, base + residual if panel.end == "top" else bounds.projections()


def _range_rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    rows: list[Row] = []
    mean_ap, good = run_means(known, "AP"), good_runs(known)
    for panel in range_panels(known, settings):
        base, end = _range(known, results, panel)
        tau = kendall(mean_ap, base)
        rows.append(
            {
                "figure": panel.name,
                "method": "all" if panel.trial is None else panel.trial.method,
                "judgments": panel.judgments,
                "p": f"{panel.p:g}",
                "to": panel.end,
                "width": float((end - base).mean()),
                "width of the best third": float((end - base)[good].mean()),
                # The run with the highest base is one of them.
                "may be best": int(np.count_nonzero(end >= base.max())),
                "tau with AP": 0.0 if np.isnan(tau) else tau,
            }
        )
    return rows


def _range_points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    order = run_order(run_means(known, "AP"))
    points: list[Point] = []
    for panel in range_panels(known, settings):
        base, end = _range(known, results, panel)
        about: Point = {
            "panel": panel.name,
            "method": "" if panel.trial is None else panel.trial.method,
            "judgments": panel.judgments,
            "p": panel.p,
            "to": panel.end,
        }
        points += [
            {**about, "place": place, "low": float(base[run]), "high": float(end[run])}
            for place, run in enumerate(order, 1)
        ]
    return points


def _study(
    trials: Callable[[KnownCollection, StudySettings], list[TargetedReplay]],
    rows: Callable[[KnownCollection, StudySettings, Results], list[Row]],
    points: Callable[[KnownCollection, StudySettings, Results], list[Point]],
) -> PaperStudy:
    return PaperStudy(
        trials, run_replay, rows, points, uses=("p", "budgets"), fewest_runs=FEWEST_RUNS, fewest_topics=2
    )


TARGETED_STUDIES = {
    "relevant-found": _study(_relevant_trials, _relevant_rows, _relevant_points),
    "persistence-overlap": _study(_overlap_trials, _overlap_rows, _overlap_points),
    "persistence-residual": _study(_residual_trials, _residual_rows, _residual_points),
    "separability": _study(_methods, _separability_rows, _separability_points),
    "score-ranges": _study(_range_trials, _range_rows, _range_points),
}
