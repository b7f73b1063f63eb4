"""What commands print: numbers for people in tables, in full for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

Line = Mapping[str, Any]


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)


def as_csv(lines: Sequence[Line]) -> str:
    out = io.StringIO()
    names = _columns(lines)
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue().rstrip("\n")


def as_table(lines: Sequence[Line]) -> str:
    """Columns aligned: names to the left, numbers to the right with four decimals. A line that lacks a
    column of others has nothing there."""
    if not lines:
        return ""
    names = _columns(lines)
    cells = [names, *([_shown(line.get(name)) for name in names] for line in lines)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    left = [isinstance(lines[0].get(name), str) for name in names]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in cells
    )


def _columns(lines: Sequence[Line]) -> list[str]:
    """All names, in the order in which they first come."""
    return list(dict.fromkeys(name for line in lines for name in line))


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
