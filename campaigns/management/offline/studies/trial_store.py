"""Trials of a study, done in several processes, each kept in a file as soon as it is done."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TextIO

import numpy as np

from campaigns.formats.errors import FormatError, LineError
from selection.studies.topic_trials import KnownTopics, Subsets, TopicTrial, run_trial

# Changed whenever a method would choose otherwise than it did: what is kept then counts no more.
VERSION = 1


def fingerprint(known: KnownTopics) -> str:
    """Of all that trials depend on but their own settings."""
    digest = hashlib.sha256(f"{VERSION} {known.numbers}".encode())
    for lists, relevance in zip(known.lists, known.relevance, strict=True):
        for ranking, scores in zip(lists.rankings, lists.scores, strict=True):
            for array in (ranking, scores):
                digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        digest.update(relevance.tobytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where trials are kept unless another folder is given, by the XDG base directory specification."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assess" / "studies"


class TrialStore:
    """A file of one line a trial, which is whole or is not read: a process killed while it wrote leaves
    half a line at the end."""

    def __init__(self, folder: Path, known: KnownTopics) -> None:
        self.file = folder / f"topics-{fingerprint(known)}.jsonl"
        self.done: dict[TopicTrial, Subsets] = {}
        if self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                if (read := _read(line)) is not None:
                    self.done[read[0]] = read[1]

    @contextmanager
    def opened(self) -> Iterator[Callable[[TopicTrial, Subsets], None]]:
        """A function that keeps a trial. Raises FormatError if the file cannot be written."""
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
            yield lambda trial, subsets: self._keep(file, trial, subsets)

    def _keep(self, file: TextIO, trial: TopicTrial, subsets: Subsets) -> None:
        self.done[trial] = subsets
        file.write(json.dumps({"trial": asdict(trial), "subsets": subsets}) + "\n")
        file.flush()


def _read(line: str) -> tuple[TopicTrial, Subsets] | None:
    try:
        found = json.loads(line)
        about = found["trial"]
        lists = {name: tuple(about[name]) for name in ("measures", "sizes", "held_out")}
        return TopicTrial(**{**about, **lists}), tuple(tuple(subset) for subset in found["subsets"])
    except (ValueError, KeyError, TypeError):
        return None


def run_trials(
    known: KnownTopics,
    trials: Sequence[TopicTrial],
    store: TrialStore,
    *,
    jobs: int,
    progress: Callable[[], object],
) -> dict[TopicTrial, Subsets]:
    """Of all trials what they choose; those that the store has are not run again."""
    with store.opened() as keep:
        left = []
        for trial in trials:
            if trial in store.done:
                progress()
            else:
                left.append(trial)
        for trial, subsets in _run(known, left, jobs):
            keep(trial, subsets)
            progress()
    return {trial: store.done[trial] for trial in trials}


def _run(known: KnownTopics, trials: Sequence[TopicTrial], jobs: int) -> Iterator[tuple[TopicTrial, Subsets]]:
    if jobs < 2 or len(trials) < 2:
        for trial in trials:
            yield trial, run_trial(known, trial)
        return
    # Read by numpy as a process starts: each process is one core's work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    workers = min(jobs, len(trials))
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (known,)) as pool:
        running = {pool.submit(_run_one, trial): trial for trial in trials}
        try:
            for one in as_completed(running):
                yield running[one], one.result()
        except BrokenProcessPool as error:
            raise ValueError(
                "a process was killed, perhaps for want of memory; start again to go on where it stopped"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


_known: KnownTopics


def _prepare(known: KnownTopics) -> None:
    global _known
    _known = known
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed study leaves no process behind that waits for trials for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _run_one(trial: TopicTrial) -> Subsets:
    return run_trial(_known, trial)
