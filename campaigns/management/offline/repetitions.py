"""One plan replayed with several seeds: each result, their mean and deviation, and all as rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any

import numpy as np

from campaigns.management.offline.simulation import COUNTS, SCORES, Simulation, Simulator

Result = dict[str, Any]
# The same for every seed.
SHARED = ("method", "p", "scope", "batch", "options", "topic_method")


def replay_seeds(
    simulator: Simulator, seeds: Sequence[int], *, jobs: int, progress: Callable[[], object]
) -> list[tuple[Result, list[str]]]:
    """For each seed, in this order, the `as_dict` and the notices of its replay; `jobs` processes replay.

    Raises ValueError if a process is killed.
    """
    replays = []
    for one in _replayed(simulator, seeds, min(jobs, len(seeds))):
        replays.append(one)
        progress()
    return replays


def _replayed(simulator: Simulator, seeds: Sequence[int], jobs: int) -> Iterator[tuple[Result, list[str]]]:
    if jobs < 2:
        yield from (_result_and_notices(simulator.run(seed)) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _prepare, (simulator,)) as processes:
        try:
            yield from processes.map(_replay_seed, seeds)
        except BrokenProcessPool as error:
            raise ValueError("a process was killed, perhaps for want of memory; try fewer --jobs") from error
        finally:
            processes.shutdown(cancel_futures=True)


_simulator: Simulator


def _prepare(simulator: Simulator) -> None:
    global _simulator
    _simulator = simulator
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed command leaves no process behind that waits for seeds for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _replay_seed(seed: int) -> tuple[Result, list[str]]:
    return _result_and_notices(_simulator.run(seed))


def _result_and_notices(simulation: Simulation) -> tuple[Result, list[str]]:
    return simulation.as_dict(), simulation.notices()


def summary(results: Sequence[Result]) -> Result:
    """The results of two seeds or more, with their mean and the standard deviation of the sample (n - 1).

    A checkpoint's mean is over the seeds that reached it; its deviation is None if only one did.
    """
    shared = {name: results[0][name] for name in SHARED if name in results[0]}
    each = [{name: value for name, value in one.items() if name not in SHARED} for one in results]
    mean, deviation = _moments(results)
    if "checkpoints" in results[0]:
        reached = sorted({point["judged"] for one in results for point in one["checkpoints"]})
        pairs = [_moments(_points_at(results, judged)) for judged in reached]
        # Its number names a checkpoint.
        for place, moments in enumerate((mean, deviation)):
            moments["checkpoints"] = [
                pair[place] | {"judged": judged} for pair, judged in zip(pairs, reached, strict=True)
            ]
    if errors := results[0].get("assessor_errors"):
        shared["assessor_errors"] = {name: errors[name] for name in ("missed", "false")}
    seeds = [one["seed"] for one in results]
    return {**shared, "seeds": seeds, "mean": mean, "deviation": deviation, "each": each}


def _points_at(results: Sequence[Result], judged: int) -> list[Result]:
    return [point for one in results for point in one["checkpoints"] if point["judged"] == judged]


def _moments(points: Sequence[Result]) -> tuple[Result, Result]:
    """Mean and deviation of counts and scores."""
    runs = [row["run"] for row in points[0]["scores"]]
    counts = np.array([[point[name] for name in COUNTS] for point in points], dtype=np.float64)
    scores = np.array([[[row[name] for name in SCORES] for row in point["scores"]] for point in points])
    means = counts.mean(axis=0).tolist()
    if (counts[:, 0] == counts[0, 0]).all():
        means[0] = int(counts[0, 0])
    mean = _point(means, scores.mean(axis=0).tolist(), runs)
    if len(points) < 2:
        return mean, _point([None] * len(COUNTS), [[None] * len(SCORES)] * len(runs), runs)
    return mean, _point(counts.std(axis=0, ddof=1).tolist(), scores.std(axis=0, ddof=1).tolist(), runs)


def _point(counts: Sequence[Any], scores: Sequence[Sequence[Any]], runs: Sequence[str]) -> Result:
    rows = [
        {"run": run, **dict(zip(SCORES, row, strict=True))} for run, row in zip(runs, scores, strict=True)
    ]
    return {**dict(zip(COUNTS, counts, strict=True)), "scores": rows}


def score_rows(result: Result) -> list[Result]:
    """A row for each run, the highest base first; of several seeds the means, each with its deviation."""
    if "each" not in result:
        return sorted(result["scores"], key=lambda row: -row["base"])
    rows = [
        with_deviations(mean, deviation)
        for mean, deviation in zip(result["mean"]["scores"], result["deviation"]["scores"], strict=True)
    ]
    return sorted(rows, key=lambda row: -row["base"])


def seed_rows(result: Result) -> list[Result]:
    """The counts of each seed, and their mean and deviation."""
    each = [
        {"seed": str(one["seed"]), **{name: one[name] for name in (*COUNTS, "seconds")}}
        for one in result["each"]
    ]
    moments = [
        {"seed": name, **{count: result[name][count] for count in COUNTS}} for name in ("mean", "deviation")
    ]
    return [*each, *moments]


def with_deviations(mean: Mapping[str, Any], deviation: Mapping[str, Any]) -> Result:
    """Each number of a row of means followed by its deviation, as `NAME_sd`."""
    row: Result = {}
    for name, value in mean.items():
        row[name] = value
        if name != "run":
            row[f"{name}_sd"] = deviation[name]
    return row


def checkpoint_rows(result: Result) -> list[Result]:
    """The counts at each checkpoint and at the end."""
    if "each" not in result:
        return [{name: point[name] for name in COUNTS} for point in _points(result)]
    end = any(map(_ends_later, result["each"]))
    pairs = zip(_points(result["mean"], end), _points(result["deviation"], end), strict=True)
    return [
        {"judged": mean["judged"]} | with_deviations({name: mean[name] for name in COUNTS[1:]}, deviation)
        for mean, deviation in pairs
    ]


def long_rows(result: Result) -> list[Result]:
    """A row for each run; with checkpoints or seeds, one for each of these, too, with its counts."""
    if "each" not in result:
        return _long(_points(result)) if "checkpoints" in result else result["scores"]
    end = any(map(_ends_later, result["each"]))
    named = [(one["seed"], _points(one)) for one in result["each"]]
    named += [(name, _points(result[name], end)) for name in ("mean", "deviation")]
    return [{"seed": seed, **row} for seed, points in named for row in _long(points)]


def _long(points: Sequence[Result]) -> list[Result]:
    return [
        {**{name: point[name] for name in COUNTS[:3]}, **row} for point in points for row in point["scores"]
    ]


def _points(result: Result, end: bool | None = None) -> list[Result]:
    """The checkpoints and the `end`: by default, unless the last checkpoint is the end."""
    shows_end = _ends_later(result) if end is None else end
    return [*result.get("checkpoints", ()), *([result] if shows_end else ())]


def _ends_later(result: Result) -> bool:
    before = result.get("checkpoints")
    return not before or before[-1]["judged"] != result["judged"]
