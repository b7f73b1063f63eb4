"""Trials of a study, done in several processes, each kept in a file as soon as it is done."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, TextIO

from campaigns.formats.errors import FormatError, LineError
from selection.studies.papers.collection import KnownCollection
from selection.studies.papers.interface import Found, found_as_kept, trial_key

Run = Callable[[KnownCollection, Any], Found]


def cache_folder() -> Path:
    """Where trials are kept unless another folder is given, by the XDG base directory specification."""
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


def run_trials(
    run: Run,
    known: KnownCollection,
    trials: Sequence[Any],
    store: TrialStore,
    *,
    jobs: int,
    progress: Callable[[], object],
) -> dict[Any, Found]:
    """What each trial finds; those that the store has are not run again."""
    keys = {trial: trial_key(trial) for trial in trials}
    with store.opened() as keep:
        left = []
        for trial, key in keys.items():
            if key in store.done:
                progress()
            else:
                left.append(trial)
        for trial, found in _run(run, known, left, jobs):
            keep(keys[trial], found)
            progress()
    return {trial: store.done[key] for trial, key in keys.items()}


def _run(run: Run, known: KnownCollection, trials: Sequence[Any], jobs: int) -> Iterator[tuple[Any, Found]]:
    if jobs < 2 or len(trials) < 2:
        for trial in trials:
            yield trial, run(known, trial)
        return
    # Read by numpy as a process starts: each process is one core's work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    workers = min(jobs, len(trials))
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (known,)) as pool:
        running = {pool.submit(_run_one, run, trial): trial for trial in trials}
        try:
            for one in as_completed(running):
                yield running[one], one.result()
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


def _run_one(run: Run, trial: Any) -> Found:
    return run(_known, trial)
