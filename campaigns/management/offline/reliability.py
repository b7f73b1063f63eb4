"""The picture of how reliable stated probabilities are, for the documentation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from campaigns.figures.sheet import FONT, POINTS_A_MM
from selection.studies.coverage import Coverage
from selection.studies.prediction_trials import ANY_REGIME

FONT_SIZE = 8
INK_COLOUR, GRID_COLOUR = "#000000", "#dddddd"
# Colours that survive print and colour blindness (Okabe and Ito 2008).
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00")
PAIRS = "P(A > B)"
PICTURE_SIZE = 200
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def reliability_picture(rows: Sequence[Coverage]) -> bytes:
    """SVG: how often the likelier of two runs was better (up), by the stated probability (right). On the
    diagonal, statements are as sure as they say."""
    import altair as alt  # takes half a second to import; few processes draw
    import vl_convert  # brings 40 MB of V8

    values = [
        {"stated": row.nominal, "right": row.covered, "tried": f"{row.collection}, {row.held_out}"}
        for row in rows
        if row.statement.startswith(PAIRS) and row.regime == ANY_REGIME
    ]
    scale = alt.Scale(domain=[0.5, 1], nice=False)
    x = alt.X("stated:Q", title="stated P(A > B)", scale=scale)
    y = alt.Y("right:Q", title="share that came true", scale=scale)
    colour = alt.Color("tried:N", title=None, scale=alt.Scale(range=list(LINES)))
    base = alt.Chart(inline(values), width=PICTURE_SIZE, height=PICTURE_SIZE).encode(x=x, y=y, color=colour)
    ends = inline([{"stated": at, "right": at} for at in (0.5, 1)])
    diagonal = alt.Chart(ends).mark_line(color=GRID_COLOUR).encode(x=x, y=y)
    chart = diagonal + base.mark_line(strokeWidth=1) + base.mark_point(filled=True, size=16, opacity=1)
    specification = chart.properties().to_dict() | {"config": config()}
    # Nothing is fetched: data stand in the specification, fonts in the library.
    return _in_millimetres(vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])).encode()


def inline(values: list[dict[str, Any]]) -> Any:
    """Data that stand in the specification itself."""
    import altair as alt  # takes half a second to import; few processes draw

    return alt.Data(values=values)  # type: ignore[no-untyped-call]  # the library's own gap


def config() -> dict[str, Any]:
    text = {"labelFontSize": FONT_SIZE, "titleFontSize": FONT_SIZE, "titleFontWeight": "normal"}
    return {
        "font": FONT,
        "background": "white",
        "padding": 1,
        "view": {"stroke": None},
        "axis": {
            **text,
            "labelColor": INK_COLOUR,
            "titleColor": INK_COLOUR,
            "gridColor": GRID_COLOUR,
            "domainColor": INK_COLOUR,
            "tickColor": INK_COLOUR,
            "gridWidth": 0.5,
            "domainWidth": 0.5,
            "tickWidth": 0.5,
            "tickSize": 3,
            "labelPadding": 2,
            "titlePadding": 3,
        },
        "legend": {
            **text,
            "labelColor": INK_COLOUR,
            "symbolSize": 60,
            "rowPadding": 1,
            "labelLimit": 0,
            "offset": 4,
        },
    }


def _in_millimetres(svg: str) -> str:
    """A browser takes a bare number as 1/96 of an inch; ours are points."""

    def measured(found: re.Match[str]) -> str:
        width, height = (float(size) / POINTS_A_MM for size in found.groups())
        return f'width="{width:.2f}mm" height="{height:.2f}mm"'

    return _SIZE.sub(measured, svg, count=1)
