"""Figures 2 and 4 to 6 and Tables III and IV of Moffat and Zobel 2008: measures on pools of two depths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.pairs import ordered_pairs
from evaluation.comparison.rank_correlation import kendall
from evaluation.comparison.significance import Test, p_values
from evaluation.measure import RBP
from selection.studies.interface import Found, PaperStudy, Point, Row, StudySettings
from selection.studies.known_collection import KnownCollection
from selection.studies.known_scores import (
    judged_gains,
    pooled_documents,
    run_means,
    run_scores,
    topic_rankings,
)

PERSISTENCES = (0.5, 0.8, 0.95)
# Of Figures 2 and 4; the deepest is the study's depth.
DEPTHS = (1, 2, 5, 10, 20, 50)
REFERENCES = ("RR", "P@10", "Rprec", "AP")
# Of Figure 5: how many ranks count, as shares of the depth.
RANK_SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
# Of Figure 6.
GRID = (*(round(0.05 * step, 2) for step in range(1, 20)), 0.97, 0.99)
TABLED_GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
TESTS: tuple[Test, ...] = ("wilcoxon", "t")
LEVELS = (0.05, 0.01)


@dataclass(frozen=True)
class PooledMeans:
    """Means of all runs by a measure, with the judgments of a pool of this depth."""

    measure: str
    depth: int


@dataclass(frozen=True)
class PairTests:
    """Number of pairs of runs that differ significantly by a measure and a test, two tails."""

    measure: str
    depth: int
    test: Test


@dataclass(frozen=True)
class PersistenceBounds:
    """Mean RBP bounds of some runs, with the judgments of a pool of this depth.

    ranks : only the first so many count; None for all
    """

    p: float
    depth: int
    ranks: int | None
    runs: tuple[int, ...]


def run_pooled_means(known: KnownCollection, trial: PooledMeans) -> list[float]:
    return [float(mean) for mean in run_scores(known, trial.measure, trial.depth).mean(axis=1)]


def run_pair_tests(known: KnownCollection, trial: PairTests) -> list[int]:
    """Number of significant pairs at each of `LEVELS`."""
    scores = run_scores(known, trial.measure, trial.depth)
    first, second = ordered_pairs(np.arange(len(known.runs)))
    values = p_values(scores[first] - scores[second], trial.test, tails=2)
    return [int(np.count_nonzero(values < level)) for level in LEVELS]


def run_persistence(known: KnownCollection, trial: PersistenceBounds) -> list[list[float]]:
    """Base and top of each of the trial's runs."""
    measure, sums = RBP(trial.p, k=trial.ranks), np.zeros((2, len(trial.runs)))
    for place in range(len(known.topics)):
        bounds = measure.scores(topic_rankings(known, place, trial.depth, trial.runs)).bounds
        assert bounds is not None
        sums += np.stack([bounds[0], bounds[0] + bounds[1]])
    return [[float(value) for value in row] for row in (sums / len(known.topics)).T]


def _rbp(p: float) -> str:
    return f"RBP(p={p:g})"


def _several_p(settings: StudySettings) -> tuple[float, ...]:
    return tuple(dict.fromkeys(settings.p)) or PERSISTENCES


def shallow_depth(settings: StudySettings) -> int:
    """A tenth of the depth, as in the paper: 10 of 100. Raises ValueError without a shallower pool."""
    if settings.depth < 2:
        raise ValueError(f"depth {settings.depth}: pools of two depths are compared; give 2 or more")
    return max(1, settings.depth // 10)


# Figures 2 and 4.


def _depth_measures(settings: StudySettings) -> list[str]:
    return ["AP", *map(_rbp, _several_p(settings))]


def _depths(settings: StudySettings) -> list[int]:
    return sorted({shallow_depth(settings), settings.depth, *(d for d in DEPTHS if d < settings.depth)})


def _depth_trials(known: KnownCollection, settings: StudySettings) -> list[PooledMeans]:
    measures = _depth_measures(settings)
    return [PooledMeans(measure, depth) for depth in _depths(settings) for measure in measures]


def _pool_judgments(known: KnownCollection, depth: int) -> int:
    every = zip(known.topics, judged_gains(known), strict=True)
    return sum(int((~np.isnan(gains[pooled_documents(topic, depth)])).sum()) for topic, gains in every)


def _tau(one: FloatArray, other: FloatArray) -> float:
    """Runs that all tie are not ordered."""
    return round(float(np.nan_to_num(kendall(one, other))), 12)


def _depth_rows(
    known: KnownCollection, settings: StudySettings, results: Mapping[PooledMeans, list[float]]
) -> list[Row]:
    rows: list[Row] = []
    for depth in _depths(settings)[:-1]:
        row: Row = {"pool depth": depth, "judgments": _pool_judgments(known, depth)}
        for measure in _depth_measures(settings):
            means, deep = (np.array(results[PooledMeans(measure, one)]) for one in (depth, settings.depth))
            row[f"tau {measure}"] = _tau(means, deep)
            if measure == "AP":
                higher = float((means > deep + 1e-12).mean())
        row["AP higher"] = higher
        rows.append(row)
    return rows


def _depth_points(
    known: KnownCollection, settings: StudySettings, results: Mapping[PooledMeans, list[float]]
) -> list[Point]:
    points: list[Point] = []
    shallow, deep = shallow_depth(settings), settings.depth
    for measure in _depth_measures(settings):
        pairs = zip(results[PooledMeans(measure, shallow)], results[PooledMeans(measure, deep)], strict=True)
        points += [
            {"panel": measure, "shallow": low, "deep": high, "depths": f"{shallow} {deep}"}
            for low, high in pairs
        ]
    return points


# Table III.


def _correlated(settings: StudySettings) -> list[PooledMeans]:
    shallow, deep, p = shallow_depth(settings), settings.depth, _several_p(settings)
    return [
        PooledMeans("RR", shallow),
        PooledMeans("P@10", shallow),
        PooledMeans("Rprec", deep),
        *(PooledMeans(_rbp(one), shallow) for one in p),
        PooledMeans(_rbp(max(p)), deep),
        PooledMeans("nDCG", deep),
    ]


def _references(settings: StudySettings) -> list[PooledMeans]:
    return [PooledMeans(measure, settings.depth) for measure in REFERENCES]


def _correlation_trials(known: KnownCollection, settings: StudySettings) -> list[PooledMeans]:
    return list(dict.fromkeys([*_correlated(settings), *_references(settings)]))


def _correlations(
    settings: StudySettings, results: Mapping[PooledMeans, list[float]]
) -> list[tuple[PooledMeans, dict[str, float]]]:
    return [
        (
            one,
            {
                other.measure: _tau(np.array(results[one]), np.array(results[other]))
                for other in _references(settings)
            },
        )
        for one in _correlated(settings)
    ]


def _correlation_rows(
    known: KnownCollection, settings: StudySettings, results: Mapping[PooledMeans, list[float]]
) -> list[Row]:
    rows: list[Row] = []
    for one, taus in _correlations(settings, results):
        others = {name: tau for name, tau in taus.items() if name != one.measure}
        rows.append(
            {
                "measure": one.measure,
                "pool depth": one.depth,
                **taus,
                "most like": max(others, key=others.__getitem__),
            }
        )
    return rows


def _correlation_points(
    known: KnownCollection, settings: StudySettings, results: Mapping[PooledMeans, list[float]]
) -> list[Point]:
    return [
        {"measure": f"{one.measure}, depth {one.depth}", "reference": reference, "tau": tau}
        for one, taus in _correlations(settings, results)
        for reference, tau in taus.items()
    ]


# Table IV.


def _tested(settings: StudySettings) -> list[str]:
    return [*REFERENCES, *map(_rbp, _several_p(settings)), "nDCG"]


def _test_trials(known: KnownCollection, settings: StudySettings) -> list[PairTests]:
    return [PairTests(measure, settings.depth, test) for measure in _tested(settings) for test in TESTS]


def _test_rows(
    known: KnownCollection, settings: StudySettings, results: Mapping[PairTests, list[int]]
) -> list[Row]:
    rows: list[Row] = []
    for measure in _tested(settings):
        row: Row = {"measure": measure}
        for test in TESTS:
            counts = results[PairTests(measure, settings.depth, test)]
            row |= {f"{test} {1 - level:.0%}": count for level, count in zip(LEVELS, counts, strict=True)}
        row["of pairs"] = len(known.runs) * (len(known.runs) - 1) // 2
        rows.append(row)
    return rows


def _test_points(
    known: KnownCollection, settings: StudySettings, results: Mapping[PairTests, list[int]]
) -> list[Point]:
    pairs = len(known.runs) * (len(known.runs) - 1) // 2
    return [
        {"measure": measure, "test": test, "level": f"{1 - level:.0%}", "share": count / pairs}
        for measure in _tested(settings)
        for test in TESTS
        for level, count in zip(LEVELS, results[PairTests(measure, settings.depth, test)], strict=True)
    ]


# Figures 5 and 6.


def _shown_runs(known: KnownCollection) -> tuple[int, int]:
    """The run with the highest mean AP, and the one in the middle."""
    order: IntArray = np.argsort(-np.round(run_means(known, "AP"), 12), kind="stable")
    return int(order[0]), int(order[len(order) // 2])


def _both_depths(settings: StudySettings) -> list[int]:
    return sorted({shallow_depth(settings), settings.depth})


def _ranks(settings: StudySettings) -> list[int]:
    return sorted({max(1, round(share * settings.depth)) for share in RANK_SHARES})


def _rank_trials(known: KnownCollection, settings: StudySettings) -> list[PersistenceBounds]:
    return [
        PersistenceBounds(p, depth, ranks, _shown_runs(known)[:1])
        for depth in _both_depths(settings)
        for p in _several_p(settings)
        for ranks in _ranks(settings)
    ]


def _grid_trials(known: KnownCollection, settings: StudySettings) -> list[PersistenceBounds]:
    depths = _both_depths(settings)
    return [PersistenceBounds(p, depth, None, _shown_runs(known)) for p in GRID for depth in depths]


def _sweep_trials(known: KnownCollection, settings: StudySettings) -> list[PersistenceBounds]:
    return [*_rank_trials(known, settings), *_grid_trials(known, settings)]


def _sweep_rows(
    known: KnownCollection, settings: StudySettings, results: Mapping[PersistenceBounds, list[list[float]]]
) -> list[Row]:
    runs = _shown_runs(known)
    rows: list[Row] = []
    for place, run in enumerate(runs):
        for p in TABLED_GRID:
            row: Row = {"run": known.runs[run], "p": f"{p:g}"}
            for depth in _both_depths(settings):
                base, top = results[PersistenceBounds(p, depth, None, runs)][place]
                row |= {f"base, depth {depth}": base, f"top, depth {depth}": top}
            rows.append(row)
    return rows


def _sweep_points(
    known: KnownCollection, settings: StudySettings, results: Mapping[PersistenceBounds, list[list[float]]]
) -> list[Point]:
    points: list[Point] = []
    for trial in _sweep_trials(known, settings):
        about: Point = {"p": trial.p, "depth": trial.depth}
        for run, (base, top) in zip(trial.runs, results[trial], strict=True):
            where: Point = {"panel": "p"} if trial.ranks is None else {"panel": "ranks", "ranks": trial.ranks}
            points.append({**where, **about, "run": known.runs[run], "low": base, "high": top})
    return points


def _study(
    trials: Callable[[KnownCollection, StudySettings], list[Any]],
    run: Callable[[KnownCollection, Any], Found],
    rows: Callable[[KnownCollection, StudySettings, Mapping[Any, Found]], list[Row]],
    points: Callable[[KnownCollection, StudySettings, Mapping[Any, Found]], list[Point]],
) -> PaperStudy:
    return PaperStudy(trials, run, rows, points, uses=("p", "depth"))


PRECISION_STUDIES = {
    "pool-depth": _study(_depth_trials, run_pooled_means, _depth_rows, _depth_points),
    "p-sweep": _study(_sweep_trials, run_persistence, _sweep_rows, _sweep_points),
    "metric-correlation": _study(
        _correlation_trials, run_pooled_means, _correlation_rows, _correlation_points
    ),
    "metric-separability": _study(_test_trials, run_pair_tests, _test_rows, _test_points),
}
