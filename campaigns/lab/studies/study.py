"""Display of a study: its words, its table (for people, for Markdown pages, as plain numbers) and picture."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selection.studies.interface import PaperStudy, Point, Row, TrialMean

MARK = "†"
# Descriptions of tables and figures begin with the paper's authors and year.
PAPER = re.compile(r"[A-Z][\w ,]+? \d{4}(?=,)")


def gettext_noop(text: str) -> str:
    """Mark a title for translation; pages translate it. Django's own would tie the commands to Django."""
    return text


@dataclass(frozen=True)
class Study:
    """A study with its words and its picture.

    title : one sentence without a full stop
    table : the paper's table or figure, and the meaning of a row or mark
    kernel : trials, rows and points
    figure : a Vega-Lite specification of the points
    names : how tables show names that the kernel uses
    decimals : of the table's numbers
    """

    title: str
    table: str
    kernel: PaperStudy
    figure: Callable[[Sequence[Point]], dict[str, Any]]
    names: Mapping[str, str] = field(default_factory=dict)
    decimals: int = 3

    @property
    def paper(self) -> str:
        """Authors and year of the paper; empty for a study of this project's own."""
        named = PAPER.match(self.table)
        return named[0] if named else ""


def plain_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For CSV and JSON: numbers, each part of a mean in a field of its own."""
    made = []
    for row in rows:
        line: dict[str, Any] = {}
        for name, value in row.items():
            if isinstance(value, TrialMean):
                line[name] = value.mean
                line[f"{name} half width"] = value.half_width
                line[f"{name} marked"] = value.marked
                line["trials"] = max(value.trials, line.get("trials", 0))
            else:
                line[name] = value
        made.append(line)
    return made


def shown_rows(study: Study, rows: Sequence[Row]) -> list[dict[str, str]]:
    """For people: a mean, its interval and its mark in one cell; then how many trials they are of."""
    made = []
    for row in rows:
        line = {name: _shown(study, value) for name, value in row.items()}
        trials = [value.trials for value in row.values() if isinstance(value, TrialMean)]
        made.append(line | ({"trials": str(max(trials))} if trials else {}))
    return made


def _shown(study: Study, value: object) -> str:
    if isinstance(value, TrialMean):
        return f"{value.mean:.3f} ±{value.half_width:.3f}{MARK if value.marked else ''}"
    if isinstance(value, float):
        return f"{value:.{study.decimals}f}"
    return study.names.get(str(value), str(value))


def as_markdown(study: Study, rows: Sequence[Row]) -> str:
    shown = shown_rows(study, rows)
    names = list(dict.fromkeys(name for line in shown for name in line))
    lines = [
        names,
        ["---" if at < 2 and isinstance(rows[0].get(name), str) else "---:" for at, name in enumerate(names)],
    ]
    lines += [[line.get(name, "") for name in names] for line in shown]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
