"""The studies of Moffat and Zobel 2008: their words, and figures as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from campaigns.figures.charts import (
    DASHES,
    LINES,
    alt,
    canvas,
    colour,
    finished,
    inline,
    names_of,
    panel_title,
    points,
)
from campaigns.lab.studies.study import Study, gettext_noop
from selection.studies.interface import Point
from selection.studies.rank_biased_precision import PRECISION_STUDIES, REFERENCES

# Millimetres, of a figure over a paper's two columns.
WIDTH, HEIGHT = 178, 52
# Not from 0, and with room for the outermost marks.
PADDED = {"zero": False, "nice": False, "padding": 6}
_TESTS = {"wilcoxon": "Wilcoxon", "t": "t"}


def depth_scatter(values: Sequence[Point]) -> dict[str, Any]:
    """Mean scores of all runs with a deep pool against those with a shallow one, a panel for each measure."""
    panels = names_of(values, "panel")
    shallow, deep = str(values[0]["depths"]).split()
    side = points((WIDTH - 40) / len(panels))
    parts: list[Any] = []
    for panel in panels:
        some: list[dict[str, Any]] = [one for one in values if one["panel"] == panel]
        most = 1.02 * max(max(float(one["shallow"]), float(one["deep"])) for one in some)
        scale = alt.Scale(domain=[0, most or 1.0], nice=False)
        x = alt.X("shallow:Q", title=f"pool depth {shallow}", scale=scale, axis=alt.Axis(tickCount=4))
        title = None if parts else f"pool depth {deep}"
        y = alt.Y("deep:Q", title=title, scale=scale, axis=alt.Axis(tickCount=4))
        marks = alt.Chart(inline(some), width=side, height=side).mark_point(
            filled=True, size=10, color=LINES[0], opacity=0.6
        )
        ends: list[dict[str, Any]] = [{"at": 0}, {"at": most}]
        same = alt.Chart(inline(ends)).mark_line(color=LINES[4], strokeDash=DASHES[2], strokeWidth=0.8)
        layers = same.encode(x="at:Q", y="at:Q") + marks.encode(x=x, y=y)
        parts.append(layers.properties(title=panel_title(panel)))
    return finished(alt.hconcat(*parts, spacing=8))


def sweep_bands(values: Sequence[Point]) -> dict[str, Any]:
    """Bounds of a run by the ranks that count, for each pool; then bounds of two runs by p."""
    by_ranks = [one for one in values if one["panel"] == "ranks"]
    by_p = [one for one in values if one["panel"] == "p"]
    depths = sorted({int(one["depth"]) for one in values})
    parts: list[Any] = []
    for depth in depths:
        some = [{**one, "line": f"p = {one['p']:g}"} for one in by_ranks if one["depth"] == depth]
        x = alt.X("ranks:Q", title="ranks counted", axis=alt.Axis(grid=False, tickCount=5))
        chart = _band(some, x, "line", names_of(some, "line"), None if parts else "RBP")
        parts.append(chart.properties(title=panel_title(f"{some[0]['run']}, pool depth {depth}")))
    runs = names_of(by_p, "run")
    lines = [{**one, "line": one["run"], "pool": f"depth {one['depth']}"} for one in by_p]
    x = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(grid=False, tickCount=5))
    shallow, deep = (f"depth {depths[place]}" for place in (0, -1))
    under = _band([one for one in lines if one["pool"] == shallow], x, "line", runs, None)
    over = (
        alt.Chart(inline([one for one in lines if one["pool"] == deep]))
        .mark_line(strokeWidth=1, strokeDash=DASHES[2])
        .encode(x=x, color=_run_colour("line", runs))
    )
    marked = under + over.encode(y="low:Q") + over.encode(y="high:Q")
    parts.append(marked.properties(title=panel_title(f"bands: {shallow}, dotted: {deep}")))
    return finished(alt.hconcat(*parts, spacing=8).resolve_scale(color="independent"))


def _run_colour(field: str, names: list[str]) -> Any:
    # Names of runs may be long.
    return colour(field, names, columns=1 if sum(map(len, names)) > 30 else len(names), symbolType="square")


def _band(some: list[dict[str, Any]], x: Any, field: str, names: list[str], title: str | None) -> Any:
    """From low to high, a band for each name."""
    y = alt.Y("low:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5))
    shades = _run_colour(field, names)
    base = canvas(some, (WIDTH - 34) / 3, HEIGHT).encode(x=x)
    area = base.mark_area(opacity=0.25).encode(y=y, y2="high:Q", color=shades)
    low = base.mark_line(strokeWidth=0.8).encode(y=y, color=shades)
    high = base.mark_line(strokeWidth=0.8).encode(y=alt.Y("high:Q", title=title), color=shades)
    return area + low + high


def tau_dots(values: Sequence[Point]) -> dict[str, Any]:
    """τ of each measure's order with those of the four references."""
    some: list[dict[str, Any]] = [dict(one) for one in values]
    names = names_of(some, "measure")
    legend = alt.Legend(title=None, orient="bottom", columns=len(REFERENCES))
    scale = alt.Scale(domain=list(REFERENCES), range=[LINES[5], LINES[2], LINES[1], LINES[4]])
    shapes = alt.Scale(domain=list(REFERENCES), range=["circle", "square", "triangle-up", "diamond"])
    y = alt.Y("measure:N", title=None, sort=names, axis=alt.Axis(grid=True, ticks=False, domain=False))
    x = alt.X("tau:Q", title="Kendall's τ", scale=PADDED, axis=alt.Axis(grid=False))
    chart = (
        canvas(some, 90, 54)
        .mark_point(filled=True, size=26, opacity=0.9)
        .encode(
            x=x,
            y=y,
            color=alt.Color("reference:N", scale=scale, legend=legend),
            shape=alt.Shape("reference:N", scale=shapes, legend=legend),
        )
    )
    return finished(chart)


def significant_dots(values: Sequence[Point]) -> dict[str, Any]:
    """The share of pairs that differ significantly by each measure, a panel for each level."""
    some: list[dict[str, Any]] = [{**one, "test": _TESTS[str(one["test"])]} for one in values]
    names, tests = names_of(some, "measure"), list(_TESTS.values())
    legend = alt.Legend(title=None, orient="bottom", columns=2)
    colour = alt.Color("test:N", scale=alt.Scale(domain=tests, range=list(LINES[:2])), legend=legend)
    shape = alt.Shape("test:N", scale=alt.Scale(domain=tests, range=["circle", "diamond"]), legend=legend)
    parts: list[Any] = []
    for level in names_of(some, "level"):
        axis = alt.Axis(grid=True, ticks=False, domain=False, labels=not parts)
        y = alt.Y("measure:N", title=None, sort=names, axis=axis)
        share = alt.Axis(grid=False, format="%", tickCount=5)
        x = alt.X("share:Q", title=f"pairs that differ at {level}", scale=PADDED, axis=share)
        here = [one for one in some if one["level"] == level]
        chart = canvas(here, 66, 48)
        marks = chart.mark_point(filled=True, size=26, opacity=0.9)
        parts.append(marks.encode(x=x, y=y, color=colour, shape=shape))
    return finished(alt.hconcat(*parts, spacing=10))


PRECISION = {
    "pool-depth": Study(
        gettext_noop("Scores and orders of runs by the depth of the pool"),
        "Moffat and Zobel 2008, Figures 2 and 4; τ of the runs’ order with that by the deepest pool, and the "
        "share of runs whose AP is higher than with it.",
        PRECISION_STUDIES["pool-depth"],
        depth_scatter,
    ),
    "p-sweep": Study(
        gettext_noop("RBP’s bounds with pools of two depths, by p"),
        "Moffat and Zobel 2008, Figures 5 and 6; RBP’s bounds of the run with the highest mean AP and of the "
        "middle one.",
        PRECISION_STUDIES["p-sweep"],
        sweep_bands,
    ),
    "metric-correlation": Study(
        gettext_noop("Agreement between the orders of runs by different measures"),
        "Moffat and Zobel 2008, Table III; Kendall’s τ with four measures by the deepest pool.",
        PRECISION_STUDIES["metric-correlation"],
        tau_dots,
    ),
    "metric-separability": Study(
        gettext_noop("Number of pairs of runs that each measure separates"),
        "Moffat and Zobel 2008, Table IV; pairs that differ significantly, two tails.",
        PRECISION_STUDIES["metric-separability"],
        significant_dots,
    ),
}
