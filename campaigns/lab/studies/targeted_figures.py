"""The studies of Moffat, Webber and Zobel 2007: their words, and figures as Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from campaigns.figures.charts import (
    GREY,
    LINES,
    alt,
    canvas,
    finished,
    inline,
    look,
    names_of,
    panel_title,
    points,
)
from campaigns.lab.studies.study import Study, gettext_noop
from selection.studies.interface import Point
from selection.studies.targeted_judgments import ALL_AP, ALL_RBP, CONTRASTS, TARGETED_STUDIES

NAMES = {"pooling": "Pooling", "A": "Method A", "B": "Method B", "C": "Method C"}
ALL_NAMES = {ALL_RBP: "all judgments, RBP", ALL_AP: "all judgments, AP"}
# Millimetres, of a figure over a paper's two columns.
WIDTH, HEIGHT = 178, 52
# Its ends are the data's, with room for the outermost marks.
PADDED_LOG = {"type": "log", "nice": False, "padding": 4}
# Pooling is black in every figure.
_COLOURS = {"Pooling": LINES[4], "Method A": LINES[0], "Method B": LINES[2], "Method C": LINES[1]}


def _look(field: str, names: Sequence[str], colours: Mapping[str, str] | None = None) -> dict[str, Any]:
    used = [colours[name] for name in names] if colours else LINES
    return look(field, names, colours=used, symbolSize=240)


def relevant_curves(values: Sequence[Point]) -> dict[str, Any]:
    """Relevant documents found, by the number of judgments, a line for each method."""
    some: list[dict[str, Any]] = [{**one, "method": NAMES[str(one["method"])]} for one in values]
    base = canvas(some, 110, 66)
    lines = base.mark_line(strokeWidth=1.4).encode(
        x=alt.X("judgments:Q", title="judgments"),
        y=alt.Y("relevant:Q", title="relevant documents found"),
        **_look("method", names_of(some, "method"), _COLOURS),
    )
    return finished(lines)


def overlap_curves(values: Sequence[Point]) -> dict[str, Any]:
    """The share of judgments that two persistences have in common, by their number."""
    some: list[dict[str, Any]] = [dict(one) for one in values]
    chart = (
        canvas(some, 110, 66)
        .mark_line(strokeWidth=1.4)
        .encode(
            x=alt.X("judgments:Q", title="judgments"),
            y=alt.Y("common:Q", title="share in common", axis=alt.Axis(format="%"), scale={"domain": [0, 1]}),
            **_look("pair", names_of(some, "pair")),
        )
    )
    return finished(chart)


def residual_curves(values: Sequence[Point]) -> dict[str, Any]:
    """Mean residual of the good runs, a panel for each p of evaluation, a line for each set of judgments."""
    sets = names_of(values, "set")
    colours = {name: "#000000" if name == "Pooling" else LINES[at] for at, name in enumerate(sets)}
    panels = names_of(values, "panel")
    parts: list[Any] = []
    for panel in panels:
        # A residual of nothing has no place on a logarithmic scale.
        some: list[dict[str, Any]] = [
            {**one, "residual": max(float(one["residual"]), 1e-5)} for one in values if one["panel"] == panel
        ]
        y = alt.Y(
            "residual:Q",
            title=None if parts else "mean residual, best third",
            scale=PADDED_LOG,
            axis=alt.Axis(tickCount=4, format="~g"),
        )
        chart = canvas(some, (WIDTH - 36) / len(panels), HEIGHT)
        chart = chart.encode(x=_judgments(), y=y, **_look("set", sets, colours))
        titled = chart.mark_line(strokeWidth=1.2, point={"size": 12, "filled": True})
        parts.append(titled.properties(title=panel_title(f"evaluated with {panel}")))
    return finished(alt.hconcat(*parts, spacing=10))


def _judgments() -> Any:
    """Their numbers double, so that a logarithmic axis spaces them evenly."""
    return alt.X("judgments:Q", title="judgments", scale=PADDED_LOG, axis=_few())


def _few() -> Any:
    return alt.Axis(grid=False, tickCount=4, format="~s", labelOverlap=True)


def separability_curves(values: Sequence[Point]) -> dict[str, Any]:
    """The share of significant pairs by number of judgments, a panel for each contrast; all judgments as
    lines across."""
    some: list[dict[str, Any]] = [
        {**one, "method": {**NAMES, **ALL_NAMES}[str(one["method"])]} for one in values
    ]
    names = names_of(some, "method")
    grey = {ALL_NAMES[ALL_RBP]: GREY, ALL_NAMES[ALL_AP]: LINES[3]}
    looks = _look("method", names, {**_COLOURS, **grey})
    top = 1.03 * max(float(one["share"]) for one in some) or 1.0
    parts: list[Any] = []
    for contrast in CONTRASTS:
        here = [one for one in some if one["panel"] == contrast]
        title = None if parts else "share of pairs significant"
        y = alt.Y("share:Q", title=title, scale=alt.Scale(domain=[0, top]), axis=alt.Axis(tickCount=5))
        size: dict[str, Any] = {"width": points((WIDTH - 36) / 3), "height": points(HEIGHT)}
        curves = alt.Chart(inline([one for one in here if one["method"] in _COLOURS]), **size)
        whole = alt.Chart(inline([one for one in here if one["method"] in grey]), **size)
        lines = curves.mark_line(strokeWidth=1.2, point={"size": 12, "filled": True})
        layers = whole.mark_rule(strokeWidth=1).encode(y=y, **looks) + lines.encode(
            x=_judgments(), y=y, **looks
        )
        parts.append(layers.properties(title=panel_title(contrast)))
    return finished(alt.hconcat(*parts, spacing=10))


def range_bars(values: Sequence[Point]) -> dict[str, Any]:
    """A bar for each run from its base to the end of its range, runs by mean AP, a panel for each figure."""
    parts: list[Any] = []
    for panel in names_of(values, "panel"):
        # A range too narrow to be seen is drawn as high as a line.
        some: list[dict[str, Any]] = [
            {**one, "high": max(float(one["high"]), float(one["low"]) + 0.012)}
            for one in values
            if one["panel"] == panel
        ]
        width = (WIDTH - 26) / 2
        # A third of a bar's room stays free, where there is room.
        bar = min(3.0, max(0.8, 0.65 * points(width) / len(some)))
        y = alt.Y(
            "low:Q", title="RBP" if len(parts) % 2 == 0 else None, scale={"domain": [0, 1]},
            axis=alt.Axis(tickCount=5),
        )  # fmt: skip
        last = len(parts) >= 6
        x = alt.X(
            "place:Q",
            title="runs, by mean AP" if last else None,
            scale=alt.Scale(domain=[0, len(some) + 1], nice=False),
            axis=alt.Axis(grid=False, tickMinStep=1, tickCount=6, labels=last),
        )
        best = max(float(one["low"]) for one in some)
        highest = alt.Chart(inline([{"at": best}])).mark_rule(color=LINES[1], strokeWidth=0.7)
        bars = canvas(some, width, 27).mark_rule(strokeWidth=bar, color=LINES[0])
        layers = bars.encode(x=x, y=y, y2="high:Q") + highest.encode(y="at:Q")
        parts.append(layers.properties(title=panel_title(_panel_title(some[0]))))
    rows = [alt.hconcat(*parts[at : at + 2], spacing=10) for at in range(0, len(parts), 2)]
    return finished(alt.vconcat(*rows, spacing=8))


def _panel_title(one: Mapping[str, Any]) -> str:
    method = NAMES.get(one["method"], "All")
    return f"{one['panel']}  {method}, {one['judgments']:,} judgments, p = {one['p']:g}: base to {one['to']}"


TARGETED = {
    "relevant-found": Study(
        gettext_noop("Relevant documents that each method finds"),
        "Moffat, Webber and Zobel 2007, Table 2; relevant documents among the judgments. Handled: with the "
        "documents that were asked for, are not in the qrels and were bypassed.",
        TARGETED_STUDIES["relevant-found"],
        relevant_curves,
    ),
    "persistence-overlap": Study(
        gettext_noop("Judgments that two persistences have in common"),
        "Moffat, Webber and Zobel 2007, Table 3; Method C with the p of the row and of the column.",
        TARGETED_STUDIES["persistence-overlap"],
        overlap_curves,
    ),
    "persistence-residual": Study(
        gettext_noop("Residual at evaluation by the p used at judging"),
        "Moffat, Webber and Zobel 2007, Table 4; mean residual of the best third of the runs by mean AP, "
        "evaluated with the p of the column.",
        TARGETED_STUDIES["persistence-residual"],
        residual_curves,
        decimals=4,
    ),
    "separability": Study(
        gettext_noop("Share of pairs of good runs that differ significantly"),
        "Moffat, Webber and Zobel 2007, Table 5; share of the pairs in the best third by mean AP, Wilcoxon’s "
        "signed-rank test, one tail, 5%.",
        TARGETED_STUDIES["separability"],
        separability_curves,
        NAMES | {ALL_RBP: "all, RBP", ALL_AP: "all, AP"},
    ),
    "score-ranges": Study(
        gettext_noop("Score ranges of all runs"),
        "Moffat, Webber and Zobel 2007, Figures 1 to 3; mean widths, and how many ranges reach the highest "
        "base, which is drawn as a line.",
        TARGETED_STUDIES["score-ranges"],
        range_bars,
        NAMES,
    ),
}
