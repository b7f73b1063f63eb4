"""A cache of read runs beside their files, so that the next command need not read them again.

A set of files has one cache file, in the hidden folder `.run-cache` of the folder that holds the first of
them: it goes when the collection goes, and all users of the collection share it. It is used only if every
file is the one that was read: same place, size, inode, times of change and reader. It is written whole or not
at all. A cache that is damaged, or cannot be written, is as if there were none.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import time
import uuid
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from campaigns.formats.runs.joined import JoinedRuns, JoinedTopic, decoded
from campaigns.formats.runs.reader import Order
from campaigns.formats.runs.report import RunReport
from evaluation.measures.ordering import ScorePrecision

FOLDER = ".run-cache"
# Raise this whenever the same files are read to something else, or stored otherwise.
VERSION = 4
# Larger sets take too much memory at once.
MOST_BYTES = 1 << 30
# Sets of the same folder; the latest written stay.
MOST_SETS = 4
# A file changed so shortly before may change again without a trace: file systems count time in steps.
SETTLED_SECONDS = 2.0
# No command takes so long to write its cache.
PART_SECONDS = 3600
# All that a damaged file has been seen to raise, or may.
_DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    EOFError,
    OverflowError,
    MemoryError,
    RuntimeError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True)
class RunCache:
    """The place of what these files were read to, and what must be the same to use it."""

    files: tuple[Path, ...]
    order: Order
    score_precision: ScorePrecision
    identity: bytes

    @classmethod
    def of(cls, files: Sequence[Path], order: Order, score_precision: ScorePrecision) -> RunCache | None:
        """None where a file is no regular one, or all together are too large."""
        try:
            return cls(tuple(files), order, score_precision, _identity(files, order, score_precision))
        except (OSError, ValueError):
            return None

    @property
    def file(self) -> Path:
        # A set that has changed takes the place of what it was.
        places = [os.path.relpath(file.resolve(), self._home) for file in self.files]
        read = json.dumps([places, self.order, self.score_precision])
        name = hashlib.sha256(read.encode()).hexdigest()[:16]
        return self._home / FOLDER / f"{name}.npz"

    @property
    def is_writable(self) -> bool:
        """True if the folder can be written to, by its mode even for root, and no file is too new."""
        try:
            mode = self._home.stat().st_mode
            latest = max(time_of for file in self.files for time_of in _times(file))
        except OSError:
            return False
        return (
            bool(mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
            and os.access(self._home, os.W_OK | os.X_OK)
            and time.time() - latest >= SETTLED_SECONDS
        )

    def load(self) -> JoinedRuns | None:
        """Load the cached content of these very files; None if there is none."""
        try:
            with np.load(self.file, allow_pickle=False) as arrays:
                if arrays["identity"].tobytes() != self.identity:
                    return None
                return _unpacked(arrays)
        except _DAMAGE:
            return None

    def save(self, runs: JoinedRuns) -> None:
        """Store what was read, if the files are still as they were when this was made."""
        beside = self.file.with_name(f"{uuid.uuid4().hex}.part")
        with suppress(OSError):
            if _identity(self.files, self.order, self.score_precision) != self.identity:
                return
            beside.parent.mkdir(exist_ok=True)
            try:
                with beside.open("wb") as out:
                    np.savez(out, identity=np.frombuffer(self.identity, np.uint8), **_packed(runs))
                beside.replace(self.file)
            finally:
                beside.unlink(missing_ok=True)
            self._keep_the_latest()

    def _keep_the_latest(self) -> None:
        folder = self.file.parent
        # So that a collection under version control stays clean.
        (folder / ".gitignore").write_text("*\n")
        by_age = sorted(folder.glob("*.npz"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        # Of a command that was killed while it wrote.
        broken = [file for file in folder.glob("*.part") if time.time() - file.stat().st_mtime > PART_SECONDS]
        for file in (*by_age[MOST_SETS:], *broken):
            file.unlink(missing_ok=True)

    @property
    def _home(self) -> Path:
        return self.files[0].resolve().parent


def _identity(files: Sequence[Path], order: Order, score_precision: ScorePrecision) -> bytes:
    """Identity of the files: changes once one of them does. Raises ValueError for files that are not to be
    cached."""
    home, total, parts = files[0].resolve().parent, 0, []
    for file in files:
        found = file.stat()
        total += found.st_size
        if not stat.S_ISREG(found.st_mode) or total > MOST_BYTES:
            raise ValueError(f"{file} is not cached")
        place = os.path.relpath(file.resolve(), home)
        parts.append([place, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino])
    return json.dumps([VERSION, order, score_precision, parts]).encode()


def _times(file: Path) -> tuple[float, float]:
    found = file.stat()
    return found.st_mtime, found.st_ctime


def _packed(runs: JoinedRuns) -> dict[str, Any]:
    """Pack runs into few arrays: lists one after the other, topic by topic; a missing list has the length
    -1."""
    lists = [one for topic in runs.topics for one in topic.rankings]
    scores = [one for topic in runs.topics for one in topic.scores]
    names = "\n".join("\n".join(topic.docnos) for topic in runs.topics)
    words = {
        "tags": runs.tags,
        "topics": [topic.number for topic in runs.topics],
        "reports": [report.as_dict() for report in runs.reports],
    }
    return {
        "words": np.frombuffer(json.dumps(words).encode(), np.uint8),
        "docnos": np.frombuffer(names.encode(), np.uint8),
        "documents": np.array([len(topic.docnos) for topic in runs.topics], np.int64),
        "lengths": np.array([-1 if one is None else len(one) for one in lists], np.int32),
        "rankings": np.concatenate([np.zeros(0, np.int32), *(one for one in lists if one is not None)]),
        "scores": np.concatenate([np.zeros(0, np.float32), *(one for one in scores if one is not None)]),
    }


def _unpacked(arrays: Any) -> JoinedRuns:
    words = json.loads(arrays["words"].tobytes())
    numbers, tags = words["topics"], tuple(words["tags"])
    lengths = arrays["lengths"].reshape(len(numbers), len(tags))
    docnos = decoded(arrays["docnos"].tobytes())
    ends = np.cumsum(arrays["documents"]).tolist()
    rankings, scores = arrays["rankings"], arrays["scores"]
    stops = np.cumsum(np.maximum(lengths, 0).ravel()).reshape(lengths.shape)
    if (ends and ends[-1] != len(docnos)) or not len(rankings) == len(scores) == stops.max(initial=0):
        raise ValueError("parts that do not fit together")
    topics = []
    for number, start, end, row, stop in zip(
        numbers, [0, *ends], ends, lengths.tolist(), stops.tolist(), strict=False
    ):
        places = [None if n < 0 else slice(at - n, at) for n, at in zip(row, stop, strict=True)]
        topics.append(
            JoinedTopic(
                number,
                docnos[start:end],
                [None if place is None else rankings[place] for place in places],
                [None if place is None else scores[place] for place in places],
            )
        )
    return JoinedRuns(tags, topics, tuple(RunReport(**counts) for counts in words["reports"]))
