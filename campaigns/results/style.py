"""What all figures have in common: a two-column paper's widths, 8 points, colours that survive print and
colour blindness (Okabe and Ito 2008)."""

from __future__ import annotations

from math import ceil
from typing import Any

# Of one column, and of both.
WIDTHS = (84, 178)
POINTS_A_MM = 72 / 25.4
FONT_SIZE = 8
# Comes with vl-convert: with a font that is not there, a PDF would have no letters at all.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
INK, GRID, RANGE, MARK = "#000000", "#dddddd", "#9ecae9", "#d55e00"
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00")
DASHES = ([1, 0], [4, 2], [1, 1], [6, 2, 1, 2], [2, 2], [8, 2], [3, 1])


def points(millimetres: float) -> float:
    return millimetres * POINTS_A_MM


def inline(values: list[dict[str, Any]]) -> Any:
    """Data that stand in the specification itself."""
    import altair as alt

    return alt.Data(values=values)  # type: ignore[no-untyped-call]  # the library's own gap


def length(text: str) -> int:
    """How many points a text takes at most, about: names are given room before they are drawn."""
    return ceil(FONT_SIZE * sum(_letter(letter) for letter in text))


def _letter(letter: str) -> float:
    if letter in "iljt.,:;|!'-()/ ":
        return 0.35
    if letter in "mwMW@%" or ord(letter) > 0x2000:
        return 0.95
    return 0.74 if letter.isupper() else 0.57


def config() -> dict[str, Any]:
    text = {"labelFontSize": FONT_SIZE, "titleFontSize": FONT_SIZE, "titleFontWeight": "normal"}
    return {
        "font": FONT,
        "background": "white",
        "padding": 1,
        "view": {"stroke": None},
        "axis": {
            **text,
            "labelColor": INK,
            "titleColor": INK,
            "gridColor": GRID,
            "domainColor": INK,
            "tickColor": INK,
            "gridWidth": 0.5,
            "domainWidth": 0.5,
            "tickWidth": 0.5,
            "tickSize": 3,
            "labelPadding": 2,
            "titlePadding": 3,
        },
        "legend": {
            **text,
            "labelColor": INK,
            "symbolSize": 60,
            "rowPadding": 1,
            "labelLimit": 0,
            "offset": 4,
        },
    }
