"""The figure of the score ranges: for each run what is certain, what is predicted and what is expected, with
the numbers, the order and the rules of the overview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, floor
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from campaigns.core import decimals
from campaigns.core.phrases import group_digits
from campaigns.figures.provenance import Provenance
from campaigns.figures.sheet import (
    BEST,
    GRID,
    NORMAL,
    OTHER,
    SMALL,
    SMALLEST,
    SOFT,
    Scale,
    Sheet,
    fit,
    text_width,
)
from campaigns.models import Campaign
from campaigns.predictions.prediction import HELD, HELD_WORST
from campaigns.predictions.standings import RunStanding, Standings, count_runs
from campaigns.results.score_ranges import score_ranges_of
from campaigns.results.topic_scope import SCOPES

# Runs that fit on a page, and that are drawn by default.
MOST_RUNS, USUAL_RUNS = 60, 30
STEP, GAP, BAND, BLANK = 9.5, 6.0, 5.4, 3.0
# Share of the width that names may take.
NAMES = {84: 0.4, 178: 0.28}


@dataclass(frozen=True)
class IntervalsFigure:
    """`rows`: drawn, in the order of `standings`; `rest`: not drawn. `axis`: the first and the last score on
    the axis; the same for all and for judged topics, so that the two can be compared."""

    provenance: Provenance
    standings: Standings
    top: int
    axis: tuple[float, float] = (0.0, 1.0)

    @property
    def rows(self) -> Sequence[RunStanding]:
        return self.standings.rows[: self.top or USUAL_RUNS]

    @property
    def rest(self) -> Sequence[RunStanding]:
        return self.standings.rows[len(self.rows) :]

    @property
    def predicted(self) -> bool:
        """While it is too early, only score ranges are shown."""
        return self.standings.prediction is not None and not self.standings.early

    @property
    def title(self) -> str:
        return _("Score ranges, %(mean)s") % {"mean": self.provenance.mean}

    def caption_at(self, width: int) -> str:
        """The text to set below the figure; the same at each width."""
        parts = [self._first_sentence, _("Whisker: score range, base to top, certain.")]
        if any(run.same for run in self.rows):
            text = _("Runs that rank the same documents in the same order share a row (“%(words)s”).")
            parts.append(text % {"words": _same_words(1)})
        if self.predicted:
            assert self.standings.predicted_as_of is not None
            held = _(
                "Band: 95%% prediction interval of the score once every ranked document is judged; in tests"
                " on collections left out it held for %(held)s in 100 runs, in the worst for %(worst)s."
            )
            entry = _("Predicted from the log up to entry %(entry)s.")
            parts += [
                held % {"held": HELD, "worst": HELD_WORST},
                _("Dot: expected score; runs stand in its order."),
                _("Dark band and bold name: P(best) ≥ 1%, or among the leaders."),
                entry % {"entry": group_digits(self.standings.predicted_as_of)},
            ]
            if any(run.too_early for run in self.rows):
                parts.append(_("Without band and dot: too early, the interval would be too wide."))
        parts += [self.note, self.rest_note, self.provenance.sentence]
        return " ".join(part for part in parts if part)

    @property
    def _first_sentence(self) -> str:
        runs, drawn = self.standings.runs, count_runs(self.rows)
        if self.rest:
            text = ngettext(
                "The first %(drawn)s of %(runs)s run: %(measure)s, mean over %(topics)s.",
                "The first %(drawn)s of %(runs)s runs: %(measure)s, mean over %(topics)s.",
                runs,
            )
        else:
            text = ngettext(
                "All %(runs)s run: %(measure)s, mean over %(topics)s.",
                "All %(runs)s runs: %(measure)s, mean over %(topics)s.",
                runs,
            )
        return text % {
            "drawn": group_digits(drawn),
            "runs": group_digits(runs),
            "measure": self.provenance.measure,
            "topics": self.provenance.topics,
        }

    @property
    def note(self) -> str:
        if self.predicted:
            return ""
        if self.standings.early:
            return _("Too early to predict. Runs stand in the order of their expected scores.")
        order = _("Runs stand in the order of the middle of their score ranges.")
        return f"{self._reason} {order}"

    @property
    def _reason(self) -> str:
        why = self.standings.unpredicted
        if why is not None and why.reason == "all_relevant":
            counts = {"relevant": group_digits(why.relevant), "judged": group_digits(why.judged)}
            return _("%(relevant)s of %(judged)s judgments are relevant: nothing can be predicted.") % counts
        if why is not None and why.reason == "none_relevant":
            return _("No judgment is relevant: nothing can be predicted.")
        return _("No prediction yet.")

    @property
    def rest_note(self) -> str:
        """Sentence about all runs that are not drawn."""
        if not self.rest:
            return ""
        count = count_runs(self.rest)
        top = decimals.top(max(run.top for run in self.rest))
        if not self.predicted:
            words = ngettext(
                "%(count)s more run: all tops at most %(top)s.",
                "%(count)s more runs: all tops at most %(top)s.",
                count,
            )
            return words % {"count": group_digits(count), "top": top}
        words = ngettext(
            "%(count)s more run: all expected at most %(expected)s, all tops at most %(top)s.",
            "%(count)s more runs: all expected at most %(expected)s, all tops at most %(top)s.",
            count,
        )
        expected = decimals.top(max(_middle(run) for run in self.rest))
        sentence = words % {"count": group_digits(count), "expected": expected, "top": top}
        may = count_runs([run for run in self.rest if run.may_be_best])
        if not may:
            return sentence
        if any(run.leader for run in self.rest):
            also = ngettext(
                "%(count)s of them is among the leaders.", "%(count)s of them are among the leaders.", may
            )
        else:
            also = ngettext(
                "%(count)s of them has P(best) ≥ 1%%.", "%(count)s of them have P(best) ≥ 1%%.", may
            )
        return f"{sentence} {also % {'count': group_digits(may)}}"

    def to_json(self) -> dict[str, Any]:
        rows = []
        for run in self.rows:
            row = asdict(run)
            if not self.predicted:
                row |= dict.fromkeys(("expected", "low", "high", "best", "first", "last"))
            elif run.too_early:
                row |= dict.fromkeys(("expected", "low", "high"))
            rows.append(row)
        predicted = self.standings.predicted_as_of if self.predicted else None
        return {"runs": rows, "left_out": count_runs(self.rest), "predicted_as_of": predicted}

    def draw(self, width: int) -> Sheet:
        sheet = Sheet(width)
        columns = _Columns.of(self, sheet)
        leaders = any(run.leader for run in self.standings.rows)
        other = _("not among the leaders") if leaders else _("P(best) below 1%%") % {}
        y = _key(sheet, predicted=self.predicted, other=other)
        y = columns.head(sheet, y)
        first = y + STEP / 2
        _grid(sheet, columns.scale, y, y + STEP * len(self.rows))
        for place, run in enumerate(self.rows):
            self._row(sheet, columns, run, first + STEP * place)
            if place + 1 == self.standings.last_may < len(self.rows) and self.predicted:
                sheet.line(0, y + STEP * (place + 1), sheet.width, y + STEP * (place + 1), colour=SOFT)
        y = _axis(sheet, columns.scale, y + STEP * len(self.rows), self.provenance.mean)
        for note in (self.rest_note, self.note):
            y = sheet.paragraph(y, note)
        return sheet

    def _row(self, sheet: Sheet, columns: _Columns, run: RunStanding, y: float) -> None:
        scale = columns.scale
        bold = self.predicted and run.may_be_best
        name = fit(run.run, columns.names - _same_width(run), bold=bold)
        sheet.text(1, y + 2.6, name, bold=bold)
        if run.same:
            after = 1 + text_width(name, bold=bold) + BLANK
            sheet.text(after, y + 2.6, _same(run), size=SMALL, colour=SOFT)
        sheet.whisker(scale(run.base), scale(run.top), y)
        shown = self.predicted and not run.too_early
        if shown and run.low is not None and run.high is not None and run.expected is not None:
            colour = BEST if run.may_be_best else OTHER
            sheet.bar(
                scale(run.low), y - BAND / 2, max(scale(run.high) - scale(run.low), 0.5), BAND, colour=colour
            )
            sheet.dot(scale(run.expected), y)
        for cell in columns.cells:
            sheet.text(cell.right, y + 2.5, cell.text(run), size=SMALL, anchor="end", bold=bold)


def _same(run: RunStanding) -> str:
    return _same_words(len(run.same)) if run.same else ""


def _same_words(count: int) -> str:
    return ngettext("+%(n)s same", "+%(n)s same", count) % {"n": count}


def _same_width(run: RunStanding) -> float:
    """With the gap before it."""
    return BLANK + text_width(_same(run), SMALL) if run.same else 0.0


def _middle(run: RunStanding) -> float:
    return (run.base + run.top) / 2 if run.expected is None else run.expected


@dataclass(frozen=True)
class _Cell:
    """A column of numbers that ends at `right`."""

    name: str
    right: float

    @property
    def heading(self) -> str:
        return _(self.name)

    def text(self, run: RunStanding) -> str:
        if self.name == "Score range":
            return f"{decimals.base(run.base)}–{decimals.top(run.top)}"
        if self.name == "P(best)":
            return _("leader") if run.leader else decimals.chance(run.best)
        if self.name == "Rank":
            if run.first is None:
                return "–"
            return str(run.first) if run.first == run.last else f"{run.first}–{run.last}"
        return "–" if run.expected is None or run.too_early else decimals.expected(run.expected)


@dataclass(frozen=True)
class _Columns:
    names: float
    scale: Scale
    cells: Sequence[_Cell]

    @classmethod
    def of(cls, figure: IntervalsFigure, sheet: Sheet) -> _Columns:
        """Names left, numbers right, the picture in between."""
        named = [
            text_width(run.run, bold=figure.predicted and run.may_be_best) + _same_width(run)
            for run in figure.rows
        ]
        names = min(max([*named, text_width(_("Run"))]) + 0.5, NAMES[sheet.millimetres] * sheet.width)
        wanted = [gettext_noop("Score range")] if sheet.wide or not figure.predicted else []
        if figure.predicted:
            first = [gettext_noop("Rank"), gettext_noop("P(best)")] if sheet.wide else []
            wanted = [*first, gettext_noop("Expected"), *wanted]
        right, cells = sheet.width - 1, list[_Cell]()
        for name in reversed(wanted):
            cell = _Cell(name, right)
            cells.append(cell)
            texts = [text_width(cell.text(run), SMALL, bold=True) for run in figure.rows]
            right -= max([*texts, text_width(cell.heading, SMALL)]) + GAP
        return cls(names, Scale(*figure.axis, names + GAP + 2, right - 2), cells)

    def head(self, sheet: Sheet, y: float) -> float:
        y += SMALL + 1
        sheet.text(1, y, _("Run"), size=SMALL, colour=SOFT)
        for cell in self.cells:
            sheet.text(cell.right, y, cell.heading, size=SMALL, anchor="end", colour=SOFT)
        return y + 3


def _key(sheet: Sheet, *, predicted: bool, other: str) -> float:
    """Draw the legend of marks, in as many lines as the width needs; returns the `y` below."""
    marks = [("whisker", _("score range, certain"))]
    if predicted:
        marks += [
            ("best", _("95%% prediction interval") % {}),
            ("dot", _("expected score")),
            ("other", other),
        ]
    x, y = 1.0, NORMAL
    for mark, words in marks:
        long = 19 + text_width(words, SMALL)
        if x > 1 and x + long > sheet.width - 1:
            x, y = 1.0, y + NORMAL + 3
        if mark == "whisker":
            sheet.whisker(x, x + 15, y - 2.4)
        elif mark == "dot":
            sheet.dot(x + 12, y - 2.4)
        else:
            sheet.bar(x, y - 5, 15, BAND, colour=BEST if mark == "best" else OTHER)
        sheet.text(x + 19, y, words, size=SMALL)
        x += long + 10
    return y + 3


def _grid(sheet: Sheet, scale: Scale, top: float, bottom: float) -> None:
    for tick in _ticks(scale):
        sheet.line(scale(tick), top, scale(tick), bottom, colour=GRID)


def _axis(sheet: Sheet, scale: Scale, y: float, title: str) -> float:
    """The scale below the rows, and its title, inside the page; the `y` below."""
    sheet.line(scale.start, y, scale.end, y)
    for tick in _ticks(scale):
        sheet.line(scale(tick), y, scale(tick), y + 2)
        sheet.text(scale(tick), y + 2.5 + SMALL, decimals.as_typed(tick), size=SMALL, anchor="middle")
    y += 2 * SMALL + 6
    title = fit(title, sheet.width - 4, SMALL)
    half = text_width(title, SMALL) / 2
    middle = min(max((scale.start + scale.end) / 2, half + 1), sheet.width - half - 1)
    sheet.text(middle, y, title, size=SMALL, anchor="middle")
    return y + 3 + SMALLEST / 2


def _ticks(scale: Scale) -> list[float]:
    """Tenths, or as many of them as the labels have room for."""
    room = 13 * (scale.high - scale.low) / (scale.end - scale.start)
    step = next(step for step in (1, 2, 5) if step / 10 >= room or step == 5)
    first = ceil(10 * scale.low / step - 1e-9)
    return [tick * step / 10 for tick in range(first, floor(10 * scale.high / step + 1e-9) + 1)]


def intervals_figure_of(
    *, campaign: Campaign, provenance: Provenance, standings: Standings, top: int
) -> IntervalsFigure:
    figure = IntervalsFigure(provenance, standings, top)
    drawn = {run.id for run in figure.rows}
    ranges = [
        run
        for topics in SCOPES
        for run in score_ranges_of(campaign=campaign, topics=topics)
        if run.id in drawn
    ]
    low = floor(10 * min((run.base for run in ranges), default=0)) / 10
    high = ceil(10 * max((run.top for run in ranges), default=1)) / 10
    return replace(figure, axis=(max(low, 0.0), min(max(high, low + 0.1), 1.0)))
