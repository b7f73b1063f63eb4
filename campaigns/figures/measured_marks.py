"""The first runs by a measured score, drawn as on the overview: bounds, interval and score of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.core import decimals
from campaigns.figures.intervals import BAND, GAP, STEP
from campaigns.figures.sheet import BEST, GRID, NORMAL, SMALL, SOFT, WIDTHS, Scale, Sheet, fit, text_width
from campaigns.measurement.measured_standings import MeasuredRow, MeasuredStandings

NAMES = 0.28


@dataclass(frozen=True)
class MarkNames:
    """Names of the marks, in the reader's language; `heading`: of the column of scores."""

    run: str
    heading: str
    bounds: str
    interval: str
    score: str


def draw_measured(standings: MeasuredStandings, rows: Sequence[MeasuredRow], names: MarkNames) -> Sheet:
    sheet = Sheet(WIDTHS[1])
    tags = min(max([text_width(row.run) for row in rows], default=0.0), NAMES * sheet.width)
    numbers = max(text_width(names.heading, SMALL), text_width("0.000", SMALL))
    scale = Scale(0.0, standings.reach, tags + GAP + 2, sheet.width - numbers - GAP - 2)
    y = _key(sheet, standings, names) + SMALL + 4
    sheet.text(1, y, names.run, size=SMALL, colour=SOFT)
    sheet.text(sheet.width - 1, y, names.heading, size=SMALL, anchor="end", colour=SOFT)
    top = y + 3
    bottom = top + STEP * len(rows)
    for tick in standings.ticks:
        sheet.line(scale(tick), top, scale(tick), bottom + 2, colour=GRID)
        text = decimals.decimal(tick, 2, trim=True)
        sheet.text(scale(tick), bottom + 3 + SMALL, text, size=SMALL, anchor="middle")
    for place, row in enumerate(rows):
        _row(sheet, scale, row, tags, top + STEP * (place + 0.5))
    return sheet


def _row(sheet: Sheet, scale: Scale, row: MeasuredRow, tags: float, y: float) -> None:
    sheet.text(1, y + 2.6, fit(row.run, tags))
    if row.bounds is not None:
        sheet.whisker(scale(row.bounds.low), scale(row.bounds.high), y)
    if row.interval is not None:
        long = max(scale(row.interval.high) - scale(row.interval.low), 0.5)
        sheet.bar(scale(row.interval.low), y - BAND / 2, long, BAND, colour=BEST)
    if row.score is not None:
        sheet.dot(scale(row.score), y)
    sheet.text(sheet.width - 1, y + 2.5, decimals.score(row.score), size=SMALL, anchor="end")


def _key(sheet: Sheet, standings: MeasuredStandings, names: MarkNames) -> float:
    x, y = 1.0, NORMAL
    if standings.has_bounds:
        sheet.whisker(x, x + 15, y - 2.4)
        x = _name(sheet, x, y, names.bounds)
    if standings.has_intervals:
        sheet.bar(x, y - 5, 15, BAND, colour=BEST)
        x = _name(sheet, x, y, names.interval)
    sheet.dot(x + 12, y - 2.4)
    _name(sheet, x, y, names.score)
    return y


def _name(sheet: Sheet, x: float, y: float, words: str) -> float:
    sheet.text(x + 19, y, words, size=SMALL)
    return x + 29 + text_width(words, SMALL)
