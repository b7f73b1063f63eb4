"""Figures for papers as Vega-Lite specifications, and their rendering.

All have a two-column paper's widths, 8 points, and colours that survive print and colour blindness (Okabe and
Ito 2008).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

from campaigns.core.decimals import rounded_down, rounded_up

# Of one column, and of both.
WIDTHS = (84, 178)
POINTS_A_MM = 72 / 25.4
FONT_SIZE = 8
# Comes with vl-convert: with a font that is not there, a PDF would have no letters at all.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
INK_COLOUR, GRID_COLOUR, RANGE_COLOUR, MARK_COLOUR = "#000000", "#dddddd", "#9ecae9", "#d55e00"
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00")
DASHES = ([1, 0], [4, 2], [1, 1], [6, 2, 1, 2], [2, 2], [8, 2], [3, 1])


def points(millimetres: float) -> float:
    return millimetres * POINTS_A_MM


def inline(values: list[dict[str, Any]]) -> Any:
    """Data that stand in the specification itself."""
    import altair as alt  # takes half a second to import; few processes draw

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


STEP = FONT_SIZE + 1.5
# Rows that fit below each other with the axis, and points that a range needs at least.
TALLEST, NARROWEST = 62, 38
GAP = 8


@dataclass(frozen=True)
class RangeRow:
    """`mark` lies between `low` and `high`."""

    name: str
    low: float
    mark: float
    high: float


def ranges_chart(rows: Sequence[RangeRow], *, width: int, title: str, mark: str) -> dict[str, Any]:
    """A Vega-Lite specification, `width` millimetres wide: a bar from low to high and a diamond at the mark,
    row by row in the order given. `title` says what is measured, `mark` what the diamond is."""
    import altair as alt  # takes half a second to import; few processes draw

    columns = _columns(rows, points(width))
    each = ceil(len(rows) / columns)
    names = _room(rows)
    inside = (points(width) - 2 - GAP * (columns - 1)) / columns - names
    domain = [min([0.0, *(row.low for row in rows)]), max([*(row.high for row in rows), 0.01])]
    axis = alt.Axis(tickCount=max(2, int(inside // 25)), titleAnchor="end")
    x = alt.X("low:Q", title=title, scale=alt.Scale(domain=domain, nice=False), axis=axis)
    parts = []
    for first in range(0, len(rows), each):
        some = rows[first : first + each]
        # A name may be there twice, as a topic's may; rows are told apart by their place.
        values = [
            {"place": first + at, "words": _in_words(row, mark), **asdict(row)} for at, row in enumerate(some)
        ]
        labels = alt.Axis(
            title=None,
            grid=False,
            ticks=False,
            domain=False,
            labelLimit=0,
            minExtent=names,
            maxExtent=names,
            labelExpr=f"{json.dumps([row.name for row in some])}[datum.value - {first}] || ''",
        )
        # All columns are equally high, also the last.
        y = alt.Y("place:O", axis=labels, scale=alt.Scale(domain=list(range(first, first + each))))
        base = alt.Chart(inline(values), width=inside, height=alt.Step(STEP))
        parts.append(
            base.mark_bar(size=5, color=RANGE_COLOUR, stroke=INK_COLOUR, strokeWidth=0.3).encode(
                y=y, x=x, x2="high:Q", description="words:N"
            )
            + base.mark_point(shape="diamond", size=16, color=MARK_COLOUR, filled=True, opacity=1).encode(
                y=y, x="mark:Q", description="words:N"
            )
        )
    chart = alt.hconcat(*parts, spacing=GAP) if len(parts) > 1 else parts[0]
    return _finished(chart, mark)


def _in_words(row: RangeRow, mark: str) -> str:
    """For screen readers. Figures are kept for readers of any language, so their numbers follow none."""
    low, high = rounded_down(row.low), rounded_up(row.high)
    return f"{row.name}: {low:z.3f} to {high:z.3f}, {mark} {row.mark:z.3f}"


def _columns(rows: Sequence[RangeRow], width: float) -> int:
    """As few as keep the figure on one page; fewer if the names would leave no room."""
    wanted = max(ceil(len(rows) / TALLEST), 1)
    while wanted > 1 and (width - GAP * (wanted - 1)) / wanted - _room(rows) < NARROWEST:
        wanted -= 1
    return wanted


def _room(rows: Sequence[RangeRow]) -> float:
    return max((length(row.name) for row in rows), default=0) + 4


def _finished(chart: Any, mark: str) -> dict[str, Any]:
    said: dict[str, Any] = (
        chart.properties(usermeta={"diamond": mark}, autosize={"type": "pad"}).configure(**config()).to_dict()
    )
    return said


HEIGHT_MM = 52
# What stands left of the picture: the axis, its labels and its title.
LEFT = 38
MOST_CHART_CURVES = len(LINES)


@dataclass(frozen=True)
class ChartCurve:
    """One run: `judged` documents, and base and residual by then."""

    name: str
    judged: Sequence[int]
    base: Sequence[float]
    residual: Sequence[float]


def curves_chart(found: Sequence[ChartCurve], *, width: int, title: str) -> dict[str, Any]:
    """A Vega-Lite specification, `width` millimetres wide: for each run its base as a line, and from there to
    its top as a wash. At most `MOST_CHART_CURVES` can be told apart."""
    import altair as alt  # takes half a second to import; few processes draw

    if len(found) > MOST_CHART_CURVES:
        raise ValueError(f"{len(found)} curves cannot be told apart, {MOST_CHART_CURVES} can")
    values = [
        {"run": one.name, "judged": judged, "base": base, "top": base + residual}
        for one in found
        for judged, base, residual in zip(one.judged, one.base, one.residual, strict=True)
    ]
    names = [one.name for one in found]
    longest = max((length(name) for name in names), default=0) + 24
    fitting = max(1, int((points(width) - LEFT) // longest))
    legend = alt.Legend(
        title=None, orient="bottom", columns=fitting, symbolType="stroke", symbolStrokeWidth=1.5
    )
    colours = alt.Scale(domain=names, range=list(LINES))
    colour, fill = (
        alt.Color("run:N", scale=colours, legend=legend),
        alt.Fill("run:N", scale=colours, legend=None),
    )
    dash = alt.StrokeDash("run:N", scale=alt.Scale(domain=names, range=list(DASHES)), legend=legend)
    x = alt.X("judged:Q", title="documents judged", scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=5))
    y = alt.Y("base:Q", title=title, axis=alt.Axis(tickCount=5, minExtent=LEFT - 14, maxExtent=LEFT - 14))
    base = alt.Chart(inline(values), width=points(width) - LEFT, height=points(HEIGHT_MM))
    chart = base.mark_area(opacity=0.1).encode(
        x=x, y=y, y2="top:Q", fill=fill, description="run:N"
    ) + base.mark_line(strokeWidth=1.2).encode(x=x, y=y, color=colour, strokeDash=dash, description="run:N")
    # Else the washes, which have no legend, take that of the lines away.
    chart = chart.resolve_legend(fill="independent")
    said: dict[str, Any] = chart.properties(autosize={"type": "pad"}).configure(**config()).to_dict()
    return said


DOTS_AN_INCH = 300
FIGURE_TYPES = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "json": "application/json",
}
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def render_chart(specification: dict[str, Any], kind: str) -> bytes:
    """The figure in one of `FIGURE_TYPES`; a point of the specification is one of the figure."""
    if kind == "json":
        return json.dumps(specification, indent=1, ensure_ascii=False).encode() + b"\n"
    import vl_convert  # brings 40 MB of V8; few processes draw

    # Nothing is fetched: data stand in the specification, fonts in the library.
    nowhere: dict[str, Any] = {"allowed_base_urls": []}
    if kind == "svg":
        return _in_millimetres(vl_convert.vegalite_to_svg(specification, **nowhere)).encode()
    if kind == "pdf":
        return vl_convert.vegalite_to_pdf(specification, **nowhere)
    return vl_convert.vegalite_to_png(specification, ppi=DOTS_AN_INCH, **nowhere)


def _in_millimetres(svg: str) -> str:
    """A browser takes a bare number as 1/96 of an inch; ours are points."""

    def measured(found: re.Match[str]) -> str:
        width, height = (float(size) / POINTS_A_MM for size in found.groups())
        return f'width="{width:.2f}mm" height="{height:.2f}mm"'

    return _SIZE.sub(measured, svg, count=1)
