"""The report of a campaign as a printed page: A4, with margins around a sheet of both columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby

from campaigns.figures.sheet import (
    GRID,
    INK,
    NO_BREAK,
    SOFT,
    WIDTHS,
    Sheet,
    fit,
    plain_words,
    render_sheet,
    text_width,
    wrap,
)

A4 = (210.0, 297.0)
TITLE, VERDICT, BIG, TEXT, NOTE = 15.0, 11.5, 19.0, 9.0, 7.5
GAP = 12.0
_MARKUP = re.compile(r"(<[^<>]*>)")


@dataclass(frozen=True)
class ReportNumber:
    """One of the large numbers. `value` and `note` are HTML: a `<small>` part of the value is set small."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Report:
    """Contents of the page, in the language of its reader. `verdict` is HTML with bold names; `facts`: labels
    and values; `figure`: as wide as the sheet."""

    title: str
    dated: str
    verdict: str
    numbers: Sequence[ReportNumber]
    figure_title: str
    figure: Sheet | None
    caption: str
    statements: Sequence[tuple[str, str]]
    facts: Sequence[tuple[str, str]]


def report_pdf(report: Report) -> bytes:
    plain = " ".join(text for text, _bold in _pieces(report.verdict))
    return render_sheet(draw_report(report), "pdf", title=report.title, caption=plain, page=A4)


def draw_report(report: Report) -> Sheet:
    sheet = Sheet(WIDTHS[1])
    y = TITLE
    dated = text_width(report.dated, TEXT)
    sheet.text(0, y, fit(report.title, sheet.width - dated - GAP, TITLE, bold=True), size=TITLE, bold=True)
    sheet.text(sheet.width, y, report.dated, size=TEXT, anchor="end", colour=SOFT)
    y = _rule(sheet, y + 7)
    y = _rich(sheet, y + 3, report.verdict, size=VERDICT) + 8
    y = _rule(sheet, _numbers(sheet, y, report.numbers) + 6)
    if report.figure is not None:
        sheet.text(0, y + 12, report.figure_title, size=VERDICT, bold=True)
        y = sheet.place(report.figure, y + 18) + 2
        y = sheet.paragraph(y, report.caption, size=NOTE)
    y = _rule(sheet, y + 6)
    y = _statements(sheet, y, report.statements)
    _facts(sheet, _rule(sheet, y + 10), report.facts)
    return sheet


def _rule(sheet: Sheet, y: float) -> float:
    sheet.line(0, y, sheet.width, y, colour=GRID, width=0.7)
    return y + 4


def _numbers(sheet: Sheet, y: float, numbers: Sequence[ReportNumber]) -> float:
    """Side by side; the `y` below the longest."""
    room = (sheet.width - GAP * (len(numbers) - 1)) / max(len(numbers), 1)
    labels = [wrap(number.label, room, NOTE) for number in numbers]
    deepest = max(map(len, labels), default=0)
    bottom = y
    for place, number in enumerate(numbers):
        left = place * (room + GAP)
        for line, text in enumerate(labels[place], deepest - len(labels[place]) + 1):
            sheet.text(left, y + line * (NOTE + 2), text, size=NOTE, colour=SOFT)
        below = y + deepest * (NOTE + 2) + BIG
        large, _, small = number.value.partition("<small>")
        large, small = _plain(large), _plain(small)
        sheet.text(left, below, large, size=BIG, bold=True)
        sheet.text(left + text_width(large, BIG, bold=True) + 4, below, small, size=TEXT, colour=SOFT)
        below += 3
        for part in re.split(r"<br\s*/?>", number.note):
            for text in wrap(_plain(part), room, NOTE):
                below += NOTE + 2
                sheet.text(left, below, text, size=NOTE, colour=SOFT)
        bottom = max(bottom, below)
    return bottom


def _statements(sheet: Sheet, y: float, statements: Sequence[tuple[str, str]]) -> float:
    """A heading and a text each, side by side."""
    room = (sheet.width - 2 * GAP * (len(statements) - 1)) / max(len(statements), 1)
    bottom = y
    for place, (heading, text) in enumerate(statements):
        left, line = place * (room + 2 * GAP), y + 12
        sheet.text(left, line, heading, size=TEXT + 1, bold=True)
        for words in wrap(text, room, TEXT):
            line += TEXT + 3
            sheet.text(left, line, words, size=TEXT)
        bottom = max(bottom, line)
    return bottom


def _facts(sheet: Sheet, y: float, facts: Sequence[tuple[str, str]]) -> float:
    """Labels beside values; a value that is too long takes further lines."""
    left = max([text_width(label, TEXT) for label, _value in facts], default=0.0) + GAP
    y += 2
    for label, value in facts:
        sheet.text(0, y + TEXT + 2, label, size=TEXT, colour=SOFT)
        for words in wrap(value, sheet.width - left, TEXT):
            y += TEXT + 3
            sheet.text(left, y - 1, words, size=TEXT)
    return y


def _rich(sheet: Sheet, y: float, html: str, *, size: float) -> float:
    """Lines over the whole width with bold words among others; the `y` below them."""
    x, blank = 0.0, text_width(" ", size)
    y += size
    for word in _words(html):
        long = sum(text_width(text, size, bold=bold) for text, bold in word)
        if x and x + long > sheet.width:
            x, y = 0.0, y + size + 4
        for text, bold in word:
            text = fit(text, sheet.width, size, bold=bold)
            sheet.text(x, y, text, size=size, bold=bold, colour=INK)
            x += text_width(text, size, bold=bold)
        x += blank
    return y


def _words(html: str) -> Iterator[list[tuple[str, bool]]]:
    """Split at blanks; each word is a list of its plain and bold pieces."""
    letters = [(letter, bold) for text, bold in _pieces(html) for letter in text]
    for is_blank, group in groupby(letters, key=lambda one: one[0].isspace() and one[0] != NO_BREAK):
        if not is_blank:
            yield [
                ("".join(letter for letter, _bold in piece), bold)
                for bold, piece in groupby(group, key=lambda one: one[1])
            ]


def _pieces(html: str) -> Iterator[tuple[str, bool]]:
    bold = False
    for part in _MARKUP.split(html):
        if part.startswith("<"):
            bold = part == "<strong>" if "strong" in part else bold
        elif part:
            yield unescape(part), bold


def _plain(html: str) -> str:
    return plain_words(unescape(_MARKUP.sub("", html)))
