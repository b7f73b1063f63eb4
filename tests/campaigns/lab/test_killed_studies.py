"""A study killed at random moments, again and again, against one left alone."""

from __future__ import annotations

import random
import signal
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.studies.trial_store import TrialStore, run_trials
from selection.studies.interface import StudySettings, found_as_kept
from selection.studies.known_collection import KnownCollection, KnownTopic

KILLS, MOST_BETWEEN = 10, 5
TOPICS, RUNS, DOCUMENTS = 6, 5, 16
KERNEL = STUDIES["topic-selection"].kernel
# Many more than are done before the last kill, even where this process has to wait for a core.
SETTINGS = StudySettings(trials=500, depth=DOCUMENTS)
AFTERWARDS = 20
# Those that take long enough to be killed in their midst.
METHODS = ("iqp", "adaptive")


def small_collection() -> KnownCollection:
    """Runs of falling quality; the first documents of each topic are relevant."""
    generator = np.random.default_rng(3)
    topics = []
    for topic in range(TOPICS):
        noise = [(1 + run) / RUNS * DOCUMENTS * generator.random(DOCUMENTS) for run in range(RUNS)]
        rankings = [np.argsort(np.arange(DOCUMENTS) + one).astype(np.int32) for one in noise]
        scores = [np.arange(DOCUMENTS, 0, -1, dtype=np.float32)] * RUNS
        gains = (np.arange(DOCUMENTS) < 2 + topic % 5).astype(np.float64)
        topics.append(KnownTopic(str(topic), rankings, scores, gains, np.zeros(0)))
    return KnownCollection(tuple(f"r{run}" for run in range(RUNS)), topics, np.arange(RUNS))


def trials_of(known: KnownCollection) -> list[Any]:
    """Seed by seed."""
    every = [trial for trial in KERNEL.trials(known, SETTINGS) if trial.method in METHODS]
    return sorted(every, key=lambda trial: int(trial.seed))


def work(folder: Path) -> None:
    """What a process does until it is killed."""
    known = small_collection()
    store = TrialStore(folder, known)
    run_trials(KERNEL.run, known, trials_of(known), store, jobs=1, progress=lambda left: None)


def kept(folder: Path, known: KnownCollection) -> int:
    """Whole results: a kill can cut a write where a page of memory ends, so that a line end stands alone."""
    return len(TrialStore(folder, known).done)


def test_ten_kills_change_no_number(tmp_path: Path) -> None:
    known, moments = small_collection(), random.Random(1)
    # Each process begins where the one before was killed; forking it from one that has imported all is fast.
    processes = get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    done: dict[str, Any] = {}
    cut_off = 0
    for _ in range(KILLS):
        running = processes.Process(target=work, args=(tmp_path,))
        enough = kept(tmp_path, known) + moments.randint(1, MOST_BETWEEN)
        running.start()
        while running.is_alive() and kept(tmp_path, known) < enough:
            # Shorter than a trial: the kill comes at any moment of the next one.
            time.sleep(moments.random() / 500)
        running.kill()
        running.join()
        assert running.exitcode == -signal.SIGKILL, "it ended before it was killed"
        before, done = done, TrialStore(tmp_path, known).done
        assert done.items() >= before.items()
        assert len(done) > len(before)
        if moments.random() < 0.5:
            # As of a kill in the middle of writing.
            (file,) = tmp_path.iterdir()
            file.write_bytes(file.read_bytes()[: -moments.randint(1, 50)])
            done = TrialStore(tmp_path, known).done
            cut_off += 1
    trials = trials_of(known)[: len(done) + AFTERWARDS]
    alone = {trial: found_as_kept(KERNEL.run(known, trial)) for trial in trials}
    store = TrialStore(tmp_path, known)
    assert run_trials(KERNEL.run, known, trials, store, jobs=1, progress=lambda left: None) == alone
    # No trial was done twice, but for those whose line was cut off.
    assert store.file.read_text().count(type(trials[0]).__name__) <= len(trials) + cut_off
