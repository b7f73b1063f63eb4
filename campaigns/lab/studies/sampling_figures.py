"""The studies of MTC and statAP (Carterette and others 2008) with their words, and their figures as Vega-Lite
specifications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from campaigns.figures.charts import (
    GREY,
    GRID_COLOUR,
    LINES,
    alt,
    canvas,
    colour,
    dash,
    finished,
    inline,
    look,
)
from campaigns.lab.studies.study import Study, gettext_noop
from selection.studies.interface import Point
from selection.studies.thousands_of_queries import AGREEMENT_STUDIES
from selection.studies.topic_numbers import METHODS, NUMBER_STUDIES

# Millimetres, of a figure over a paper's two columns.
WIDTH, HEIGHT = 178, 48
JUDGMENTS = "judgments of each topic"


def agreement(values: Sequence[Point]) -> dict[str, Any]:
    """The paper's Figure 1, all estimates by the order of MAP, above its Figure 2, each two against each
    other."""
    names = ("MAP", "EMAP", "statMAP", "calibrated")
    every = [
        {"place": one["place"], "score": one[name], "estimate": name} for one in values for name in names
    ]
    first = (
        canvas(every, WIDTH - 16, HEIGHT)
        .mark_line(strokeWidth=1)
        .encode(
            x=alt.X("place:Q", title="runs, by MAP", scale=alt.Scale(nice=False, padding=4)),
            y=alt.Y("score:Q", title="score"),
            color=colour("estimate", names, of=(LINES[4], LINES[0], LINES[1], LINES[2])),
        )
    )
    pairs = (("MAP", "statMAP"), ("MAP", "EMAP"), ("EMAP", "statMAP"))
    return finished(alt.vconcat(first, alt.hconcat(*(_scatter(values, *pair) for pair in pairs), spacing=14)))


def _scatter(values: Sequence[Point], across: str, up: str) -> Any:
    """Each run's two scores; statMAP against MAP with the line of equal ones."""
    base = canvas(
        [{**one, "low": max(0.0, float(one["low"]))} for one in values], (WIDTH - 48) / 3, HEIGHT
    ).encode(x=alt.X(f"{across}:Q", axis=alt.Axis(tickCount=4, format="~g")))
    y = alt.Y(f"{up}:Q", axis=alt.Axis(tickCount=5))
    dots = base.mark_point(filled=True, size=14, color=LINES[0], opacity=0.7).encode(y=y)
    if up == "statMAP":
        dots += base.mark_rule(strokeWidth=0.5, color=LINES[0]).encode(
            y=alt.Y("low:Q", title=up), y2="high:Q"
        )
    if (across, up) != ("MAP", "statMAP"):
        return dots
    ends = [0.0, max(float(one["MAP"]) for one in values)]
    equal = alt.Chart(inline([{"MAP": end, up: end} for end in ends])).mark_line(
        color=GRID_COLOUR, strokeWidth=1.5
    )
    return equal.encode(x="MAP:Q", y=f"{up}:Q") + dots


def components(values: Sequence[Point]) -> dict[str, Any]:
    """Stability by topics: of scores (solid) and of the order of the runs (dashed)."""
    kinds = {"scores": "of scores", "order": "of the order of runs"}
    some = [{**one, "kind": kinds[str(one["kind"])]} for one in values]
    methods = list(dict.fromkeys(str(one["method"]) for one in values))
    colours = (LINES[4], LINES[0], LINES[2], LINES[1])
    shares = alt.Scale(domain=[0.5, 1])
    chart = (
        canvas(some, 110, 66)
        .mark_line(strokeWidth=1.2, clip=True)
        .encode(
            x=alt.X("topics:Q", title="topics", scale=alt.Scale(nice=False)),
            y=alt.Y("stability:Q", title="variance due to the runs", scale=shares),
            color=colour("method", methods, of=colours),
            strokeDash=dash("kind", list(kinds.values())),
        )
    )
    wanted = alt.Chart(inline([{"at": 0.95}])).mark_rule(color=GRID_COLOUR, strokeWidth=1.5)
    return finished(wanted.encode(y=alt.Y("at:Q", scale=shares)) + chart)


def stability(values: Sequence[Point]) -> dict[str, Any]:
    """τ by topics, a line for each number of judgments; a column for each method, a row for each order that
    it is compared with."""
    levels = sorted({int(one["judgments"]) for one in values})
    rows: list[Any] = []
    for reference in dict.fromkeys(str(one["compared with"]) for one in values):
        parts = []
        for method in METHODS:
            some = [
                {**one, "judgments": str(one["judgments"])}
                for one in values
                if (one["method"], one["compared with"]) == (method, reference)
            ]
            order = f"{method}, all topics, {levels[-1]}" if reference == "itself" else "MAP"
            chart = canvas(some, (WIDTH - 32) / 2, HEIGHT)
            parts.append(
                chart.mark_line(strokeWidth=1.2).encode(
                    x=alt.X(
                        "topics:Q",
                        title=f"topics judged by {method}" if rows else None,
                        scale=alt.Scale(nice=False),
                    ),
                    y=alt.Y("mean:Q", title=f"τ with {order}"),
                    **look("judgments", [str(level) for level in levels], title=JUDGMENTS),
                )
            )
        rows.append(alt.hconcat(*parts, spacing=16).resolve_scale(y="shared"))
    return finished(alt.vconcat(*rows, spacing=6))


def cost(values: Sequence[Point]) -> dict[str, Any]:
    """Hours by judgments of each topic, with the number of topics."""
    base = canvas(values, 110, 56).encode(
        x=alt.X("judgments:Q", title=JUDGMENTS, scale=alt.Scale(nice=False, padding=8)),
        y=alt.Y("hours:Q", title="hours to τ of 0.9"),
        color=colour("method", METHODS),
    )
    marks = base.mark_line(strokeWidth=1.2) + base.mark_point(filled=True, size=16, opacity=1)
    return finished(marks + base.mark_text(dy=-8, fontSize=8).encode(text="topics:Q"))


def swaps(values: Sequence[Point]) -> dict[str, Any]:
    """The share of pairs that turned out otherwise, by stated confidence, a panel for each confidence."""
    lines = ("swapped", "wrong by all judgments", "stated")
    panels = dict.fromkeys(str(one["panel"]) for one in values)
    parts: list[Any] = []
    for panel in panels:
        some = [one for one in values if one["panel"] == panel]
        base = canvas(some, (WIDTH - 16 * len(panels)) / len(panels), HEIGHT).encode(
            x=alt.X(
                "confidence:Q", title=f"confidence, {panel}", scale=alt.Scale(domain=[0.5, 1], nice=False)
            ),
            y=alt.Y("share:Q", title=None if parts else "pairs", axis=alt.Axis(format="%", tickCount=5)),
            color=colour("line", lines, of=(LINES[0], LINES[1], GREY)),
        )
        parts.append(base.mark_line(strokeWidth=1.2) + base.mark_point(filled=True, size=12, opacity=1))
    return finished(alt.hconcat(*parts, spacing=14).resolve_scale(y="shared"))


PAPER = "Carterette and others 2008"
UNJUDGED = "EMAP: unjudged documents by Carterette 2007, approximated; calibrated: by this project’s model"

SAMPLING = {
    "agreement": Study(
        gettext_noop("MTC and statAP compared with average precision by all judgments"),
        f"{PAPER}, Tables 2 and 3; 40 judgments of each topic, unless others are given. MAP: documents that "
        f"are not judged count as not relevant. {UNJUDGED}. below next: significantly (paired t-test, one "
        "tail, 5%); confidence: MTC’s, that the next run by EMAP is better; statMAP: of one sample; hold: "
        "share of the samples in which MAP is inside.",
        AGREEMENT_STUDIES["agreement"],
        agreement,
    ),
    "variance-components": Study(
        gettext_noop("Variance components of scores, and topics needed for stability"),
        f"{PAPER}, Figure 3; shares of the variance. AP: by all judgments. MTC: EMAP; calibrated: by this "
        "project’s model. topics: as many as give a stability of 0.95.",
        AGREEMENT_STUDIES["variance-components"],
        components,
    ),
    "stability": Study(
        gettext_noop("Agreement of the order of runs by number of topics and judgments"),
        f"{PAPER}, Figure 4; Kendall’s τ, by judgments of each topic. itself: the order by the same method, "
        "all topics and the most judgments; MAP: by all judgments.",
        NUMBER_STUDIES["stability"],
        stability,
    ),
    "cost": Study(
        gettext_noop("Hours of judging for a τ of 0.9"),
        f"{PAPER}, Figure 5; τ with the same method’s order by all topics and the most judgments. 5 minutes "
        "a topic and 21 seconds a judgment, unless others are given.",
        NUMBER_STUDIES["cost"],
        cost,
    ),
    "reusability": Study(
        gettext_noop("Pairs of runs that swap after more judgments, by stated confidence"),
        f"{PAPER}, section 5.2; from 20 to 40 judgments of each topic, unless others are given. published: "
        "MTC’s confidence, unjudged documents as in Carterette 2007; one half: each of them; calibrated: by "
        "this project’s model. wrong: by all judgments, unjudged documents counted as not relevant; open: at "
        "least so many of the wrong could be right, as unjudged documents may be relevant.",
        AGREEMENT_STUDIES["reusability"],
        swaps,
    ),
}
