"""A process that reads the content of documents: `python -m campaigns.formats.reading.process`.

It knows no table, no secret and no other document, and its limits are the system's: a document over the limit
of processor time or memory ends the process. It ends with the pipe from its parent.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence

from campaigns.formats.reading.contents import (
    Content,
    Task,
    TooLarge,
    joined,
    parted,
    parts_of,
    read_content,
    read_message,
)
from evaluation.extras import extra

# Of the processor, for one document; and for the characters of HTML that is safe already, which an answer
# needs in any case.
SECONDS, WORDS_SECONDS = 2.0, 10.0
# After so much, the rest of a batch goes back: others have their turn, and few answers are in memory at once.
BATCH_SECONDS, BATCH_BYTES = 1.0, 1 << 21
MEMORY_BYTES = 1 << 29
LIMITS = f"{SECONDS:.0f} seconds or {MEMORY_BYTES >> 20} MiB"
# Characters of safe HTML: so many times the text's, and some for short ones; but never more than the last.
MOST_TIMES, SHORT_HTML, LONGEST_HTML = 4, 1 << 16, 1 << 24
READY, READ, TOO_LARGE, FAILED, LATER = b"ready", b"read", b"too large", b"failed", b"later"
# Assessors who wait for a page come first.
_NICENESS = 5


def main() -> None:
    answers = os.dup(1)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    _load_parsers()
    _limit_memory()
    _send(answers, [READY])
    while (batch := read_message(sys.stdin.buffer)) is not None:
        begun, size = time.process_time(), 0
        for one in parted(batch):
            late = size > BATCH_BYTES or time.process_time() - begun > BATCH_SECONDS
            answer = [LATER] if late else _answer(one)
            size += sum(map(len, answer))
            _send(answers, answer)


def _load_parsers() -> None:
    """Import them before the first document, whose time it would take."""
    with extra("documents"):
        import markdown_it  # noqa: F401
        import nh3  # noqa: F401
        import warcio.recordloader  # noqa: F401


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Systems without this limit refuse it.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _answer(message: bytes) -> Sequence[bytes]:
    kind, content_type, content, header = parted(message)
    # Nobody handles its signal, so the system ends the process, also amid code of C.
    signal.setitimer(signal.ITIMER_PROF, WORDS_SECONDS if kind == b"words" else SECONDS)
    try:
        return _read(Task(kind.decode(), content_type.decode(), content, header))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _read(task: Task) -> Sequence[bytes]:
    try:
        found: Content = read_content(task)
        if _is_too_long(found, task):
            return [FAILED]
        return [READ, *parts_of(found)]
    except TooLarge:
        return [TOO_LARGE]
    # Whatever a document makes of a parser: out of memory, nested too deep, a bug.
    except BaseException as error:  # noqa: BLE001
        print(f"a document could not be read: {type(error).__name__}", file=sys.stderr)
        return [FAILED]


def _is_too_long(found: Content, task: Task) -> bool:
    text = max(len(found.body), len(task.content))
    return len(found.html) > min(MOST_TIMES * text + SHORT_HTML, LONGEST_HTML)


def _send(to: int, parts: Sequence[bytes]) -> None:
    left = memoryview(joined([joined(parts)]))
    while left:
        left = left[os.write(to, left) :]


if __name__ == "__main__":
    main()
