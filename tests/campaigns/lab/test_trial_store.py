"""How long the trials of a study take, and in how many processes they are done."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.lab.studies import trial_store
from campaigns.lab.studies.trial_store import RemainingTime, TrialStore, run_trials
from selection.studies.known_collection import KnownCollection


@dataclass(frozen=True)
class Drawn:
    method: str
    seed: int


TRIALS = [Drawn(method, seed) for method in ("A", "C") for seed in range(3)]
KNOWN = KnownCollection((), [], np.zeros(0, dtype=np.int64))


def double(_: KnownCollection, trial: Drawn) -> int:
    return 2 * trial.seed


def test_time_left_goes_by_the_kind_of_trial() -> None:
    left = RemainingTime(TRIALS)
    left.note(TRIALS[0], 10.0)
    assert left.seconds() == 5 * 10.0
    left.note(TRIALS[3], 1.0)
    left.note(TRIALS[4], 3.0)
    assert left.seconds() == 2 * 10.0 + 1 * 2.0


def test_one_trial_of_each_kind_comes_first(tmp_path: Path) -> None:
    order: list[Drawn] = []

    def noted(known: KnownCollection, trial: Drawn) -> int:
        order.append(trial)
        return double(known, trial)

    times: list[float | None] = []
    found = run_trials(noted, KNOWN, TRIALS, TrialStore(tmp_path, KNOWN), jobs=1, progress=times.append)
    assert order == [TRIALS[place] for place in (0, 3, 1, 2, 4, 5)]
    assert list(found) == TRIALS
    assert times[-1] == 0
    again: list[float | None] = []
    run_trials(noted, KNOWN, TRIALS, TrialStore(tmp_path, KNOWN), jobs=1, progress=again.append)
    assert again == [None] * 6


@pytest.mark.parametrize(("long", "processes"), [(-1.0, [1, 2]), (3600.0, [1])])
def test_long_trials_are_done_by_several_processes(
    long: float, processes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_store, "LONG_SECONDS", long)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    used = [1]
    several = trial_store._run_in_processes

    def noted(run: Any, known: Any, trials: Any, jobs: int, time_left: RemainingTime) -> Any:
        used.append(jobs)
        return several(run, known, trials, jobs, time_left)

    monkeypatch.setattr(trial_store, "_run_in_processes", noted)
    store = TrialStore(tmp_path, KNOWN)
    found = run_trials(double, KNOWN, TRIALS, store, jobs=None, progress=lambda left: None)
    assert found == {trial: 2 * trial.seed for trial in TRIALS}
    assert used == processes
