"""Rows of a table as lines that the readers of runs, qrels, topics and documents take."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import islice, repeat
from typing import Any

from campaigns.formats.conversion.sources import Row, Table, Unreadable
from campaigns.formats.errors import MOST_LISTED_ERRORS, quote, what_is_wrong_with_name
from campaigns.formats.recognition.column_names import (
    MEANINGLESS,
    plain,
    roles_by_width,
)
from campaigns.formats.recognition.roles import folded_title

_NAMES_OF_TREE: dict[str, dict[str, int]] = {
    "run": {"topic": 0, "docno": 1, "score": 2},
    "qrels": {"topic": 0, "docno": 1, "grade": 2},
}
NO_TITLES: Mapping[str, list[str]] = {}
_MOST_SHOWN, _LONGEST_SHOWN = 50, 400
_RANK = re.compile(r"[+-]?[0-9]{1,18}")
# Columns of lines without a header, by their number.
_BY_WIDTH: dict[str, dict[int, list[str]]] = {
    "documents": {
        2: ["docno", "text"],
        3: ["docno", "title", "text"],
        4: ["docno", "url", "title", "text"],
    },
    "topics": {
        2: ["number", "title"],
        3: ["number", "title", "description"],
        4: ["number", "title", "description", "narrative"],
    },
}


@dataclass
class Report:
    """Findings while a file is converted: `errors` as (row, field, sentence), and how many there were in
    `total`; `unread` counts values of columns that no line holds."""

    errors: list[tuple[int, str, str]] = field(default_factory=list)
    total: int = 0
    rows: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    ranks_for_scores: bool = False
    without_ranks: bool = False
    # Columns of the file, and those that were chosen; of its beginning, what is shown of it.
    names: list[str] = field(default_factory=list)
    chosen: dict[str, str] = field(default_factory=dict)
    look: dict[str, Any] = field(default_factory=dict)

    def add(self, place: int, detail: str, about: str) -> None:
        self.total += 1
        if len(self.errors) < MOST_LISTED_ERRORS:
            self.errors.append((place, about, detail))


def trec_lines(
    table: Table,
    kind: str,
    columns: Mapping[str, str],
    tag: str,
    report: Report,
    titles: Mapping[str, list[str]],
) -> Iterator[str]:
    """Each row as a line of a run or of qrels; `columns` are those of its roles. Empty lines stand for the
    header and rows that are wrong or empty, so that the number of a line is that of its row.

    Raises
    ------
    Unreadable : columns whose roles are unknown.
    """
    places = _places(table, kind, columns)
    report.ranks_for_scores = kind == "run" and "score" not in places
    report.without_ranks = kind == "run" and "rank" not in places
    used = set(places.values())
    left_out = [
        (place, name)
        for place, name in enumerate(table.names)
        if place not in used and plain(name) not in MEANINGLESS
    ]
    lines = 0
    for place, values in table.rows:
        report.rows += 1
        # Rows that a reader passed over are near each other.
        yield from repeat("", place - lines - 1)
        lines = place
        for column, name in left_out:
            report.unread[name] += values[column] not in (None, "") if column < len(values) else 0
        try:
            cells = {role: word_of(role, values[column], titles) for role, column in places.items()}
            yield _run_line(cells, tag) if kind == "run" else _qrels_line(cells)
        except IndexError:
            wanted = len(table.names) or max(places.values()) + 1
            report.add(place, f"{len(values)} columns where the first row has {wanted}", "")
            yield ""
        except WrongValue as error:
            report.add(place, str(error), error.role)
            yield ""
    report.unread.update(table.unread)


def json_rows(table: Table, kind: str, chosen: Mapping[str, str], report: Report) -> Iterator[str]:
    """Each row as an object of one line under the names of its columns; `chosen` gives the column of a field.
    Without names, columns are those of lines between tabs.

    Raises
    ------
    Unreadable : columns without names.
    """
    width = 0 if table.names else len((table.sample() or [[]])[0])
    names = table.names or _BY_WIDTH.get(kind, {}).get(width, [])
    if not names:
        raise Unreadable("columns without names: name them in a first row")
    names = _field_names(names, chosen)
    lines = 0
    for place, values in table.rows:
        report.rows += 1
        yield from repeat("", place - lines - 1)
        lines = place
        if len(values) != len(names):
            report.add(place, f"{len(values)} columns where the first row has {len(names)}", "")
            yield ""
        else:
            yield _object(zip(names, values, strict=True), report)
    report.unread.update(table.unread)


def first_rows(table: Table) -> list[list[str]]:
    """The beginnings of the first values, by which the kind of a table is guessed."""
    rows = []
    # Names alone may show the kind; its reader says what is wrong with a row.
    with suppress(Unreadable):
        for _, values in islice(table.rows, _MOST_SHOWN):
            rows.append(["" if value is None else str(value)[:_LONGEST_SHOWN] for value in values])
    return rows


def json_objects(objects: Iterable[Row], chosen: Mapping[str, str], report: Report) -> Iterator[str]:
    """Each object on a line, its fields renamed as `chosen`."""
    for place, one in objects:
        report.rows += 1
        if isinstance(one, dict):
            yield _object(zip(_field_names([*one], chosen), one.values(), strict=True), report)
        else:
            report.add(place, f"is no object: {quote(repr(one)[:80])}", "")
            yield ""


def _field_names(names: Sequence[str], chosen: Mapping[str, str]) -> list[str]:
    """Names of fields, those that were chosen first. Two columns of one name have numbered ones."""
    renamed = {column: role for role, column in chosen.items()}
    found = {names.index(column): role for column, role in renamed.items() if column in names}
    taken, last_number = set(found.values()), dict.fromkeys(names, 1)
    for place, name in enumerate(names):
        if place in found:
            continue
        found[place] = name
        # A header may be one name, a million times: each number is tried once.
        while found[place] in taken:
            last_number[name] += 1
            found[place] = f"{name} {last_number[name]}"
        taken.add(found[place])
    return [found[place] for place in range(len(names))]


def _object(fields: Iterable[tuple[str, Any]], report: Report) -> str:
    kept = {}
    for name, value in fields:
        if isinstance(value, bytes):
            report.unread[name] += 1
        # Where a number lacks, pandas has one that is not equal to itself.
        elif value is not None and value != "" and value == value:
            kept[name] = value
    return json.dumps(kept, ensure_ascii=False, default=_plain)


class WrongValue(ValueError):
    """A value that its column cannot have; `role` is that of the column."""

    def __init__(self, role: str, detail: str) -> None:
        self.role = role
        super().__init__(detail)


def _places(table: Table, kind: str, columns: Mapping[str, str]) -> dict[str, int]:
    if columns:
        return {role: table.names.index(name) for role, name in columns.items()}
    if table.names:
        return _NAMES_OF_TREE[kind]
    try:
        return roles_by_width(kind, table.sample())
    except ValueError as error:
        raise Unreadable(str(error)) from error


def word_of(role: str, value: Any, titles: Mapping[str, list[str]] = NO_TITLES) -> str:
    """A value as a word of a line; numbers with the digits that give them back to the last bit. A topic may
    be named by its title."""
    if role == "topic" and titles and isinstance(value, str):
        value = _number_of_topic(value, titles)
    if role in ("topic", "docno", "tag"):
        return _name(role, value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, str)):
        raise WrongValue(
            role, f"no {role}" if value is None else f"{role} is no number: {quote(repr(value))}"
        )
    text = str(value).strip()
    if not text or len(text.split()) > 1:
        raise WrongValue(role, f"{role} is no number: {quote(text)}" if text else f"no {role}")
    return text


def _number_of_topic(value: str, titles: Mapping[str, list[str]]) -> str:
    named = titles.get(folded_title(value), [])
    if value.strip() in named:
        return value
    if len(named) > 1:
        raise WrongValue("topic", f"topics {' and '.join(named[:2])} are called {quote(value)}")
    if not named and len(value.split()) > 1:
        raise WrongValue("topic", f"no topic has the title {quote(value)}")
    return named[0] if named else value


def _name(role: str, value: Any) -> str:
    # Where a value lacks, pandas makes floats of whole numbers.
    whole = isinstance(value, float) and value.is_integer()
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return str(value)
    if whole or isinstance(value, str):
        text = str(int(value)) if whole else value.strip()
        kind = "tag" if role == "tag" else role
        if reason := what_is_wrong_with_name(kind, text):
            raise WrongValue(role, f"{reason}: {quote(text)}" if text else f"no {role}")
        return text
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    raise WrongValue(
        role, f"no {role}" if missing else f"{role} is neither text nor whole: {quote(repr(value))}"
    )


def _run_line(cells: Mapping[str, str], tag: str) -> str:
    rank = cells.get("rank", "0")
    score = cells.get("score")
    if score is None:
        if not _RANK.fullmatch(rank):
            raise WrongValue("rank", f"rank is no whole number: {quote(rank)}")
        score = str(-int(rank))
    return f"{cells['topic']} Q0 {cells['docno']} {rank} {score} {cells.get('tag', tag)}"


def _qrels_line(cells: Mapping[str, str]) -> str:
    return f"{cells['topic']} 0 {cells['docno']} {cells['grade']}"


def _plain(value: Any) -> Any:
    """A value that JSON has no form for."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    # Bytes inside a value, as of pictures: an object is no text, and its field is named as not read.
    return {} if isinstance(value, bytes) else str(value)
