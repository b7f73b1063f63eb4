"""Figures of rows of which only some were measured. What is missing is rarely a fair part: a queue has no age
while the worker is away, and a judgment no time where no screen counted it."""

from __future__ import annotations

# Below this share of measured rows no figure is stated.
LEAST_MEASURED = 0.8


def is_measured(measured: int, rows: int) -> bool:
    """True if a figure of the measured rows stands for all rows."""
    return measured > 0 and measured >= LEAST_MEASURED * rows


def where_measured(figure: str, measured: str, rows: str) -> str:
    """In SQL: the aggregate, or NULL unless so many of the rows (a column that all of them have) are
    measured (a column that is NULL in the others)."""
    return f"CASE WHEN count({measured}) >= {LEAST_MEASURED} * count({rows}) THEN {figure} END"
