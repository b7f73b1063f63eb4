"""The readers of this process: at most three processes, started when first needed, that read foreign content.
Two read files; one reads what a page waits for, which then waits for no file.

A document that ends its reader costs two seconds of one processor; another reader takes its place.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import IO

from campaigns.formats.reading.contents import Content, Task, content_of, joined, parted, read_message
from campaigns.formats.reading.process import FAILED, LATER, READ, READY, TOO_LARGE

READERS = 2
# A reader that is stopped or blocked ends after so much time.
LONGEST_WAIT = 60.0
PROJECT = Path(__file__).parents[3]
# Neither the database's address nor a key is among these.
_ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "HOME")
# Of these a document is the cause: its time, or its memory. Others stop a process from outside.
_OWN_ENDS = (-signal.SIGPROF, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS)


class ReaderUnavailable(OSError):
    """The system starts no process for a reader."""


class UnreadReason(Enum):
    """Reason why a document has no content yet, or none at all: its limits of time and memory, or of
    bytes."""

    LATER = LATER
    TOO_COSTLY = FAILED
    TOO_LARGE = TOO_LARGE


Answer = Content | UnreadReason


def guarded_environment() -> dict[str, str]:
    """The variables that a process that reads foreign content gets."""
    return {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}


class _Reader:
    """One process, started again after its end."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, tasks: Sequence[Task]) -> list[Answer]:
        """Answers in order, at least one; fewer than tasks where the process ended, or took its time."""
        # What was stopped from outside is read once more.
        return self._answers(tasks) or self._answers(tasks) or [UnreadReason.TOO_COSTLY]

    def _answers(self, tasks: Sequence[Task]) -> list[Answer]:
        process = self._running()
        stdin, stdout = _pipes(process)
        answers: list[Answer] = []
        try:
            with _ended_in_time(process):
                stdin.write(joined([joined(_message(task) for task in tasks)]))
                stdin.flush()
                for _ in tasks:
                    if (said := read_message(stdout)) is None:
                        raise EOFError
                    answers.append(_answer_of(list(parted(said))))
        except (OSError, EOFError):
            if self._document_was_the_cause(process):
                answers.append(UnreadReason.TOO_COSTLY)
        return [answer for answer in answers if answer is not UnreadReason.LATER]

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = _start()
        return self._process

    def _document_was_the_cause(self, process: subprocess.Popen[bytes]) -> bool:
        for pipe in _pipes(process):
            # What could not be sent is lost with the process.
            with suppress(OSError):
                pipe.close()
        process.kill()
        self._process = None
        return process.wait() in _OWN_ENDS


@contextmanager
def _ended_in_time(process: subprocess.Popen[bytes]) -> Iterator[None]:
    timer = threading.Timer(LONGEST_WAIT, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _start() -> subprocess.Popen[bytes]:
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "campaigns.formats.reading.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=PROJECT,
            env=guarded_environment(),
        )
    except OSError as error:
        raise ReaderUnavailable(f"the reader of documents does not start: {error}") from error
    with _ended_in_time(process):
        said = read_message(_pipes(process)[1])
    if said is None or list(parted(said)) != [READY]:
        process.kill()
        raise ReaderUnavailable(f"the reader of documents does not start: exit code {process.wait()}")
    return process


def _message(task: Task) -> bytes:
    return joined([task.kind.encode(), task.content_type.encode(), task.content, task.header])


def _answer_of(parts: Sequence[bytes]) -> Answer:
    return content_of(parts[1:]) if parts[0] == READ else UnreadReason(parts[0])


class Readers:
    """Batches of documents, each in the hands of one reader."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(READERS, "reader")
        self._thread_of_pages = ThreadPoolExecutor(1, "reader of pages")
        self._own = threading.local()

    def submit(self, tasks: Sequence[Task]) -> Future[list[Answer]]:
        """Answers to the first of the tasks, at least to one."""
        return self._threads.submit(self._read, tasks)

    def submit_for_page(self, task: Task) -> Future[list[Answer]]:
        return self._thread_of_pages.submit(self._read, [task])

    def _read(self, tasks: Sequence[Task]) -> list[Answer]:
        if not hasattr(self._own, "reader"):
            self._own.reader = _Reader()
        reader: _Reader = self._own.reader
        return reader.read(tasks)


_by_process: dict[int, Readers] = {}


def readers() -> Readers:
    """A fork has readers of its own. Threads that ask at once get the same ones."""
    process = os.getpid()
    return _by_process.get(process) or _by_process.setdefault(process, Readers())


def read_one(task: Task) -> Content | None:
    """The content of one document, for a page that waits; None if it cannot be read within the limits.

    Raises
    ------
    ReaderUnavailable : no reader can be started.
    """
    [answer] = readers().submit_for_page(task).result()
    return answer if isinstance(answer, Content) else None
