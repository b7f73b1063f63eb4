"""Studies by name: each is a table and a figure of a paper on the data at hand, as text and as pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaigns.formats.errors import FormatError, LineError
from campaigns.management.offline.output import atomic_write
from campaigns.management.offline.studies.charts import (
    DASHES,
    GRID_COLOUR,
    LINES,
    finished,
    inline,
    points,
    render_chart,
)
from selection.studies.topic_selection import (
    GENERAL_MEASURES,
    TOPIC_STUDIES,
    TRANSFER_MEASURES,
    Point,
    Row,
    TopicStudy,
    TrialMean,
)
from selection.studies.topic_trials import GREEDY

NAMES = {
    "random-topics": "Random",
    "iqp": "IQP",
    "adaptive": "Adaptive",
    "adaptive+": "Adaptive+",
    "adaptive*": "Adaptive*",
    "oracle": "Oracle",
}
MARK = "†"
# Millimetres, of a figure over a paper's two columns.
WIDTH, HEIGHT = 178, 52


@dataclass(frozen=True)
class Study:
    """`table`: the paper's table or figure, and what a row or mark says; `figure`: a Vega-Lite specification
    of the points."""

    title: str
    table: str
    topics: TopicStudy
    figure: Callable[[Sequence[Point]], dict[str, Any]]


def plain_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For CSV and JSON: numbers, each part of a mean in a field of its own."""
    made = []
    for row in rows:
        line: dict[str, Any] = {}
        for name, value in row.items():
            if isinstance(value, TrialMean):
                line[name] = value.mean
                line[f"{name} half width"] = value.half_width
                line[f"{name} marked"] = value.marked
                line["trials"] = max(value.trials, line.get("trials", 0))
            else:
                line[name] = value
        made.append(line)
    return made


def shown_rows(rows: Sequence[Row]) -> list[dict[str, str]]:
    """For people: a mean, its interval and its mark in one cell; then how many trials they are of."""
    made = []
    for row in rows:
        line = {name: _shown(value) for name, value in row.items()}
        trials = [value.trials for value in row.values() if isinstance(value, TrialMean)]
        made.append(line | ({"trials": str(max(trials))} if trials else {}))
    return made


def _shown(value: object) -> str:
    if isinstance(value, TrialMean):
        return f"{value.mean:.3f} ±{value.half_width:.3f}{MARK if value.marked else ''}"
    if isinstance(value, float):
        return f"{value:.3f}"
    return NAMES.get(str(value), str(value))


def as_markdown(rows: Sequence[Row]) -> str:
    shown = shown_rows(rows)
    names = list(shown[0])
    lines = [
        names,
        ["---" if at < 2 and isinstance(rows[0][name], str) else "---:" for at, name in enumerate(names)],
    ]
    lines += [list(row.values()) for row in shown]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_END = "<!-- end -->"


def write_into_page(
    page: Path, name: str, collection: str, rows: Sequence[Row], values: Sequence[Point]
) -> None:
    """Renew the study's table and picture in a Markdown page; pictures are in the folder of the page's name.

    Raises FormatError if the page cannot be read, or has no place for them.
    """
    study, begin = STUDIES[name], f"<!-- study {name} {collection} -->"
    try:
        before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    except OSError as error:
        raise FormatError(str(page), [LineError(None, (error.strerror or str(error)).lower())]) from error
    _, end, after = rest.partition(_END)
    if not end:
        raise FormatError(str(page), [LineError(None, f"has no lines {begin} and {_END}")])
    picture = page.with_suffix("") / f"{name}-{collection}.svg"
    picture.parent.mkdir(exist_ok=True)
    drawing = render_chart(study.figure(values), "svg").decode()
    made = f"{as_markdown(rows)}\n\n{study.table}\n\n![{study.title}]({page.stem}/{picture.name})"
    with atomic_write(picture) as out, atomic_write(page) as text:
        out.write(drawing)
        text.write(f"{before}{begin}\n{made}\n{end}{after}")


def _methods(values: Sequence[Point]) -> dict[str, Any]:
    """Colour and dash of the methods that are there, in `NAMES`' order."""
    import altair as alt  # takes half a second to import; few processes draw

    there = [name for method, name in NAMES.items() if any(one["method"] == method for one in values)]
    every = list(NAMES.values())
    places = [every.index(name) for name in there]
    legend = alt.Legend(title=None, orient="bottom", symbolType="stroke", columns=len(there))
    colours = alt.Scale(domain=there, range=[LINES[place] for place in places])
    dashes = alt.Scale(domain=there, range=[DASHES[place] for place in places])
    return {
        "color": alt.Color("method:N", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash("method:N", scale=dashes, legend=legend),
    }


def _curves(panels: Mapping[str, str]) -> Callable[[Sequence[Point]], dict[str, Any]]:
    """Methods by share of topics, with intervals; `panels` gives each its title."""

    def figure(values: Sequence[Point]) -> dict[str, Any]:
        import altair as alt  # takes half a second to import; few processes draw

        look = _methods(values)
        parts: list[Any] = []
        for panel, title in panels.items():
            some = [_beside(one) for one in values if one["panel"] == panel]
            shares = alt.Scale(domain=[0.08, 0.62], nice=False)
            x = alt.X(
                "share:Q", title="share of topics", scale=shares, axis=alt.Axis(format="%", tickCount=6)
            )
            y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
            base = alt.Chart(inline(some), width=points((WIDTH - 30) / 2), height=points(HEIGHT)).encode(x=x)
            bars = base.mark_rule(strokeWidth=0.8).encode(
                y=alt.Y("low:Q", title=title), y2="high:Q", color=look["color"]
            )
            parts.append(base.mark_line(strokeWidth=1.2).encode(y=y, **look) + bars)
        return finished(alt.hconcat(*parts, spacing=16))

    return figure


def _beside(one: Point) -> dict[str, Any]:
    """With its method's name, and moved a little, so that intervals do not hide each other."""
    move = 0.005 * (list(NAMES).index(str(one["method"])) - len(NAMES) / 2)
    return {**one, "method": NAMES[str(one["method"])], "share": float(one["share"]) + move}


def _losses(values: Sequence[Point]) -> dict[str, Any]:
    """How much τ is lost by choosing by another measure, a panel for each that evaluates."""
    import altair as alt  # takes half a second to import; few processes draw

    order = [*TRANSFER_MEASURES, NAMES["adaptive*"], NAMES["random-topics"]]
    parts: list[Any] = []
    for measure in TRANSFER_MEASURES:
        some = [{**one, "selection": _shown(one["selection"])} for one in values if one["panel"] == measure]
        axis = None if parts else alt.Axis(grid=False, ticks=False, domain=False)
        y = alt.Y("selection:N", title=None if parts else "chosen by", sort=order, axis=axis)
        base = alt.Chart(inline(some), width=points((WIDTH - 40) / 4), height=points(36)).encode(y=y)
        x = alt.X(
            "low:Q", title=f"change of τ in {measure}", axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=True)
        )
        zero = alt.Chart(inline([{"at": 0}])).mark_rule(color=GRID_COLOUR, strokeWidth=1.5).encode(x="at:Q")
        ranges = base.mark_rule(strokeWidth=1).encode(x=x, x2="high:Q")
        marks = base.mark_point(filled=True, size=24, color=LINES[0], opacity=1).encode(x="mean:Q")
        parts.append(zero + ranges + marks)
    return finished(alt.hconcat(*parts, spacing=8))


def _beginnings(values: Sequence[Point]) -> dict[str, Any]:
    """τ against the number of topics, a line for each first topic."""
    import altair as alt  # takes half a second to import; few processes draw

    names = {GREEDY: "by γ, each from another topic", "random-topics": "Random", "oracle": "Oracle"}
    some = [
        {**one, "line": f"{one['method']} {one['trial']}", "kind": names[str(one["method"])]}
        for one in values
    ]
    kinds = list(names.values())
    colours = alt.Scale(domain=kinds, range=[LINES[5], LINES[0], LINES[4]])
    chart = (
        alt.Chart(inline(some), width=points(110), height=points(66))
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


STUDIES = {
    "topic-selection": Study(
        "How well the topics that each method chooses stand for all",
        f"Hosseini and others 2012, Table 1; AP. {MARK}: the interval lies above those of Random and IQP.",
        TOPIC_STUDIES["topic-selection"],
        _curves({"Kendall's τ": "Kendall's τ", "Pearson's r": "Pearson's r"}),
    ),
    "topic-generalisation": Study(
        "How well they stand for all to runs that took no part in the choice",
        f"Hosseini and others 2012, Table 3; τ. {MARK}: above Random and Adaptive by the paired t-test.",
        TOPIC_STUDIES["topic-generalisation"],
        _curves({measure: f"Kendall's τ, {measure}" for measure in GENERAL_MEASURES}),
    ),
    "metric-transfer": Study(
        "What τ loses where topics were chosen by another measure",
        f"Hosseini and others 2012, Table 4; rows: chosen by, columns: evaluated by. {MARK}: above all "
        "other rows by the paired t-test.",
        TOPIC_STUDIES["metric-transfer"],
        _losses,
    ),
    "initialisation": Study(
        "How much the first topic matters",
        "Hosseini and others 2012, Figure 3; τ by AP, where each next topic is chosen by true scores.",
        TOPIC_STUDIES["initialisation"],
        _beginnings,
    ),
}
