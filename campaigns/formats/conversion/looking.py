"""Columns and first rows of a table, by pieces of its file, read by the process of conversion."""

from __future__ import annotations

import json
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from campaigns.formats.conversion.converted import conversion_order, start_conversion
from campaigns.formats.errors import COLLECTION_BYTES
from campaigns.formats.recognition.columns import table_kinds
from campaigns.formats.recognition.content import TABLES, Kind, Layout, Recognition
from campaigns.formats.recognition.heads import HEAD_BYTES, unpacked_head
from campaigns.formats.recognition.roles import ColumnChoice

Piece = tuple[int, int]
# Of all pieces of a file that are looked at.
PIECES_BYTES = 12 << 20
_FOOTER_BYTES = 4 << 20
_SECONDS = 20
_PARQUET_END = struct.Struct("<L4s")


@dataclass(frozen=True)
class TableLook:
    """The columns of a table, its first rows, the column of each role of its kind, and the roles that are
    `missing`, of several together one. `refusal`: why it cannot be read so. `lines` are its first rows as its
    reader takes them. `pieces`: places of the file with which more would be found."""

    found: Recognition
    lines: bytes = b""
    names: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    missing: list[list[str]] = field(default_factory=list)
    refusal: str = ""
    pieces: list[Piece] = field(default_factory=list)


def look_at_table(
    found: Recognition, content: bytes, size: int, pieces: Sequence[Piece], choice: ColumnChoice
) -> TableLook | None:
    """Look at a file of which `content` are `pieces`, one after the other, the first from its beginning; None
    if it is no table."""
    if not _is_table(found, content):
        return None
    pieces = pieces or [(0, len(content))]
    if size > COLLECTION_BYTES or pieces[-1][1] > size or len(content) != _size_of(pieces):
        return TableLook(found)
    if found.layout in (Layout.PARQUET, Layout.ARROW):
        if unpacked_head(content) is not content:
            # Pieces of packed files show nothing.
            return TableLook(found)
        if wanted := _wanted_pieces(found.layout, content, size, pieces):
            return TableLook(found, pieces=wanted)
    else:
        text = unpacked_head(content[: pieces[0][1]])
        is_whole = text is content and len(content) >= size
        is_lines = found.layout is not Layout.JSON_LIST and b"\n" in text
        content = text if is_whole or not is_lines else text[: text.rindex(b"\n") + 1]
        size, pieces = len(content), [(0, len(content))]
    return _looked(found, content, size, pieces, choice)


def _size_of(pieces: Sequence[Piece]) -> int:
    return sum(end - begin for begin, end in pieces)


def _is_table(found: Recognition, content: bytes) -> bool:
    if found.layout in TABLES or found.layout is Layout.JSON:
        return True
    is_named = bool(found.columns) or any(table_kinds(unpacked_head(content).split(b"\n", 1)[0]))
    return found.layout is Layout.TABS and is_named


def _wanted_pieces(layout: Layout, content: bytes, size: int, pieces: Sequence[Piece]) -> list[Piece]:
    """The places without which no column is found: Parquet has its columns at the end, Arrow begins with
    them."""
    if layout is Layout.ARROW:
        wanted = (0, min(size, PIECES_BYTES))
    elif pieces[-1][1] < size:
        wanted = (max(size - HEAD_BYTES, 0), size)
    else:
        length, _ = _PARQUET_END.unpack(content[-_PARQUET_END.size :].rjust(_PARQUET_END.size, b"\0"))
        if length > _FOOTER_BYTES:
            return []
        wanted = (max(size - _PARQUET_END.size - length, 0), size)
    is_there = any(begin <= wanted[0] and wanted[1] <= end for begin, end in pieces)
    return [] if is_there else _joined([(0, min(HEAD_BYTES, size)), wanted])


def _looked(
    found: Recognition, content: bytes, size: int, pieces: Sequence[Piece], choice: ColumnChoice
) -> TableLook:
    kind = "" if found.kind is Kind.UNKNOWN else found.kind.value
    order = {**conversion_order(found.layout, kind, "", choice), "look": True, "pieces": list(pieces)}
    with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as report:
        file.truncate(size)
        at = 0
        for begin, end in pieces:
            file.seek(begin)
            file.write(content[at : (at := at + end - begin)])
        file.seek(0)
        process = start_conversion(file, report, order)
        try:
            lines, _ = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return TableLook(found)
        report.seek(0)
        said = _report(report.read())
    return _as_look(found, lines, said, pieces)


def _report(content: bytes) -> dict[str, Any]:
    try:
        return dict(json.loads(content)["look"])
    except (ValueError, KeyError):
        return {}


def _as_look(found: Recognition, lines: bytes, said: dict[str, Any], pieces: Sequence[Piece]) -> TableLook:
    if not said:
        return TableLook(found)
    kind = Kind(said["kind"]) if said["kind"] else Kind.UNKNOWN
    first_values = [(begin, end) for begin, end in said["pieces"]]
    # The kind stands at the beginning, and the columns at the end.
    asked = [pieces[0], *first_values, pieces[-1]] if first_values else []
    return TableLook(
        replace(found, kind=kind),
        lines,
        said["names"],
        said["rows"],
        said["roles"],
        said["missing"],
        said["refusal"],
        _joined(asked),
    )


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Pieces that overlap or touch as one, and no more of them than are looked at."""
    joined: list[Piece] = []
    for begin, end in sorted(pieces):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
