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
    names = list(lines[0]) if lines else []
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue().rstrip("\n")


def as_table(lines: Sequence[Line]) -> str:
    """Columns aligned: names to the left, numbers to the right with four decimals."""
    if not lines:
        return ""
    names = list(lines[0])
    cells = [names, *([_shown(line[name]) for name in names] for line in lines)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(names))]
    left = [isinstance(lines[0][name], str) for name in names]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in cells
    )


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
