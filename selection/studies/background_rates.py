"""Figure 1 of Ravana and Moffat 2010: how relevance grows with the number of runs that ask for a document,
and the rate among documents that none asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.points import DEGREE, background_rate
from selection.studies.held_out_runs import held_out_half
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

# A cubic needs so many different numbers of requests, and so as many runs.
FEWEST_RUNS = DEGREE + 1
# Documents that the qrels do not name count as not relevant, or are left out.
WHOLE, NAMED = "whole pool", "named in qrels"


@dataclass(frozen=True)
class BackgroundTrial:
    """Half of the runs, drawn by whole participants, ask for their first `depth` documents; all runs do
    where `seed` is None."""

    seed: int | None
    depth: int


Results = Mapping[BackgroundTrial, Found]


def background_trials(known: KnownCollection, settings: StudySettings) -> list[BackgroundTrial]:
    """Raises ValueError if the runs cannot be parted."""
    held_out_half(known.groups, settings.seed, FEWEST_RUNS)
    seeds = [None, *range(settings.seed, settings.seed + settings.trials)]
    return [BackgroundTrial(seed, settings.depth) for seed in seeds]


def run_background(known: KnownCollection, trial: BackgroundTrial) -> Found:
    """Rates by the qrels: of the documents that are asked for, and of the others' requests.

    Returns
    -------
    dict
        By `WHOLE` and, where the qrels name documents that are not relevant, `NAMED`: `requests`,
        `documents`, `rate`, `fitted` (m,) by number of requests; `crossing`, `unweighted` and `value` as of
        `background_rate`; `all`, the rate of all; `unasked` and `unasked rate`, how many documents only the
        other runs have in their first `depth`, and their rate, 0 without any.
    """
    asking = np.ones(len(known.runs), dtype=np.bool_)
    if trial.seed is not None:
        asking = ~held_out_half(known.groups, trial.seed, FEWEST_RUNS)
    requests, others, gains = _requests(known, asking, trial.depth)
    rates = {WHOLE: _rates(requests, others, np.nan_to_num(gains))}
    if (gains == 0).any():
        rates[NAMED] = _rates(requests, others, gains)
    return rates


def _requests(known: KnownCollection, asking: BoolArray, depth: int) -> tuple[IntArray, IntArray, FloatArray]:
    """For each topic's document in any list: the numbers of asking and of other runs that have it in their
    first `depth`, and its gain."""
    counted: tuple[list[IntArray], list[IntArray]] = ([], [])
    for topic in known.topics:
        numbers = np.zeros((2, len(topic.gains)), dtype=np.int64)
        for ranking, asks in zip(topic.rankings, asking, strict=True):
            if ranking is not None:
                numbers[0 if asks else 1, ranking[:depth]] += 1
        for counts, of_topic in zip(counted, numbers, strict=True):
            counts.append(of_topic)
    gains = np.concatenate([topic.gains for topic in known.topics])
    return np.concatenate(counted[0]), np.concatenate(counted[1]), gains


def _rates(requests: IntArray, others: IntArray, gains: FloatArray) -> Found:
    asked = requests > 0
    rates = background_rate(requests[asked], gains[asked])
    judged = gains[asked & ~np.isnan(gains)] > 0
    unasked = gains[~asked & (others > 0) & ~np.isnan(gains)] > 0
    return {
        "requests": rates.requests.tolist(),
        "documents": rates.documents.tolist(),
        "rate": _short(rates.rate),
        "fitted": _short(rates.fitted(rates.requests)),
        "crossing": round(rates.crossing, 6),
        "unweighted": round(rates.unweighted_crossing, 6),
        "value": round(rates.value, 6),
        "all": round(float(judged.mean()), 6),
        "unasked": len(unasked),
        "unasked rate": round(float(unasked.mean()), 6) if len(unasked) else 0.0,
    }


def _short(values: FloatArray) -> list[float]:
    return [round(value, 6) for value in values.tolist()]


def _rows(_: KnownCollection, __: StudySettings, results: Results) -> list[Row]:
    halves = [results[trial] for trial in results if trial.seed is not None]
    rows: list[Row] = []
    for kind in (WHOLE, NAMED):
        if (result := results[_everyone(results)].get(kind)) is None:
            continue
        rows.append({"documents": kind, "runs": "all", **_cells([result])})
        of_halves = [one[kind] for one in halves if kind in one]
        unasked = trial_mean(np.array([one["unasked rate"] for one in of_halves]))
        rows.append({"documents": kind, "runs": "half", **_cells(of_halves), "rate unasked": unasked})
    return rows


def _everyone(results: Results) -> BackgroundTrial:
    return next(trial for trial in results if trial.seed is None)


def _cells(results: list[Found]) -> dict[str, str | int | float | TrialMean]:
    """`mean rate`: of the bars of the figure, each number of requests alike."""
    columns = {
        "mean rate": [float(np.mean(one["rate"])) for one in results],
        "rate": [one["all"] for one in results],
        "weighted crossing": [one["crossing"] for one in results],
        "unweighted crossing": [one["unweighted"] for one in results],
        "estimate": [one["value"] for one in results],
    }
    return {
        name: values[0] if len(values) == 1 else trial_mean(np.array(values))
        for name, values in columns.items()
    }


def _points(_: KnownCollection, __: StudySettings, results: Results) -> list[Point]:
    return [
        {"panel": kind, "requests": requests, "documents": documents, "rate": rate, "fitted": fitted}
        for kind, one in results[_everyone(results)].items()
        for requests, documents, rate, fitted in zip(
            one["requests"], one["documents"], one["rate"], one["fitted"], strict=True
        )
    ]


BACKGROUND_STUDY = PaperStudy(
    background_trials,
    run_background,
    _rows,
    _points,
    uses=("trials", "seed", "depth"),
    fewest_runs=2 * FEWEST_RUNS,
    fewest_topics=1,
)
