"""The picture of how reliable stated probabilities are, for the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from campaigns.figures.charts import GRID_COLOUR, LINES, alt, finished, inline, render_chart
from selection.calibration.coverage import Coverage

PAIRS = "P(A > B)"
PICTURE_SIZE = 200


def reliability_picture(rows: Sequence[Coverage]) -> bytes:
    """SVG: how often the likelier of two runs was better (up), by the stated probability (right). On the
    diagonal, statements are as sure as they say."""
    values = [
        {"stated": row.nominal, "right": row.covered, "tried": row.collection}
        for row in rows
        if row.statement.startswith(PAIRS) and row.regime == "any"
    ]
    scale = alt.Scale(domain=[0.5, 1], nice=False)
    x = alt.X("stated:Q", title="stated P(A > B)", scale=scale)
    y = alt.Y("right:Q", title="share that came true", scale=scale)
    colour = alt.Color("tried:N", title=None, scale=alt.Scale(range=list(LINES)))
    base = alt.Chart(inline(values), width=PICTURE_SIZE, height=PICTURE_SIZE).encode(x=x, y=y, color=colour)
    ends = inline([{"stated": at, "right": at} for at in (0.5, 1)])
    diagonal = alt.Chart(ends).mark_line(color=GRID_COLOUR).encode(x=x, y=y)
    chart = diagonal + base.mark_line(strokeWidth=1) + base.mark_point(filled=True, size=16, opacity=1)
    return render_chart(finished(chart), "svg")
