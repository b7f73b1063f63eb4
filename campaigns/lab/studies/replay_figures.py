"""Figures of replays, as Vega-Lite specifications: what methods find and leave open, and when a campaign may
stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from campaigns.figures.charts import alt, canvas, finished, look, names_of, panel_title
from campaigns.lab.studies.study import Study, gettext_noop
from selection.studies.early_stopping import STOPPING_STUDIES
from selection.studies.interface import Point

PANELS = {
    "relevant": "relevant documents found",
    "residual": "mean residual",
    "tau": "Kendall's τ with the full order",
}
# Millimetres, of a figure over a paper's two columns.
WIDTH, HEIGHT = 178, 46


def by_judgments(values: Sequence[Point]) -> dict[str, Any]:
    """A panel for each figure of `PANELS`, a row of panels for each p, a line for each method."""
    methods = list(dict.fromkeys(str(one["method"]) for one in values))
    persistences = list(dict.fromkeys(float(one["p"]) for one in values))
    looks = look("method", methods, columns=7)
    rows: list[Any] = []
    for p in persistences:
        parts: list[Any] = []
        for panel, title in PANELS.items():
            some = [one for one in values if one["panel"] == panel and one["p"] == p]
            shown = title if len(persistences) == 1 else f"{title}, p = {p:g}"
            base = canvas(some, (WIDTH - 48) / 3, HEIGHT).encode(
                x=alt.X("judgments:Q", title="judgments", axis=alt.Axis(tickCount=4, format=",d")),
                y=alt.Y("mean:Q", title=shown, scale=alt.Scale(zero=panel == "relevant")),
                **looks,
            )
            parts.append(base.mark_line(strokeWidth=1.2) + base.mark_point(filled=True, size=14, opacity=1))
        rows.append(alt.hconcat(*parts, spacing=12))
    return finished(alt.vconcat(*rows, spacing=12))


NAMES = {"C": "Method C", "mtc": "MTC", "pooling": "Pooling", "A": "Method A", "B": "Method B"}
DECIDED_HEIGHT = 34


def decided_curves(values: Sequence[Point]) -> dict[str, Any]:
    """The share of replays decided by the share of the pool, a panel for each decision, a line for each
    method."""
    some: list[dict[str, Any]] = [
        {**one, "method": NAMES.get(str(one["method"]), one["method"])} for one in values
    ]
    methods = names_of(some, "method")
    panels = names_of(some, "panel")
    parts: list[Any] = []
    for panel in panels:
        y = alt.Y(
            "decided:Q",
            title=None if parts else "share of replays",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(tickCount=3, format="%", labels=not parts),
        )
        axis = alt.Axis(tickCount=3, format="%", grid=False, labelOverlap=True)
        chart = canvas(
            [one for one in some if one["panel"] == panel], (WIDTH - 32) / len(panels), DECIDED_HEIGHT
        )
        lines = chart.mark_line(strokeWidth=1.4, interpolate="step-after").encode(
            x=alt.X("share:Q", title="share of the pool", axis=axis),
            y=y,
            **look("method", methods, symbolSize=240),
        )
        parts.append(lines.properties(title=panel_title(panel)))
    return finished(alt.hconcat(*parts, spacing=8))


STOPPING = {
    "early-stopping": Study(
        gettext_noop("Judgments until predictions decide, by method"),
        "Share of the pool judged until the decision: quartiles over replays. Depth 100: the median as a "
        "share of the pool to depth 100. Each topic: judgments. In qrels: the share of these that the qrels "
        "name; the others are not relevant. Stated: pairs separated then, or first runs named best. Wrong: "
        "those untrue by all judgments.",
        STOPPING_STUDIES["early-stopping"],
        decided_curves,
        NAMES,
        decimals=2,
    ),
}
