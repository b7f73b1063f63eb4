"""Rows as CSV (RFC 4180, a header first) or as one JSON object a line, made as they are asked for."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

TableRow = Mapping[str, Any]


# Python and Postgres read these alike. Spreadsheets compute a cell that begins so, also in full width.
FORMULA = "^[=+@\t\r\n＝＋－＠-]"
NUMBER = r"^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"
GUARD = "'"
_FORMULA, _NUMBER = re.compile(FORMULA), re.compile(NUMBER)


def csv_cell(value: Any) -> Any:
    """A value as a spreadsheet may open it: text that would be computed begins with an apostrophe.

    Numbers stay as they are, also as text: `-0.5` is one, `-0.5+1` is not.

    Examples
    --------
    >>> [csv_cell(value) for value in ("=1+1", "@SUM(A1)", "-0.5", -0.5, "a-b", None)]
    ["'=1+1", "'@SUM(A1)", '-0.5', -0.5, 'a-b', None]
    """
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return GUARD + value
    return value


class _LineBuffer:
    """Target of the csv writer: holds only the last line."""

    def write(self, text: str) -> None:
        self.text = text


def csv_lines(columns: Sequence[str], rows: Iterable[TableRow]) -> Generator[str]:
    """Numbers are written with the digits that give them back to the last bit; what is not known is empty.
    Text is guarded (`csv_cell`)."""
    line = _LineBuffer()
    writer = csv.writer(line)
    writer.writerow(columns)
    yield line.text
    for row in rows:
        writer.writerow([_cell(row[column]) for column in columns])
        yield line.text


def json_lines(rows: Iterable[TableRow]) -> Generator[str]:
    for row in rows:
        yield json.dumps(row, default=_plain, ensure_ascii=False) + "\n"


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else csv_cell(value)


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
