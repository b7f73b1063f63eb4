"""Named ranges below each other, in as many columns as it takes to stay on one page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

from campaigns.results.style import FONT_SIZE, INK, MARK, RANGE, config, inline, length, points

STEP = FONT_SIZE + 1.5
# Rows that fit below each other with the axis, and points that a range needs at least.
TALLEST, NARROWEST = 62, 38
GAP = 8


@dataclass(frozen=True)
class Row:
    """`mark` lies between `low` and `high`."""

    name: str
    low: float
    mark: float
    high: float


def ranges(rows: Sequence[Row], *, width: int, title: str, mark: str) -> dict[str, Any]:
    """A Vega-Lite specification, `width` millimetres wide: a bar from low to high and a diamond at the mark,
    row by row in the order given. `title` says what is measured, `mark` what the diamond is."""
    import altair as alt

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
        values = [{"place": first + at, **asdict(row)} for at, row in enumerate(some)]
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
            base.mark_bar(size=5, color=RANGE, stroke=INK, strokeWidth=0.3).encode(y=y, x=x, x2="high:Q")
            + base.mark_point(shape="diamond", size=16, color=MARK, filled=True, opacity=1).encode(
                y=y, x="mark:Q"
            )
        )
    chart = alt.hconcat(*parts, spacing=GAP) if len(parts) > 1 else parts[0]
    return _finished(chart, mark)


def _columns(rows: Sequence[Row], width: float) -> int:
    """As few as keep the figure on one page; fewer if the names would leave no room."""
    wanted = max(ceil(len(rows) / TALLEST), 1)
    while wanted > 1 and (width - GAP * (wanted - 1)) / wanted - _room(rows) < NARROWEST:
        wanted -= 1
    return wanted


def _room(rows: Sequence[Row]) -> float:
    return max((length(row.name) for row in rows), default=0) + 4


def _finished(chart: Any, mark: str) -> dict[str, Any]:
    said: dict[str, Any] = (
        chart.properties(usermeta={"diamond": mark}, autosize={"type": "pad"}).configure(**config()).to_dict()
    )
    return said
