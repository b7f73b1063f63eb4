"""Documents and topics in memory as records: data frames, dictionaries, named tuples."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.recognition.column_names import listed_names
from campaigns.formats.recognition.roles import ROLES, roles_of, what_is_missing, wrong_choice
from evaluation.extras import extra
from judged.sources import is_frame

Record = Mapping[str, Any]


def records_of(source: object, kind: str, names: tuple[str, str], chosen: Mapping[str, str]) -> list[Record]:
    """One record a row. `names`: the fields that {id: text} has. `chosen`: columns by their roles.

    Raises
    ------
    FormatError : no row, a column that is needed and lacks, or a choice that is none of the columns.
    TypeError : another type.
    """
    rows = _rows(source, names)
    if rows is None or not all(isinstance(row, Mapping) for row in rows):
        given = type(source).__name__
        known = "a path, a data frame, a dictionary, dictionaries or named tuples"
        raise TypeError(f"{kind} are {given}; give {known}")
    if not rows:
        raise FormatError(kind, [LineError(None, "no row in it")])
    _check_columns(kind, rows, chosen)
    return rows


def _rows(source: object, names: tuple[str, str]) -> list[Any] | None:
    if isinstance(source, Mapping):
        return [
            {names[0]: key, **(value if isinstance(value, Mapping) else {names[1]: value})}
            for key, value in source.items()
        ]
    if is_frame(source):
        with extra("frames"):
            import narwhals as nw

        frame: Any = source
        return list(nw.from_native(frame, eager_only=True).iter_rows(named=True))
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return [row._asdict() if hasattr(row, "_asdict") else row for row in source]
    return None


def _check_columns(kind: str, rows: Sequence[Record], chosen: Mapping[str, str]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    problem = wrong_choice(kind, names, chosen)
    for some in what_is_missing(kind, "a data frame", names, roles_of(kind, names, chosen)):
        wanted = ", ".join(name for role in some for name in ROLES[kind][role])
        problem = problem or f"no {' or '.join(some)}: one of {wanted} (in any case, with any signs)"
    if problem:
        raise FormatError(kind, [LineError(None, f"columns {listed_names(names)}: {problem}")])


def json_line(row: Record) -> str:
    """A record as a line of JSON, without the fields that are missing.

    >>> json_line({"docno": "d1", "text": "Ähm", "year": float("nan"), "url": None})
    '{"docno": "d1", "text": "Ähm"}\\n'
    """
    there = {name: value for name, value in row.items() if not _is_missing(value)}
    return json.dumps(there, ensure_ascii=False, default=_plain) + "\n"


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as those of Python; anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
