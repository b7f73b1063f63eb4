"""The figure of replays: what methods find and leave open by judgments, as a Vega-Lite specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from campaigns.figures.charts import alt, canvas, finished, look
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
