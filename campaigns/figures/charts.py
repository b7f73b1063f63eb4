"""Charts of commands as Vega-Lite specifications, and their rendering: 8 points, and colours that survive
print and colour blindness (Okabe and Ito 2008)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from campaigns.figures.sheet import DOTS_AN_INCH, FONT, POINTS_A_MM
from evaluation.extras import extra

FONT_SIZE = 8
INK_COLOUR, GRID_COLOUR = "#000000", "#dddddd"
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00")
GREY = "#888888"
DASHES = ([1, 0], [4, 2], [1, 1], [6, 2, 1, 2], [2, 2], [8, 2], [3, 1])
CHART_TYPES = ("svg", "pdf", "png", "json")
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


class _Altair:
    """The library, imported at its first use: that takes half a second, and few processes draw."""

    def __getattr__(self, name: str) -> Any:
        with extra("figures"):
            import altair

        return getattr(altair, name)


alt: Any = _Altair()


def points(millimetres: float) -> float:
    return millimetres * POINTS_A_MM


def inline(values: list[dict[str, Any]]) -> Any:
    """Data that stand in the specification itself."""
    return alt.Data(values=values)


def canvas(values: Sequence[Mapping[str, Any]], width: float, height: float) -> Any:
    """A chart of these values without marks, so many millimetres wide and high."""
    return alt.Chart(inline([dict(one) for one in values]), width=points(width), height=points(height))


def panel_title(text: str) -> Any:
    return alt.TitleParams(text, fontSize=FONT_SIZE, fontWeight="normal", anchor="start", offset=3)


def names_of(values: Sequence[Mapping[str, Any]], field: str) -> list[str]:
    """The different values of a field, in the order of their first points."""
    return list(dict.fromkeys(str(one[field]) for one in values))


def legend(columns: int, title: str | None = None, **more: Any) -> Any:
    """The legend below a figure, of strokes unless `more` names another symbol."""
    return alt.Legend(title=title, orient="bottom", columns=columns, **({"symbolType": "stroke"} | more))


def colour(
    field: str, names: Sequence[str], *, of: Sequence[str] = LINES, title: str | None = None, **more: Any
) -> Any:
    """The colour of each name, in turn from `of`; `more`: of the legend."""
    key = legend(**({"columns": len(names), "title": title} | more))
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=list(names), range=in_turn(of, names)), legend=key)


def dash(
    field: str,
    names: Sequence[str],
    *,
    of: Sequence[Sequence[int]] = DASHES,
    title: str | None = None,
    **more: Any,
) -> Any:
    """The dash of each name, in turn from `of`; `more`: of the legend."""
    key = legend(**({"columns": len(names), "title": title} | more))
    scale = alt.Scale(domain=list(names), range=in_turn(of, names))
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=key)


def look(
    field: str,
    names: Sequence[str],
    *,
    colours: Sequence[str] = LINES,
    dashes: Sequence[Sequence[int]] = DASHES,
    **more: Any,
) -> dict[str, Any]:
    """Colour and dash of each name, with one legend below; `more`: of the legend."""
    return {
        "color": colour(field, names, of=colours, **more),
        "strokeDash": dash(field, names, of=dashes, **more),
    }


def in_turn(some: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """One of `some` for each name, from the beginning again where there are more names."""
    return [some[place % len(some)] for place, _ in enumerate(names)]


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


def finished(chart: Any) -> dict[str, Any]:
    """The chart's specification, in this style."""
    specification: dict[str, Any] = chart.properties(autosize={"type": "pad"}).configure(**config()).to_dict()
    return specification


def render_chart(specification: dict[str, Any], kind: str) -> bytes:
    """The chart in one of `CHART_TYPES`; a point of the specification is one of the picture."""
    if kind == "json":
        return json.dumps(specification, indent=1, ensure_ascii=False).encode() + b"\n"
    with extra("figures"):
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

    def measured(match: re.Match[str]) -> str:
        width, height = (float(size) / POINTS_A_MM for size in match.groups())
        return f'width="{width:.2f}mm" height="{height:.2f}mm"'

    return _SIZE.sub(measured, svg, count=1)
