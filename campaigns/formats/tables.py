"""Rows as CSV (RFC 4180, a header first) or as one JSON object a line, made as they are asked for."""

from __future__ import annotations

import csv
import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

TableRow = Mapping[str, Any]


class _Line:
    """What csv writes to: the last line, and nothing else."""

    def write(self, text: str) -> None:
        self.text = text


def csv_lines(columns: Sequence[str], rows: Iterable[TableRow]) -> Generator[str]:
    """Numbers are written with the digits that give them back to the last bit; what is not known is empty."""
    line = _Line()
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
    return value.isoformat() if isinstance(value, datetime) else value


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
