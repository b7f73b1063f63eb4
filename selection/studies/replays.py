"""Documents that several methods find and leave open at several budgets, in replays answered from known
qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.comparison.rank_correlation import kendall
from selection.pool import TopicPool, build_topic_pool
from selection.randomness import topic_key
from selection.registry import DEFAULT_PLAN_METHODS
from selection.simulation.replay import Checkpoint, replay
from selection.simulation.trajectory import TrajectoryRecorder
from selection.specification import CampaignSpec
from selection.state import CampaignState
from selection.studies.interface import PaperStudy, Point, Row, StudySettings, trial_mean
from selection.studies.known_collection import KnownCollection

DEFAULT_P = (0.8,)
# Shares of the pool, where no budgets are given.
DEFAULT_SHARES = (0.02, 0.05, 0.1, 0.2)
# They find something else with another seed; all others are replayed once.
DRAWING_METHODS = ("statap", "mtc+statap", "strata", "sample", "random")
MEASURES = ("relevant", "residual", "tau")


@dataclass(frozen=True)
class RecordedReplay:
    """One replay, and after how many judgments it is looked at."""

    method: str
    p: float
    seed: int
    budgets: tuple[int, ...]


# `looks`: for each budget the values of `MEASURES`; `trajectory`: to play, see `Trajectory.as_dict`.
Results = Mapping[RecordedReplay, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class _Pools:
    """pools and gains, by topic; final : float64 (runs,), mean RBP with every judgment"""

    pools: Sequence[TopicPool]
    gains: Sequence[FloatArray]
    final: FloatArray


def _pools(known: KnownCollection, p: float) -> _Pools:
    return known.cached(("replay pools", p), lambda: _make_pools(known, p))


def _make_pools(known: KnownCollection, p: float) -> _Pools:
    every = np.ones(len(known.runs), dtype=np.bool_)
    pools = [build_topic_pool(topic.rankings, p, every) for topic in known.topics]
    gains = [topic.gains[pool.documents] for topic, pool in zip(known.topics, pools, strict=True)]
    state = CampaignState(
        pools,
        CampaignSpec(runs=len(known.runs), p=p, method="pooling", scope="campaign", contributing=every),
    )
    for topic, of_topic in enumerate(gains):
        for document in np.flatnonzero(~np.isnan(of_topic)).tolist():
            state.judge(topic, document, float(of_topic[document]))
    return _Pools(pools, gains, state.base.mean(axis=0))


def pool_size(known: KnownCollection) -> int:
    """Documents that any run ranks, over all topics."""
    return sum(len(topic.gains) for topic in known.topics)


def _budgets(known: KnownCollection, settings: StudySettings) -> tuple[int, ...]:
    """Raises ValueError for a budget that is larger than the pool."""
    size = pool_size(known)
    if settings.budgets and settings.budgets[-1] > size:
        raise ValueError(
            f"a budget of {settings.budgets[-1]:,} judgments is larger than the pool of {size:,} documents"
        )
    return settings.budgets or tuple(sorted({max(1, round(share * size)) for share in DEFAULT_SHARES}))


def _trials(known: KnownCollection, settings: StudySettings) -> list[RecordedReplay]:
    budgets = _budgets(known, settings)
    return [RecordedReplay(method, p, seed, budgets) for method, p, seed in replays_of(settings)]


def replays_of(settings: StudySettings) -> list[tuple[str, float, int]]:
    """Method, p and seed of each replay, in the order of the trials."""
    return [
        (method, p, seed)
        for p in settings.p or DEFAULT_P
        for method in settings.methods or DEFAULT_PLAN_METHODS
        for seed in range(settings.seed, settings.seed + _seeds(method, settings))
    ]


def _seeds(method: str, settings: StudySettings) -> int:
    return settings.trials if method in DRAWING_METHODS else 1


def run_replay(known: KnownCollection, trial: RecordedReplay) -> dict[str, Any]:
    """Replay a method; a document that the qrels do not name is judged not relevant."""
    made, recorder = _pools(known, trial.p), TrajectoryRecorder()
    done = replay(
        made.pools,
        made.gains,
        CampaignSpec(
            runs=len(known.runs),
            p=trial.p,
            method=trial.method,
            scope="campaign",
            contributing=np.ones(len(known.runs), dtype=np.bool_),
            seed=trial.seed,
            keys=[topic_key(number) for number in known.numbers],
        ),
        judgments=trial.budgets[-1],
        checkpoints=trial.budgets,
        observe=recorder.note,
    )
    judged = len(done.topics)
    trajectory = recorder.trajectory(done.state, judged, done.relevant, judged)
    reached = {one.judged: one for one in done.checkpoints}
    # A sample may be smaller than the budget: what it found stays.
    looks = [_look(reached.get(budget, done.end), made.final) for budget in trial.budgets]
    return {"looks": looks, "trajectory": trajectory.as_dict(known.runs)}


def _look(at: Checkpoint, final: FloatArray) -> list[float]:
    # Runs that all tie are not ordered.
    tau = float(np.nan_to_num(kendall(at.base.mean(axis=0), final)))
    return [at.relevant, float(at.residual.mean()), tau]


def _by_line(
    known: KnownCollection, settings: StudySettings, results: Results
) -> list[tuple[RecordedReplay, int, FloatArray]]:
    """Group by method, p and budget: a trial of the line, the budget, and values (seeds, measures)."""
    lines = []
    for trial in _trials(known, settings):
        if trial.seed == settings.seed:
            same = [
                results[one]
                for one in results
                if (one.method, one.p, one.budgets) == (trial.method, trial.p, trial.budgets)
            ]
            for place, budget in enumerate(trial.budgets):
                lines.append((trial, budget, np.array([one["looks"][place] for one in same], np.float64)))
    return lines


def _rows(known: KnownCollection, settings: StudySettings, results: Results) -> list[Row]:
    rows: list[Row] = []
    for trial, budget, values in _by_line(known, settings, results):
        row: Row = {"method": trial.method, "p": trial.p, "judgments": budget}
        for name, column in zip(MEASURES, values.T, strict=True):
            several = trial.method in DRAWING_METHODS
            row[name] = trial_mean(column) if several else _single(name, float(column[0]))
        rows.append(row)
    return rows


def _single(name: str, value: float) -> float | int:
    return int(value) if name == "relevant" else value


def _points(known: KnownCollection, settings: StudySettings, results: Results) -> list[Point]:
    return [
        {"panel": name, "method": trial.method, "p": trial.p, "judgments": budget, "mean": float(mean)}
        for trial, budget, values in _by_line(known, settings, results)
        for name, mean in zip(MEASURES, values.mean(axis=0), strict=True)
    ]


REPLAY_STUDY = PaperStudy(
    _trials, run_replay, _rows, _points, uses=("methods", "budgets", "p", "trials", "seed")
)
