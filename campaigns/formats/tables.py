"""Rows as CSV (RFC 4180, a header first), as JSON lines or as Parquet, made as they are asked for."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from evaluation.extras import extra

TableRow = Mapping[str, Any]
# The type of each column, in their order: str, int, float, bool or datetime.
Columns = Mapping[str, type]


class FileFormat(StrEnum):
    """Formats in which a table is written; TREC's lines are its users' matter."""

    TREC = "trec"
    CSV = "csv"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"

    @property
    def ending(self) -> str:
        return "txt" if self is FileFormat.TREC else self.value

    @property
    def content_type(self) -> str:
        return _CONTENT_TYPES[self]


_CONTENT_TYPES = {
    FileFormat.TREC: "text/plain; charset=utf-8",
    FileFormat.CSV: "text/csv; charset=utf-8",
    FileFormat.JSON_LINES: "application/x-ndjson; charset=utf-8",
    FileFormat.PARQUET: "application/vnd.apache.parquet",
}


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


class PieceBuffer:
    """A file that only grows, and is taken away from the front."""

    closed = False

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, data: bytes | memoryview) -> int:
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        pass

    def take(self, least: int = 1) -> Iterator[bytes]:
        if len(self._waiting) >= least:
            yield bytes(self._waiting)
            self._waiting.clear()


# Of a row group, which is in memory as a whole: rows, and characters of their texts.
_GROUP_ROWS, _GROUP_CHARACTERS = 20_000, 4 << 20


def parquet_pieces(columns: Columns, rows: Iterable[TableRow]) -> Generator[bytes]:
    """A Parquet file, a row group at a time. Times are microseconds in UTC."""
    # Slow to import, and few who run this program need it.
    with extra("tables"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    types[datetime] = pa.timestamp("us", tz="UTC")
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    buffer = PieceBuffer()
    with pq.ParquetWriter(buffer, schema, compression="zstd") as writer:
        for group in _groups(rows):
            table = pa.table([[row[name] for row in group] for name in columns], schema=schema)
            writer.write_table(table)
            yield from buffer.take()
    yield from buffer.take()


def _groups(rows: Iterable[TableRow]) -> Iterator[list[TableRow]]:
    group: list[TableRow] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(group) == _GROUP_ROWS or size > _GROUP_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else csv_cell(value)


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
