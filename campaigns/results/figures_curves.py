"""How scores settle while judgments come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.results.style import DASHES, LINES, config, inline, length, points

HEIGHT_MM = 52
# What stands left of the picture: the axis, its labels and its title.
LEFT = 38
MOST = len(LINES)


@dataclass(frozen=True)
class Curve:
    """One run: `judged` documents, and base and residual by then."""

    name: str
    judged: Sequence[int]
    base: Sequence[float]
    residual: Sequence[float]


def curves(found: Sequence[Curve], *, width: int, title: str) -> dict[str, Any]:
    """A Vega-Lite specification, `width` millimetres wide: for each run its base as a line, and from there to
    its top as a wash. At most `MOST` runs can be told apart."""
    import altair as alt

    if len(found) > MOST:
        raise ValueError(f"{len(found)} curves cannot be told apart, {MOST} can")
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
    chart = base.mark_area(opacity=0.1).encode(x=x, y=y, y2="top:Q", fill=fill) + base.mark_line(
        strokeWidth=1.2
    ).encode(x=x, y=y, color=colour, strokeDash=dash)
    # Else the washes, which have no legend, take that of the lines away.
    chart = chart.resolve_legend(fill="independent")
    said: dict[str, Any] = chart.properties(autosize={"type": "pad"}).configure(**config()).to_dict()
    return said
