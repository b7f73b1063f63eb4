"""What is wrong with a file, line by line; what was noticed in one that was taken; limits of names."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

MOST_LISTED_ERRORS = 100
# A file of another kind has an error on every line; nobody reads a million of them.
GIVE_UP_AFTER = 100_000
_QUOTED = 60

DOCNO_BYTES = 512
TOPIC_BYTES = 100
TAG_BYTES = 200
# Ranks and scores.
NUMBER_BYTES = 64
LINE_BYTES = 1 << 16
DOCUMENT_BYTES = 32 << 20

# A reader holds these in memory: ten million lines of a run are about half a gigabyte.
RUN_BYTES = 1 << 29
# Each topic takes almost a kilobyte beside its lines. The largest test collections have 40,000.
RUN_TOPICS = 250_000
QRELS_BYTES = 1 << 28
TOPICS_BYTES = 64 << 20
# Collections are never in memory; the limit is there for archives that unpack without end.
COLLECTION_BYTES = 64 << 30

_LIMITS = {"topic": TOPIC_BYTES, "docno": DOCNO_BYTES, "tag": TAG_BYTES}


@dataclass(frozen=True)
class LineError:
    """One thing that is wrong. `line` counts from 1; None is the file as a whole."""

    line: int | None
    detail: str
    field: str = ""


class FormatError(ValueError):
    """A file that cannot be taken: its name, its first errors in line order, and how many in all."""

    def __init__(self, file: str, errors: list[LineError], total: int | None = None) -> None:
        self.file = file
        self.errors = errors
        self.total = len(errors) if total is None else total
        super().__init__(file, errors, self.total)

    def __str__(self) -> str:
        lines = [
            f"{self.file}: {error.detail}"
            if error.line is None
            else f"{self.file}:{error.line}: {error.detail}"
            for error in self.errors
        ]
        if self.total > len(self.errors):
            lines.append(f"{self.file}: and {self.total - len(self.errors):,} more errors")
        return "\n".join(lines)


class ErrorList:
    """Gathers a file's errors while it is read, keeping the first hundred in line order and counting all."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.total = 0
        self._kept: list[LineError] = []

    def add(self, line: int | None, detail: str, field: str = "") -> None:
        self.total += 1
        self._kept.append(LineError(line, detail, field))
        # Errors of a whole list (a docno twice) are found after later lines' own: keep some, sort, cut.
        if len(self._kept) > 4 * MOST_LISTED_ERRORS:
            self._kept = self._first()
        if self.total >= GIVE_UP_AFTER:
            raise self.stopped(
                line, f"more than {GIVE_UP_AFTER - 1:,} errors: the rest of the file was not read"
            )

    def stopped(self, line: int | None, detail: str, field: str = "") -> FormatError:
        """All errors so far and one more, after which reading on makes no sense; to be raised."""
        first = self._first()[: MOST_LISTED_ERRORS - 1]
        return FormatError(self.file, [*first, LineError(line, detail, field)], self.total + 1)

    def raise_if_any(self) -> None:
        if self.total:
            raise FormatError(self.file, self._first(), self.total)

    def _first(self) -> list[LineError]:
        return heapq.nsmallest(MOST_LISTED_ERRORS, self._kept, key=lambda error: error.line or 0)


def quote(value: bytes | str) -> str:
    """A value as an error message shows it: on one line, readable whatever its bytes, and never endless."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    shown = text if len(text) <= _QUOTED else text[:_QUOTED] + "…"
    if shown.isprintable():
        return f"'{shown}'"
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown) + "'"


def what_is_wrong_with_name(field: str, name: str) -> str:
    """Why a topic, docno or tag cannot stand in a run or qrels line; empty if it can.

    Whoever reads the line again would take a name with a blank for two columns.
    """
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return f"the {field} holds half a character (a lone surrogate)"
    if not name:
        return f"the {field} is empty"
    # Readers split at the blanks of ASCII; what other scripts use as a space is part of a name.
    if any(c <= " " or c == "\x7f" for c in name):
        return f"a {field} is one word, without blanks and control characters"
    if size > _LIMITS[field]:
        return f"{field} longer than {_LIMITS[field]} bytes"
    return ""


def check_name(field: str, name: str) -> None:
    """Raises `ValueError` for a name that must not be written."""
    if reason := what_is_wrong_with_name(field, name):
        raise ValueError(f"{reason}: {name[:60]!r}")


class NoticeRow(TypedDict):
    """One thing that was noticed, how often, and what it means."""

    what: str
    count: int
    detail: str


def notice_rows(counts: Mapping[str, int], sentences: Mapping[str, tuple[str, str]]) -> list[NoticeRow]:
    """A row for each count above 0 that has a sentence; a sentence may name other counts in braces."""
    return [
        NoticeRow(what=what, count=counts[name], detail=detail.format(**counts))
        for name, (what, detail) in sentences.items()
        if counts[name]
    ]
