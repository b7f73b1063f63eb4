"""Figures of the studies of topic selection (Hosseini and others 2012), as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from campaigns.figures.charts import (
    DASHES,
    GRID_COLOUR,
    LINES,
    alt,
    canvas,
    finished,
    inline,
    look,
    names_of,
)
from selection.studies.interface import Point
from selection.studies.topics.topic_selection import TRANSFER_MEASURES
from selection.studies.topics.topic_trials import GREEDY

NAMES = {
    "random-topics": "Random",
    "iqp": "IQP",
    "adaptive": "Adaptive",
    "adaptive+": "Adaptive+",
    "adaptive*": "Adaptive*",
    "oracle": "Oracle",
}
# Millimetres, of a figure over a paper's two columns.
WIDTH, HEIGHT = 178, 52


def _methods(values: Sequence[Point]) -> dict[str, Any]:
    """Colour and dash of the methods that are there, in `NAMES`' order."""
    there = [name for method, name in NAMES.items() if any(one["method"] == method for one in values)]
    every = list(NAMES.values())
    places = [every.index(name) for name in there]
    return look(
        "method",
        there,
        colours=[LINES[place] for place in places],
        dashes=[DASHES[place] for place in places],
    )


def curves_by_share(panels: Mapping[str, str]) -> Callable[[Sequence[Point]], dict[str, Any]]:
    """Methods by share of topics, with intervals; `panels` gives each its title."""

    def figure(values: Sequence[Point]) -> dict[str, Any]:
        looks = _methods(values)
        parts: list[Any] = []
        for panel, title in panels.items():
            some = [_beside(one) for one in values if one["panel"] == panel]
            shares = alt.Scale(domain=[0.08, 0.62], nice=False)
            x = alt.X(
                "share:Q", title="share of topics", scale=shares, axis=alt.Axis(format="%", tickCount=6)
            )
            y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
            base = canvas(some, (WIDTH - 30) / 2, HEIGHT).encode(x=x)
            bars = base.mark_rule(strokeWidth=0.8).encode(
                y=alt.Y("low:Q", title=title), y2="high:Q", color=looks["color"]
            )
            parts.append(base.mark_line(strokeWidth=1.2).encode(y=y, **looks) + bars)
        return finished(alt.hconcat(*parts, spacing=16))

    return figure


def _beside(one: Point) -> dict[str, Any]:
    """With its method's name, and moved a little, so that intervals do not hide each other."""
    move = 0.005 * (list(NAMES).index(str(one["method"])) - len(NAMES) / 2)
    return {**one, "method": NAMES[str(one["method"])], "share": float(one["share"]) + move}


def curves_by_topics(series: str) -> Callable[[Sequence[Point]], dict[str, Any]]:
    """τ by the number of topics, a line for each series; `series` is the legend's title."""

    def figure(values: Sequence[Point]) -> dict[str, Any]:
        named = [{**one, "series": NAMES.get(str(one["series"]), str(one["series"]))} for one in values]
        order, panels = names_of(named, "series"), names_of(named, "panel")
        parts = [
            canvas([one for one in named if one["panel"] == panel], (WIDTH - 30) / 2, HEIGHT)
            .mark_line(strokeWidth=1.2)
            .encode(
                x=alt.X("topics:Q", title="topics judged"),
                y=alt.Y("mean:Q", title=f"Kendall's τ, {panel}", scale=alt.Scale(zero=False)),
                **look("series", order, title=series),
            )
            for panel in panels
        ]
        return finished(alt.hconcat(*parts, spacing=16))

    return figure


def losses(values: Sequence[Point]) -> dict[str, Any]:
    """Loss of τ by choosing with another measure, a panel for each measure of evaluation."""
    order = [*TRANSFER_MEASURES, NAMES["adaptive*"], NAMES["random-topics"]]
    parts: list[Any] = []
    for measure in TRANSFER_MEASURES:
        some = [
            {**one, "selection": NAMES.get(str(one["selection"]), str(one["selection"]))}
            for one in values
            if one["panel"] == measure
        ]
        axis = None if parts else alt.Axis(grid=False, ticks=False, domain=False)
        y = alt.Y("selection:N", title=None if parts else "chosen by", sort=order, axis=axis)
        base = canvas(some, (WIDTH - 40) / 4, 36).encode(y=y)
        x = alt.X(
            "low:Q", title=f"change of τ in {measure}", axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=True)
        )
        zero = alt.Chart(inline([{"at": 0}])).mark_rule(color=GRID_COLOUR, strokeWidth=1.5).encode(x="at:Q")
        ranges = base.mark_rule(strokeWidth=1).encode(x=x, x2="high:Q")
        marks = base.mark_point(filled=True, size=24, color=LINES[0], opacity=1).encode(x="mean:Q")
        parts.append(zero + ranges + marks)
    return finished(alt.hconcat(*parts, spacing=8))


def beginnings(values: Sequence[Point]) -> dict[str, Any]:
    """τ against the number of topics, a line for each first topic."""
    names = {GREEDY: "by γ, each from another topic", "random-topics": "Random", "oracle": "Oracle"}
    some = [
        {**one, "line": f"{one['method']} {one['trial']}", "kind": names[str(one["method"])]}
        for one in values
    ]
    kinds = list(names.values())
    colours = alt.Scale(domain=kinds, range=[LINES[5], LINES[0], LINES[4]])
    chart = (
        canvas(some, 110, 66)
        .mark_line()
        .encode(
            x=alt.X("topics:Q", title="topics chosen"),
            y=alt.Y("mean:Q", title="Kendall's τ with all topics", scale=alt.Scale(zero=False)),
            detail="line:N",
            color=alt.Color("kind:N", scale=colours, legend=alt.Legend(title=None, orient="bottom")),
            strokeWidth=alt.condition(f"datum.kind == '{kinds[0]}'", alt.value(0.6), alt.value(1.6)),
        )
    )
    return finished(chart)
