"""Trials of scores from partial judgments: half of the runs make a pool, which is judged from the tops of
their lists downwards (Ravana and Moffat 2010, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.comparison.pairs import (
    Rule,
    Verdicts,
    ordered_pairs,
    pessimistic_verdicts,
    top_runs,
    verdicts,
)
from evaluation.estimation.points import Estimates, estimates_of_each
from evaluation.measures.bounds import (
    WeightedBounds,
    Weighting,
    dcg_weighting,
    precision_weighting,
    rbp_weighting,
    weighted_bounds,
)
from selection.studies.held_out_runs import held_out_half
from selection.studies.interface import Found, StudySettings
from selection.studies.known_collection import KnownCollection

# Ranks of each list that are scored; RBP's weight below them stays in the residual.
SCORED_DEPTH = 100
PERSISTENCES = (0.95,)
LEVEL = 0.01
# Pairs are of two runs.
FEWEST_RUNS = 2
ESTIMATES = tuple(one.name for one in fields(Estimates))
PESSIMISTIC = "pessimistic"
GROUPS = ("contributing", "new")
# Of the documents that all runs pool, as the paper's 1,000 and 10,000 of 69,100 judgments; between them, the
# figures have more.
TABLED_SHARES = (0.01, 0.1)
BUDGET_SHARES = (0.01, 0.03, 0.1, 0.3)


@dataclass(frozen=True)
class EstimationTrial:
    """Half of the runs, drawn by whole participants, contribute to the pool; the others are new.

    seed : of the halves and of the order of documents at one depth
    depth : ranks of each list that are pooled
    budgets : judgments, ascending, after which scores are estimated; they are once more after the whole pool
    persistences : of RBP
    """

    seed: int
    depth: int
    budgets: tuple[int, ...]
    persistences: tuple[float, ...]


def budgets_of(known: KnownCollection, settings: StudySettings, shares: Sequence[float]) -> tuple[int, ...]:
    """Budgets of the settings; without, these shares of all pooled documents, to one significant digit."""
    if settings.budgets:
        return settings.budgets
    size = known.cached(("pooled", settings.depth), lambda: _pooled(known, settings.depth))
    return tuple(sorted({max(1, int(float(f"{share * size:.0e}"))) for share in shares}))


def _pooled(known: KnownCollection, depth: int) -> int:
    """Number of documents that any run has in its first `depth`, over all topics."""
    return sum(
        len(np.unique(np.concatenate([one[:depth] for one in topic.rankings if one is not None])))
        for topic in known.topics
    )


def estimation_trials(known: KnownCollection, settings: StudySettings) -> list[EstimationTrial]:
    """Raises ValueError if the runs cannot be parted."""
    budgets = budgets_of(known, settings, BUDGET_SHARES)
    persistences = settings.p or PERSISTENCES
    seeds = range(settings.seed, settings.seed + settings.trials)
    held_out_half(known.groups, settings.seed, FEWEST_RUNS)
    return [EstimationTrial(seed, settings.depth, budgets, persistences) for seed in seeds]


def weightings(persistences: Sequence[float]) -> dict[str, Weighting]:
    """The measures, by name."""
    fixed = {
        "P@10": precision_weighting(10),
        f"SDCG@{SCORED_DEPTH}": dcg_weighting(SCORED_DEPTH, scaled=True),
    }
    return fixed | {f"RBP {p:g}": rbp_weighting(p, SCORED_DEPTH) for p in persistences}


@dataclass(frozen=True, eq=False)
class _Lists:
    """The first `SCORED_DEPTH` documents of each run and topic, (runs, topics, ranks): `documents` by number,
    -1 below a list's end; `gains` in [0, 1], 0 where the qrels do not name it, NaN below a list's end."""

    documents: IntArray
    gains: FloatArray

    @classmethod
    def of(cls, known: KnownCollection) -> _Lists:
        shape = len(known.runs), len(known.topics), SCORED_DEPTH
        documents, gains = np.full(shape, -1), np.full(shape, np.nan)
        for place, topic in enumerate(known.topics):
            given = np.nan_to_num(topic.gains)
            for run, ranking in enumerate(topic.rankings):
                if ranking is not None:
                    top = ranking[:SCORED_DEPTH]
                    documents[run, place, : len(top)], gains[run, place, : len(top)] = top, given[top]
        return cls(documents, gains)


def judging_order(
    known: KnownCollection, contributing: BoolArray, depth: int, generator: np.random.Generator
) -> tuple[list[FloatArray], int]:
    """Turn in which each document is judged, and the number of judged ones.

    Parameters
    ----------
    contributing : ndarray of bool, shape (runs,)
    depth : int
        Documents that no contributing run has in its first `depth` are not judged.

    Returns
    -------
    list of ndarray of float64, shape (documents + 1,), one for each topic
        Its turn, from 0; infinite if it is not judged, and at the end, for no document. All topics' first
        ranks come before all second ranks; documents of one rank come at random.
    int
    """
    least = []
    for topic in known.topics:
        ranks = np.full(len(topic.gains) + 1, np.inf)
        for run in np.flatnonzero(contributing).tolist():
            if (ranking := topic.rankings[run]) is not None:
                top = ranking[:depth]
                ranks[top] = np.minimum(ranks[top], np.arange(len(top)))
        least.append(ranks)
    every = np.concatenate(least)
    pooled = np.flatnonzero(np.isfinite(every))
    order = pooled[np.lexsort((generator.random(len(pooled)), every[pooled]))]
    turns = np.full(len(every), np.inf)
    turns[order] = np.arange(len(order))
    return np.split(turns, np.cumsum([len(ranks) for ranks in least])[:-1]), len(order)


def run_estimation(known: KnownCollection, trial: EstimationTrial) -> Found:
    """Scores, residuals and significant pairs of both halves after each budget.

    Returns
    -------
    dict
        `judged`: after each budget and in the end; `measures`: by group, then measure, as of `_of_group`.
    """
    new = held_out_half(known.groups, trial.seed, FEWEST_RUNS)
    lists = known.cached("scored lists", lambda: _Lists.of(known))
    generator = np.random.default_rng([trial.seed, trial.depth])
    turns, pooled = judging_order(known, ~new, trial.depth, generator)
    turn = np.stack([of[lists.documents[:, at]] for at, of in enumerate(turns)], axis=1)
    budgets = [*(min(budget, pooled) for budget in trial.budgets), pooled]
    measures: dict[str, dict[str, Found]] = {group: {} for group in GROUPS}
    for name, weighting in weightings(trial.persistences).items():
        full = weighted_bounds(lists.gains, weighting).base
        stages = [
            weighted_bounds(np.where(turn < budget, lists.gains, np.nan), weighting) for budget in budgets
        ]
        for group, runs in zip(GROUPS, (~new, new), strict=True):
            measures[group][name] = _of_group(stages, full, runs)
    return {"judged": budgets, "measures": measures}


def _of_group(stages: Sequence[WeightedBounds], full: FloatArray, runs: BoolArray) -> Found:
    """Means over the runs of what follows, each (stages,).

    full : the score by all of the qrels, one number
    residual
    score, error : by estimate; the error is the distance of a run's estimate from its full score
    pairs : how many there are, one number
    agreed : by estimate and `PESSIMISTIC`, int (stages, stages): pairs significant in both, for the same run
    """
    base, residual = [stage.base[runs] for stage in stages], [stage.residual[runs] for stage in stages]
    truth = full[runs].mean(axis=1)
    each = [estimates_of_each(*stage) for stage in zip(base, residual, strict=True)]
    rule = Rule(test="t", tails=1, alpha=LEVEL)
    better = {
        name: [_better(of[name], partial(verdicts, of[name], of[name], rule=rule)) for of in each]
        for name in ESTIMATES
    }
    better[PESSIMISTIC] = [
        _better(low, partial(pessimistic_verdicts, low, low + open_, rule=rule))
        for low, open_ in zip(base, residual, strict=True)
    ]
    means = {name: [of[name].mean(axis=1) for of in each] for name in ESTIMATES}
    return {
        "full": _short(truth.mean()),
        "residual": [_short(one.mean()) for one in residual],
        "score": {name: [_short(one.mean()) for one in of] for name, of in means.items()},
        "error": {name: [_short(np.abs(one - truth).mean()) for one in of] for name, of in means.items()},
        "pairs": len(truth) * (len(truth) - 1) // 2,
        "agreed": {
            name: [[int((one & other).sum()) for other in of] for one in of] for name, of in better.items()
        },
    }


def _better(scores: FloatArray, verdict: Callable[..., Verdicts]) -> BoolArray:
    """True where the row's run is significantly better than the column's, by mean scores (runs, topics)."""
    better, worse = ordered_pairs(top_runs(scores.mean(axis=1), share=1.0))
    matrix = np.zeros((len(scores), len(scores)), dtype=np.bool_)
    matrix[better, worse] = verdict(better=better, worse=worse).significant
    return matrix


def _short(value: float) -> float:
    return round(float(value), 6)
