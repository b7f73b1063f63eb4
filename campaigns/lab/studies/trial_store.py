"""Trials of a study, done in several processes, each kept in a file as soon as it is done."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import fields
from multiprocessing import get_context, parent_process
from pathlib import Path
from statistics import fmean
from typing import Any, TextIO

from campaigns.formats.errors import FormatError, LineError
from selection.studies.interface import Found, found_as_kept, trial_key
from selection.studies.known_collection import KnownCollection

Run = Callable[[KnownCollection, Any], Found]


def cache_folder() -> Path:
    """Default folder of stored trials, by the XDG base directory specification."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assess" / "studies"


class TrialStore:
    """A file of one line a trial, which is whole or is not read: a process killed while it wrote leaves
    half a line at the end."""

    def __init__(self, folder: Path, known: KnownCollection) -> None:
        self.file = folder / f"trials-{known.fingerprint()}.jsonl"
        # By `trial_key`.
        self.done: dict[str, Found] = {}
        if self.file.exists():
            with self.file.open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    self._read(line)

    def _read(self, line: str) -> None:
        try:
            key, found = json.loads(line)
        except (ValueError, TypeError):
            return
        self.done[key] = found

    @contextmanager
    def opened(self) -> Iterator[Callable[[str, Found], None]]:
        """A function that keeps a trial's result. Raises FormatError if the file cannot be written."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            file = self.file.open("a", encoding="utf-8")
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise FormatError(str(self.file), [LineError(None, why)]) from error
        with file:
            if file.tell():
                # Half a line must not spoil the next.
                file.write("\n")
            yield lambda key, found: self._keep(file, key, found)

    def _keep(self, file: TextIO, key: str, found: Found) -> None:
        self.done[key] = found_as_kept(found)
        file.write(json.dumps([key, found], allow_nan=False) + "\n")
        file.flush()


def trial_kind(trial: Any) -> tuple[Any, ...]:
    """Equal for trials that take about as long: they differ in what is drawn."""
    drawn = ("seed", "held_out")
    parts = ((one.name, getattr(trial, one.name)) for one in fields(trial) if one.name not in drawn)
    return type(trial).__name__, *parts


class RemainingTime:
    """Remaining time of the trials, one after the other: each as long as the mean of those of its kind, or of
    all where none of its kind is done."""

    def __init__(self, trials: Sequence[Any]) -> None:
        self._left = Counter(map(trial_kind, trials))
        self._done: dict[tuple[Any, ...], list[float]] = {}

    def note(self, trial: Any, seconds: float) -> None:
        kind = trial_kind(trial)
        self._left[kind] -= 1
        self._done.setdefault(kind, []).append(seconds)

    def seconds(self) -> float:
        every = [seconds for several in self._done.values() for seconds in several]
        return sum(number * fmean(self._done.get(kind, every)) for kind, number in self._left.items())


def run_trials(
    run: Run,
    known: KnownCollection,
    trials: Sequence[Any],
    store: TrialStore,
    *,
    jobs: int | None,
    progress: Callable[[float | None], object],
) -> dict[Any, Found]:
    """Do the trials that the store does not have, and return what each finds.

    jobs : processes; None: as many as there are cores, once the trials turn out to be long
    progress : called after each trial with the seconds that the others take; None after one that is kept
    """
    keys = {trial: trial_key(trial) for trial in trials}
    with store.opened() as keep:
        left = [trial for trial, key in keys.items() if key not in store.done]
        for _ in range(len(keys) - len(left)):
            progress(None)
        time_left = RemainingTime(left)
        ordered = _one_of_each_kind_first(left)
        for trial, found, processes in _run(run, known, ordered, jobs, time_left):
            keep(keys[trial], found)
            progress(time_left.seconds() / processes)
    return {trial: store.done[key] for trial, key in keys.items()}


def _one_of_each_kind_first(trials: Sequence[Any]) -> list[Any]:
    """So that it is known early how long the others take."""
    first = {trial_kind(trial): trial for trial in reversed(trials)}
    begin = [trial for trial in trials if first[trial_kind(trial)] is trial]
    return begin + [trial for trial in trials if first[trial_kind(trial)] is not trial]


# Starting processes and giving them the collection takes a few seconds.
LONG_SECONDS = 20.0
# A trial, what it found, and how many processes do the others.
Done = tuple[Any, Found, int]


def _run(
    run: Run, known: KnownCollection, trials: Sequence[Any], jobs: int | None, time_left: RemainingTime
) -> Iterator[Done]:
    if jobs is not None and min(jobs, len(trials)) > 1:
        yield from _run_in_processes(run, known, trials, jobs, time_left)
        return
    cores = len(os.sched_getaffinity(0)) if jobs is None else 1
    for place, trial in enumerate(trials, 1):
        found, seconds = _timed(run, known, trial)
        time_left.note(trial, seconds)
        processes = min(cores, len(trials) - place) if time_left.seconds() > LONG_SECONDS else 1
        yield trial, found, max(processes, 1)
        if processes > 1:
            yield from _run_in_processes(run, known, trials[place:], processes, time_left)
            return


def _timed(run: Run, known: KnownCollection, trial: Any) -> tuple[Found, float]:
    began = time.monotonic()
    found = run(known, trial)
    return found, time.monotonic() - began


def _run_in_processes(
    run: Run, known: KnownCollection, trials: Sequence[Any], jobs: int, time_left: RemainingTime
) -> Iterator[Done]:
    workers = min(jobs, len(trials))
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (known,)) as pool:
        running = {pool.submit(_run_one, run, trial): trial for trial in trials}
        try:
            for one in as_completed(running):
                trial, (found, seconds) = running[one], one.result()
                time_left.note(trial, seconds)
                yield trial, found, workers
        except BrokenProcessPool as error:
            raise ValueError(
                "a process was killed, perhaps for want of memory; start again to go on where it stopped"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


_known: KnownCollection


def _prepare(known: KnownCollection) -> None:
    global _known
    _known = known
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed study leaves no process behind that waits for trials for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _run_one(run: Run, trial: Any) -> tuple[Found, float]:
    return _timed(run, _known, trial)
