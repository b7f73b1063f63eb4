"""Lines of a run, taken block by block and given back topic by topic.

A long file's lines wait in a temporary file: memory holds some megabytes of them at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.errors import LIST_BYTES, LIST_LINES, RUN_TOPICS
from campaigns.formats.runs.columns import Doubles, Ints, Words, join_words

Int32s = NDArray[np.int32]
# Lines that wait in memory before they are written, and that are given back at once.
CHUNK_BYTES = 16 << 20
GROUP_LINES = 200_000
# Docnos up to the first width wait in fields of one width; longer ones by their lengths.
_WIDTHS = np.array([64, 128, 256, 512])


class RunLines(NamedTuple):
    """Lines of a run, shape (n,) each.

    `numbers` are line numbers from 1, `scores` the 64-bit floats nearest to what is written.
    """

    numbers: Int32s
    docnos: Words
    ranks: Int32s
    scores: Doubles

    def at(self, places: Ints | slice) -> RunLines:
        return RunLines._make(column[places] for column in self)


class TopicLines(NamedTuple):
    """All lines of some topics, shape (n,): `topic_of` ascends, and line numbers ascend within each topic."""

    topic_of: Int32s
    lines: RunLines


class _Chunk(NamedTuple):
    """Records in the file, sorted by topic: where they begin, how wide their docnos are, and the topics with
    the place behind the last record of each, shape (topics,)."""

    place: int
    width: int
    topics: Int32s
    ends: Int32s


class LineStore:
    """Takes lines in file order; `group` gives back those of some topics.

    Topics are numbered from 0. `folder` is where the temporary file is made; the system's place by default.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._end = 0
        self._waiting: list[TopicLines] = []
        self._bytes = 0
        self._chunks: list[_Chunk] = []
        self._counts = np.zeros(RUN_TOPICS + 1, dtype=np.int64)
        self._long_bytes = np.zeros(RUN_TOPICS + 1, dtype=np.int64)

    def add(self, topic_of: Int32s, lines: RunLines) -> tuple[int, str] | None:
        """Take lines; returns a place in them whose topic has too many, and how many are taken."""
        self._waiting.append(TopicLines(topic_of, lines))
        self._bytes += len(topic_of) * 24 + lines.docnos.nbytes
        starts = np.flatnonzero(np.concatenate(([True], topic_of[1:] != topic_of[:-1])))
        topics = topic_of[starts]
        np.add.at(self._counts, topics, np.diff(starts, append=len(topic_of)))
        too_many = self._counts[topics] > LIST_LINES
        most = f"{LIST_LINES:,} lines"
        if lines.docnos.itemsize > _WIDTHS[0] or lines.docnos.dtype == object:
            np.add.at(self._long_bytes, topics, np.add.reduceat(_lengths(lines.docnos), starts))
            if not too_many.any():
                too_many = self._long_bytes[topics] > LIST_BYTES
                most = f"{LIST_BYTES:,} bytes of docnos"
        if too_many.any():
            return int(starts[np.argmax(too_many)]), most
        if self._bytes > CHUNK_BYTES:
            self._write()
        return None

    def groups(self, topics: int) -> list[slice]:
        """The topics in pieces that are small enough to be in memory at once."""
        if self._file is None:
            return [slice(0, topics)] if topics else []
        self._write()
        units = self._counts[:topics] + self._long_bytes[:topics] // int(_WIDTHS[0])
        groups, start, size = [], 0, 0
        for topic, more in enumerate(units.tolist()):
            if size + more > GROUP_LINES and topic > start:
                groups.append(slice(start, topic))
                start, size = topic, 0
            size += more
        return [*groups, slice(start, topics)]

    def group(self, topics: slice) -> TopicLines:
        """The lines of a group; the only one is given once."""
        if self._file is None:
            return _in_order(self._waiting)
        return _in_order([found for chunk in self._chunks if (found := self._read(chunk, topics))])

    def _read(self, chunk: _Chunk, topics: slice) -> TopicLines | None:
        assert self._file is not None
        start, end = np.searchsorted(chunk.topics, [topics.start, topics.stop]).tolist()
        if start == end:
            return None
        before, last = (int(chunk.ends[place - 1]) if place else 0 for place in (start, end))
        record = _record(chunk.width)
        self._file.seek(chunk.place + before * record.itemsize)
        records = np.frombuffer(self._file.read((last - before) * record.itemsize), record)
        topic_of = np.repeat(chunk.topics[start:end], np.diff(chunk.ends[start:end], prepend=before))
        # Columns of their own: what is kept of them would else keep the others.
        return TopicLines(topic_of, RunLines._make(records[name].copy() for name in RunLines._fields))

    def _write(self) -> None:
        if not self._waiting:
            return
        if self._file is None:
            self._file = TemporaryFile(dir=self._folder)  # noqa: SIM115  # open as long as the store
        self._bytes = 0
        topic_of, lines = _in_order(self._waiting)
        for places, width in _by_width(lines.docnos):
            self._append(topic_of[places], lines.at(places), width)

    def _append(self, topic_of: Int32s, lines: RunLines, width: int) -> None:
        assert self._file is not None
        records = np.empty(len(topic_of), dtype=_record(width))
        for name, column in zip(RunLines._fields, lines, strict=True):
            records[name] = column
        ends = np.append(np.flatnonzero(topic_of[1:] != topic_of[:-1]), len(topic_of) - 1)
        self._file.seek(self._end)
        self._file.write(records.view(np.uint8).data)
        self._chunks.append(_Chunk(self._end, width, topic_of[ends], (ends + 1).astype(np.int32)))
        self._end += records.nbytes


def _record(width: int) -> np.dtype[Any]:
    kinds = ("i4", f"S{width}", "i4", "f8")
    return np.dtype(list(zip(RunLines._fields, kinds, strict=True)))


def _lengths(words: Words) -> NDArray[np.int64]:
    return np.fromiter(map(len, words.tolist()), np.int64, len(words))


def _by_width(docnos: Words) -> Iterator[tuple[Ints | slice, int]]:
    """Places of docnos, and how wide a field they need."""
    if docnos.dtype != object and docnos.itemsize <= _WIDTHS[0]:
        yield slice(None), docnos.itemsize
        return
    widths = _WIDTHS[np.searchsorted(_WIDTHS, _lengths(docnos))]
    for width in np.unique(widths).tolist():
        yield np.flatnonzero(widths == width), width


def _in_order(pieces: list[TopicLines]) -> TopicLines:
    """All lines in one, by topic and line; frees the pieces column by column, so that one is there twice."""
    topic_of = np.concatenate([piece.topic_of for piece in pieces])
    columns: list[list[NDArray[Any]]] = [
        list(column) for column in zip(*(piece.lines for piece in pieces), strict=True)
    ]
    pieces.clear()
    joined = []
    for name, column in zip(RunLines._fields, columns, strict=True):
        joined.append(join_words(column) if name == "docnos" else np.concatenate(column))
        column.clear()
    lines = RunLines._make(joined)
    falls = topic_of[1:] < topic_of[:-1]
    if not falls.any():
        falls = (topic_of[1:] == topic_of[:-1]) & (lines.numbers[1:] < lines.numbers[:-1])
    if falls.any():
        order = np.lexsort((lines.numbers, topic_of))
        topic_of, lines = topic_of[order], lines.at(order)
    return TopicLines(topic_of, lines)
