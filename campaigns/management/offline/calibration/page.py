"""The calibration table as lines, and as a page of the documentation with its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

from campaigns.figures.charts import GRID_COLOUR, LINES, alt, finished, inline, render_chart
from selection.calibration.coverage import POOLED, Coverage, Verdict
from selection.calibration.prediction_trials import RUN_INTERVAL
from selection.simulation.relevance.prior import taught_collections


def coverage_line(row: Coverage) -> dict[str, Any]:
    figures = row.interval
    return {
        "statement": row.statement,
        "regime": row.regime,
        "collection": row.collection,
        "without": row.family,
        "nominal": row.nominal,
        "covered": row.covered,
        "by campaign": row.by_campaign,
        "error": None if row.error != row.error else row.error,
        "above": figures and figures.above,
        "below": figures and figures.below,
        "width": figures and figures.width,
        "score": figures and figures.score,
        "level error": figures and figures.level,
        "cases": row.cases,
        "campaigns": row.campaigns,
        "stated": row.stated,
        "ratio": row.ratio,
        "holds": row.verdict,
    }


PAGE = Path(__file__).with_suffix(".md")


def calibration_page(rows: Sequence[Coverage], picture: str) -> str:
    """Markdown: a summary, the picture's place, and a table for each statement."""
    taught = taught_collections()
    text = {
        "picture": picture,
        "summary": _summary(rows),
        "brief": _brief(rows),
        "chosen": ", ".join(row.name for row in taught if row.chosen),
        "families": ", ".join(dict.fromkeys(f"`{row.family}`" for row in taught)),
    }
    page = PAGE.read_text()
    for name, value in text.items():
        page = page.replace(f"{{{name}}}", value)
    parts = [page]
    for statement in dict.fromkeys(row.statement for row in rows):
        about = [row for row in rows if row.statement == statement]
        columns = [name for name in COLUMNS if any(COLUMNS[name](row) is not None for row in about)]
        parts += [f"## {statement}\n", _row(columns), "|---" * len(columns) + "|"]
        parts += [_row([COLUMNS[name](row) or "–" for name in columns]) for row in about]
        parts.append("")
    return "\n".join(parts)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def _summary(rows: Sequence[Coverage]) -> str:
    """A Markdown table of how many rows of each statement hold."""
    lines = [_row(["statement", *VERDICTS]), "|---" * (len(VERDICTS) + 1) + "|"]
    for statement in dict.fromkeys(row.statement for row in rows):
        verdicts = [row.verdict for row in rows if row.statement == statement]
        lines.append(_row([statement, *(str(verdicts.count(one)) for one in VERDICTS)]))
    return "\n".join(lines)


def _brief(rows: Sequence[Coverage]) -> str:
    """A Markdown table of the runs' intervals in all campaigns, by collection."""
    names = ("came true", "by campaign", "above", "below", "width", "score")
    heads = ["collection", "without", "campaigns", *names]
    lines = [_row(heads), "|---" * len(heads) + "|"]
    for row in rows:
        if row.statement == RUN_INTERVAL and row.regime == "any" and row.interval is not None:
            without = "each its family" if row.collection == POOLED else row.family or "–"
            figures = [COLUMNS[name](row) or "–" for name in names]
            lines.append(_row([row.collection, without, str(row.campaigns), *figures]))
    return "\n".join(lines)


def _percent(value: float | None, digits: int = 1) -> str | None:
    return None if value is None or value != value else f"{100 * value:.{digits}f}%"


def _of_interval(name: str) -> Callable[[Coverage], float | None]:
    return lambda row: None if row.interval is None else getattr(row.interval, name)


def _number(value: float | None, digits: int) -> str | None:
    return None if value is None else f"{value:.{digits}f}"


_above, _below, _width, _score, _level = map(_of_interval, ("above", "below", "width", "score", "level"))
# Cells by the head of their column; None where a row has no such figure.
COLUMNS: dict[str, Callable[[Coverage], str | None]] = {
    "collection": lambda row: row.collection,
    "campaigns of": lambda row: row.regime,
    "promised": lambda row: _percent(row.nominal),
    "came true": lambda row: _percent(row.covered),
    "by campaign": lambda row: _percent(row.by_campaign),
    "±": lambda row: "–" if row.error != row.error else f"{100 * row.error:.1f}",
    "above": lambda row: _percent(_above(row)),
    "below": lambda row: _percent(_below(row)),
    "width": lambda row: _percent(_width(row), 0),
    "score": lambda row: _number(_score(row), 2),
    "level error": lambda row: _number(_level(row), 3),
    "cases": lambda row: f"{row.cases:,}",
    "campaigns": lambda row: str(row.campaigns),
    "stated": lambda row: None if row.ratio is None and row.stated == 1 else _percent(row.stated, 0),
    "ratio": lambda row: _number(row.ratio, 2),
    "holds": lambda row: row.verdict,
}


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
