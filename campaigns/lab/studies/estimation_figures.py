"""The studies of estimated scores (Ravana and Moffat 2010) with their words, and their figures as Vega-Lite
specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from campaigns.figures.charts import (
    DASHES,
    GREY,
    INK_COLOUR,
    LINES,
    alt,
    canvas,
    finished,
    inline,
    look,
    points,
)
from campaigns.lab.studies.study import MARK, Study, gettext_noop
from selection.studies.background_rates import BACKGROUND_STUDY, NAMED, WHOLE
from selection.studies.interface import Point
from selection.studies.score_estimation import ESTIMATION_STUDIES

NAMES = {
    "simplistic": "Simplistic",
    "background": "Background",
    "interpolated": "Interpolated",
    "smoothed": "Smoothed",
    "pessimistic": "Pessimistic",
    "full": "By all of the qrels",
}
# Of the curves, in that order.
COLOURS, STROKES = (*LINES[:5], GREY), (*DASHES[:5], [1, 0])
PARTS = {
    "simplistic": "a  Simplistic (base)",
    "residual": "b  Residual",
    "interpolated": "c  Interpolated",
    "smoothed": "d  Smoothed",
    "full": "By all of the qrels",
}
# Millimetres, of a figure over a paper's two columns.
WIDTH, HEIGHT = 178, 44


def _look(values: Sequence[Point]) -> dict[str, Any]:
    """Colour and dash of the estimates that are there."""
    there = [name for name in NAMES if any(one["estimate"] == name for one in values)]
    places = [list(NAMES).index(name) for name in there]
    return look(
        "estimate",
        [NAMES[name] for name in there],
        colours=[COLOURS[at] for at in places],
        dashes=[STROKES[at] for at in places],
    )


def _curves(values: Sequence[Point], title: str, *, of: int, axis: str | None) -> Any:
    """One panel of so many beside each other: means by judgments, with their intervals. `axis`: the title of
    the horizontal one."""
    some = [{**one, "estimate": NAMES[str(one["estimate"])]} for one in values]
    ticks = sorted({float(one["judgments"]) for one in values})
    x = alt.X(
        "judgments:Q",
        title=axis,
        scale=alt.Scale(type="log", nice=False, padding=4),
        axis=alt.Axis(format=".2~s", values=ticks, grid=False),
    )
    y = alt.Y("mean:Q", title=title, axis=alt.Axis(tickCount=5))
    width, height = points((WIDTH - 16 * of) / of), points(HEIGHT)
    looks = _look(values)
    lines = (
        alt.Chart(inline(some), width=width, height=height)
        .mark_line(strokeWidth=1.2)
        .encode(x=x, y=y, **looks)
    )
    estimated = inline([one for one in some if one["estimate"] != NAMES["full"]])
    bars = (
        alt.Chart(estimated, width=width, height=height)
        .mark_rule(strokeWidth=0.8)
        .encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=looks["color"])
    )
    return lines + bars


def _panels(values: Sequence[Point]) -> list[str]:
    return list(dict.fromkeys(str(one["panel"]) for one in values))


def scores(values: Sequence[Point]) -> dict[str, Any]:
    """Estimated means by judgments; a row of panels for each half of the runs, a column for each measure."""
    panels = _panels(values)
    rows: list[Any] = []
    for group in dict.fromkeys(str(one["runs"]) for one in values):
        some = [one for one in values if one["runs"] == group]
        parts = [
            _curves(
                [one for one in some if one["panel"] == panel],
                f"{panel}, {group} runs",
                of=len(panels),
                axis="judgments" if rows else None,
            )
            for panel in panels
        ]
        rows.append(alt.hconcat(*parts, spacing=14).resolve_scale(y="shared"))
    return finished(alt.vconcat(*rows, spacing=6))


def shares(title: str) -> Any:
    """A figure of a share by judgments, a panel for each measure."""

    def figure(values: Sequence[Point]) -> dict[str, Any]:
        panels = _panels(values)
        parts = [
            _curves(
                [{**one, "low": max(0.0, float(one["low"]))} for one in values if one["panel"] == panel],
                f"{title}, {panel}",
                of=len(panels),
                axis="judgments",
            )
            for panel in panels
        ]
        return finished(alt.hconcat(*parts, spacing=14).resolve_scale(y="shared"))

    return figure


def rates(values: Sequence[Point]) -> dict[str, Any]:
    """The share of relevant documents by the number of runs that ask for them, and the cubic."""
    titles: Mapping[str, str] = {WHOLE: "relevant, of the whole pool", NAMED: "relevant, of those judged"}
    panels, parts = _panels(values), []
    for panel in panels:
        base = canvas(
            [one for one in values if one["panel"] == panel],
            (WIDTH - 20 - 14 * len(panels)) / len(panels),
            HEIGHT,
        ).encode(x=alt.X("requests:Q", title="runs that have the document at the top of their lists"))
        y = alt.Y("rate:Q", title=titles[panel], axis=alt.Axis(format="%", tickCount=5))
        dots = base.mark_point(filled=True, color=LINES[0], opacity=0.7).encode(
            y=y,
            size=alt.Size(
                "documents:Q",
                scale=alt.Scale(type="log", range=[4, 60]),
                legend=alt.Legend(title="documents", orient="right", format="~s", tickCount=4),
            ),
        )
        curve = base.mark_line(strokeWidth=1.2, color=LINES[1], clip=True).encode(
            y=alt.Y("fitted:Q", scale=alt.Scale(domain=[0, 1]))
        )
        zero = alt.Chart(inline([{"at": 0}])).mark_rule(color=INK_COLOUR, strokeWidth=0.5).encode(y="at:Q")
        parts.append(zero + dots + curve)
    return finished(alt.hconcat(*parts, spacing=14))


HALVES = "Half of the runs contribute, the others are new."

SCORES = {
    "score-estimates": Study(
        gettext_noop("Estimated scores from few judgments and scores from all"),
        f"Ravana and Moffat 2010, Table 1; means over runs. {HALVES} {MARK}: nearer to the full scores than "
        "the interpolated estimate, run by run, by the paired t-test.",
        ESTIMATION_STUDIES["score-estimates"],
        scores,
        PARTS,
    ),
    "pessimistic-separability": Study(
        gettext_noop("Share of the pairs of runs that each estimate separates"),
        f"Ravana and Moffat 2010, Table 2; paired t-test, one tail, 1%. {HALVES} Pairs are of two "
        "contributing or of two new runs.",
        ESTIMATION_STUDIES["pessimistic-separability"],
        shares("pairs separated"),
        NAMES,
    ),
    "convergence": Study(
        gettext_noop("Significant pairs of new runs that more judgments make insignificant"),
        f"Ravana and Moffat 2010, Table 3; paired t-test, one tail, 1%. {HALVES} pairs: significant after so "
        "many judgments; lost: the share of them that is not significant later.",
        ESTIMATION_STUDIES["convergence"],
        shares("lost in the end"),
        NAMES,
    ),
    "background-rate": Study(
        gettext_noop("Rate of relevance by the number of runs that ask for a document"),
        "Ravana and Moffat 2010, Figure 1. mean rate: over numbers of requests; crossing: the cubic at no "
        "requests, the rates weighted by their documents (in the figure, too) or equally; estimate: the rate "
        "used, which is above 0; rate unasked: of documents that only the other half of the runs asks for.",
        BACKGROUND_STUDY,
        rates,
    ),
}
