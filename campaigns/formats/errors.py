"""Errors of a file, line by line; notices about an accepted file; limits of names."""

from __future__ import annotations

import errno
import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

MOST_LISTED_ERRORS = 100
# A file of another kind has an error on every line; no reader wants a million of them.
GIVE_UP_AFTER = 100_000
_QUOTED = 60

# The disk is full; the user, or the process, may write no more.
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

DOCNO_BYTES = 512
TOPIC_BYTES = 100
TAG_BYTES = 200
# Ranks and scores.
NUMBER_BYTES = 64
LINE_BYTES = 1 << 16
# Images and PDF, also as base64. Text takes up to four bytes a character, several times over.
DOCUMENT_BYTES = 32 << 20
TEXT_BYTES = 8 << 20
# Lists show titles whole.
TITLE_CHARACTERS = 5000
# No narrative comes near it. Threads of the site read topics, and others wait.
TOPIC_TEXT_BYTES = 1 << 19

# What a file may hold, so that reading it takes at most 300 MiB of memory.
RUN_BYTES = 1 << 29
RUN_TOPICS = 100_000
TOPICS_LINES = 2_500_000
# Comments and blank lines, which pack to nearly nothing.
RUN_COMMENTS = 100_000
# One list is in memory while it is ordered.
LIST_LINES = 1_000_000
LIST_BYTES = 64 << 20
QRELS_BYTES = 128 << 20
QRELS_LINES = 1_500_000
# Judgments with their probabilities or strata.
SAMPLE_BYTES = 64 << 20
SAMPLE_LINES = 1_000_000
TOPICS_BYTES = 64 << 20
TOPICS = 100_000
TOPICS_LINES = 2_500_000
TRAINING_BYTES = 16 << 20
TRAINING_ITEMS = 10_000
# Collections are never in memory; the limit is there for archives that unpack without end.
COLLECTION_BYTES = 64 << 30
# All files of a collection of the Lab, and the lines of its runs, which are in memory at once.
LAB_BYTES = 1 << 30
LAB_LINES = 8_000_000

_LIMITS = {"topic": TOPIC_BYTES, "docno": DOCNO_BYTES, "tag": TAG_BYTES}


@dataclass(frozen=True)
class LineError:
    """One thing that is wrong. `line` counts from 1; None is the file as a whole."""

    line: int | None
    detail: str
    field: str = ""


class FormatError(ValueError):
    """A file that cannot be taken: its name, its first errors in line order, and how many in all.

    `rest` counts the errors that are not listed by their kind, which is the field that they are about.
    `detail`: what is wrong in one sentence, where it is not simply so many errors.
    """

    detail = ""

    def __init__(
        self,
        file: str,
        errors: list[LineError],
        total: int | None = None,
        rest: Mapping[str, int] | None = None,
    ) -> None:
        self.file = file
        self.errors = errors
        self.total = len(errors) if total is None else total
        unlisted = self.total - len(errors)
        self.rest = dict(rest or ({"": unlisted} if unlisted > 0 else {}))
        super().__init__(file, errors, self.total, self.rest)

    def __str__(self) -> str:
        lines = [
            f"{self.file}: {error.detail}"
            if error.line is None
            else f"{self.file}:{error.line}: {error.detail}"
            for error in self.errors
        ]
        for kind, count in self.rest.items():
            lines.append(f"{self.file}: and {count:,} more errors" + (f" ({kind})" if kind else ""))
        return "\n".join([*([self.detail] if self.detail else []), *lines])


class ErrorList:
    """Gathers a file's errors while it is read: of each kind the first hundred in line order, and a count."""

    def __init__(self, file: str) -> None:
        self.file = file
        # What errors count from 1. Only lines are places that an editor knows; others are named in words.
        self.unit = "line"
        # Readers look at it with every record, so it is not added up each time.
        self.total = 0
        self._counts: Counter[str] = Counter()
        self._kept: dict[str, list[LineError]] = {}

    def add(self, line: int | None, detail: str, field: str = "") -> None:
        self.total += 1
        self._counts[field] += 1
        line, detail = self._placed(line, detail)
        kept = self._kept.setdefault(field, [])
        kept.append(LineError(line, detail, field))
        # Errors of a whole list (a docno twice) are found after later lines' own: keep some, sort, cut.
        if len(kept) > 4 * MOST_LISTED_ERRORS:
            self._kept[field] = _first(kept)
        self._give_up(line)

    def count(self, line: int | None, count: int, field: str) -> None:
        """Count errors that come after a hundred of their kind, and so need no words; `line` has the last."""
        self.total += count
        self._counts[field] += count
        self._give_up(line)

    def _give_up(self, line: int | None) -> None:
        if self.total >= GIVE_UP_AFTER:
            raise self.stopped(
                line, f"more than {GIVE_UP_AFTER - 1:,} errors: the rest of the file was not read"
            )

    def stopped(self, line: int | None, detail: str, field: str = "") -> FormatError:
        """All errors so far and one more, after which reading on makes no sense; to be raised."""
        line, detail = self._placed(line, detail)
        listed = self._listed()
        return FormatError(
            self.file, [*listed, LineError(line, detail, field)], self.total + 1, self._rest(listed)
        )

    def _placed(self, place: int | None, detail: str) -> tuple[int | None, str]:
        return (
            (place, detail) if self.unit == "line" or not place else (None, f"{self.unit} {place:,} {detail}")
        )

    def raise_if_any(self) -> None:
        if self._counts:
            listed = self._listed()
            raise FormatError(self.file, listed, self.total, self._rest(listed))

    def _listed(self) -> list[LineError]:
        return sorted((e for kept in self._kept.values() for e in _first(kept)), key=_line)

    def _rest(self, listed: list[LineError]) -> dict[str, int]:
        return dict(+(self._counts - Counter(error.field for error in listed)))


def _line(error: LineError) -> int:
    return error.line or 0


def _first(errors: list[LineError]) -> list[LineError]:
    return heapq.nsmallest(MOST_LISTED_ERRORS, errors, key=_line)


def quote(value: bytes | str) -> str:
    """A value as an error message shows it: on one line, readable whatever its bytes, and never endless."""
    # Of a long value, more bytes than its first characters can have: each that is no text takes long.
    text = value[: 4 * _QUOTED + 4].decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    shown = text if len(text) <= _QUOTED else text[:_QUOTED] + "…"
    if shown.isprintable():
        return f"'{shown}'"
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown) + "'"


def breaks_path(name: str) -> bool:
    """True if a name has another meaning in an address, whose steps are parted by slashes."""
    return "." in name and any(step in (".", "..") for step in name.split("/"))


def what_is_wrong_with_name(field: str, name: str) -> str:
    """Reason why a topic, docno or tag cannot stand in a run or qrels line; empty if it can.

    A reader of the line would take a name with a blank for two columns.
    """
    if breaks_path(name):
        return f"a {field} cannot be or hold the step “.” or “..”, which addresses give another meaning"
    if name.isascii() and name.isprintable() and " " not in name and 0 < len(name) <= _LIMITS[field]:
        # Nearly every name, in a tenth of the time.
        return ""
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


# Names of fields are foreign: a file of a million different ones must not fill the memory.
MOST_NOTICES, MOST_NAMED = 100, 20


class Notices:
    """Counts parts of a file that a reader leaves out, cuts or changes, each by its name.

    A reader stores every part of a record or counts it here. `unit` is the word for the records, which are
    counted in `records`; `rendered` counts those whose content was read within the limits, `costly` those
    that exceeded them.
    """

    def __init__(self, unit: str = "documents") -> None:
        self.unit, self.records, self.rendered, self.costly = unit, 0, 0, 0
        self._counts: Counter[str] = Counter()
        self._details: dict[str, str] = {}
        self._names: dict[str, list[str]] = {}
        self._foreign: set[str] = set()

    def add(self, what: str, detail: str = "", *, name: str = "", count: int = 1) -> None:
        """Count one thing. In `detail`, {names} are the first 20 `name`s, {records} the number of records."""
        self._counts[what] += count
        self._details[what] = detail
        names = self._names.setdefault(what, [])
        if name and len(names) <= MOST_NAMED and (shown := quote(name).strip("'")) not in names:
            names.append(shown)

    def add_foreign(self, what: str, detail: str, *, count: int = 1) -> None:
        """Count a thing that is called as the file has it; after 100 of these, further ones together."""
        if len(self._foreign) < MOST_NOTICES:
            self._foreign.add(what)
        if what in self._foreign:
            self.add(what, detail, count=count)
        else:
            self.add(f"other notices about {self.unit}", "Not named here: {names}", name=what, count=count)

    def unread(self, field: str, why: str = "", *, count: int = 1) -> None:
        """Count a field of a record that is not stored, and say why."""
        name = quote(field).strip("'")
        self.add_foreign(
            f"field “{name}” not read", f"In {{count}} of {{records}}. {why}".strip(), count=count
        )

    def rows(self) -> list[NoticeRow]:
        """Rows of the report, in the order in which each was first noticed."""
        return [
            NoticeRow(what=what, count=count, detail=self._detail(what, count))
            for what, count in self._counts.items()
            if count
        ]

    def _detail(self, what: str, count: int) -> str:
        names = self._names[what]
        listed = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
        records = f"{self.records:,} {self.unit}"
        values = {"{names}": listed, "{records}": records, "{count}": f"{count:,}"}
        detail = self._details[what]
        for place, value in values.items():
            detail = detail.replace(place, value)
        return detail
