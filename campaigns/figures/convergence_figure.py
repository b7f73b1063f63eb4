"""The figure of what judging has bought: mean residual and separated pairs over the judgments, and the score
range of each of the first runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from campaigns.core.phrases import group_digits
from campaigns.figures.provenance import Provenance, plural
from campaigns.figures.sheet import (
    FILL,
    GRID,
    INK,
    NORMAL,
    RANGE,
    SMALL,
    SMALLEST,
    SOFT,
    Scale,
    Sheet,
    fit,
    nice_step,
    text_width,
)
from campaigns.models import Campaign
from campaigns.predictions.prediction import SeparatedPairs, prediction_of
from campaigns.predictions.standings import Standings
from campaigns.results.curves import far_starts, residual_curves, stretches
from campaigns.results.topic_scope import TopicScope

# Small panels: so many a row, and so many by default.
MOST_CURVES = 24
ACROSS, USUAL = {84: 3, 178: 6}, {84: 6, 178: 12}
HEIGHTS, SMALL_HEIGHT, GAP = {84: 62.0, 178: 84.0}, 30.0, 8.0
DASHED = "3 2"
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class RunCurve:
    """A run's base and top once so many documents were judged, from the first time it was computed."""

    run: str
    judged: Sequence[int]
    base: Sequence[float]
    top: Sequence[float]


@dataclass(frozen=True)
class ConvergenceFigure:
    """`residuals`: mean over the runs, by scope; `pairs`: what predictions separated, by scope. A scope is
    missing where it says nothing of its own. `taking_part`: runs that the mean is over. `starts`: judged
    documents before which nothing was measured."""

    provenance: Provenance
    residuals: Mapping[TopicScope, Sequence[tuple[int, float]]]
    pairs: Mapping[TopicScope, Sequence[SeparatedPairs]]
    curves: Sequence[RunCurve]
    taking_part: int
    top: int = 0
    starts: AbstractSet[int] = frozenset()
    until: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "until", max(self.provenance.judged, 1))

    @property
    def title(self) -> str:
        return f"Convergence, {self.provenance.mean}"

    @property
    def most_pairs(self) -> int:
        return max((one.pairs for past in self.pairs.values() for one in past), default=0)

    @property
    def _scopes(self) -> tuple[TopicScope, TopicScope]:
        """The one that was asked for, and the other."""
        return ("all", "judged") if self.provenance.scope == "all" else ("judged", "all")

    def shown(self, width: int) -> Sequence[RunCurve]:
        return self.curves[: self.top or USUAL[width]]

    def caption_at(self, width: int) -> str:
        """The text to set below the figure."""
        shown = len(self.shown(width))
        parts = [
            f"Panel a: mean residual of {group_digits(self.taking_part)} {plural('run', self.taking_part)},"
            f" {self.provenance.measure}, while documents were judged. Lines have gaps where judgments came"
            " from a file, or while nothing was computed.",
            "Panel b: pairs of the first ten runs by expected score that are certain, or have a predicted"
            " probability of at least 95%.",
            f"Panel c: base and top of the first {shown} {plural('run', shown)},"
            f" mean over {self.provenance.topics}.",
        ]
        if len(self.residuals) > 1:
            own, other = (_words(self.provenance, scope) for scope in self._scopes)
            parts.append(
                f"Solid: {own}; dashed: {other}. Judged topics are those judged now in panels a and c,"
                " and those judged by then in panel b."
            )
        return " ".join([*parts, self.provenance.sentence])

    def to_json(self) -> dict[str, Any]:
        """`not_measured_before`: judged documents of points that no line joins to the one before."""
        return {
            "not_measured_before": sorted(self.starts),
            "mean_residual": {
                scope: [{"judged": judged, "residual": value} for judged, value in points]
                for scope, points in self.residuals.items()
            },
            "pairs": {
                scope: [
                    {"judged": one.judged, "pairs": one.pairs, "certain": one.certain, "likely": one.likely}
                    for one in past
                ]
                for scope, past in self.pairs.items()
            },
            "runs": [
                {
                    "run": run.run,
                    "points": [
                        {"judged": judged, "base": base, "top": top}
                        for judged, base, top in zip(run.judged, run.base, run.top, strict=True)
                    ],
                }
                for run in self.curves[: self.top or USUAL[178]]
            ],
        }

    def draw(self, width: int) -> Sheet:
        sheet = Sheet(width)
        y = self._key(sheet)
        across = (sheet.width - 2 * GAP) / 2 if sheet.wide else sheet.width
        left = across + 2 * GAP if sheet.wide else 0.0
        bottom = self._residuals(sheet, 0, across, y)
        y = self._pairs(sheet, left, left + across, y if sheet.wide else bottom + 4)
        if self.shown(width):
            y = self._small_panels(sheet, max(y, bottom) + 4, self.shown(width))
        return sheet

    def _key(self, sheet: Sheet) -> float:
        """Draw the legend of lines by topics; nothing if there is one line."""
        y = 0.0
        if len(self.residuals) > 1:
            x = 1.0
            for scope in self._scopes:
                words = _words(self.provenance, scope)
                sheet.curve([(x, NORMAL - 2.4), (x + 16, NORMAL - 2.4)], **self._style(scope))
                sheet.text(x + 20, NORMAL, words, size=SMALL)
                x += 34 + text_width(words, SMALL)
            y = NORMAL + 5
        return y

    def _style(self, scope: TopicScope) -> dict[str, Any]:
        if scope == self.provenance.scope:
            return {"colour": INK, "width": 1.2}
        return {"colour": RANGE, "width": 1.0, "dash": DASHED}

    def _residuals(self, sheet: Sheet, left: float, right: float, y: float) -> float:
        runs = f"{group_digits(self.taking_part)} {plural('run', self.taking_part)}"
        ticks = {0.0: "0", 0.25: "0.25", 0.5: "0.5", 0.75: "0.75", 1.0: "1"}
        panel = _Panel.at(sheet, left, right, y, self.until, ticks)
        bottom = panel.frame(sheet, f"a  Mean residual of {runs}")
        self._lines(
            sheet, panel, {scope: (points, "{:.2f}") for scope, points in self.residuals.items()}, dots=False
        )
        return bottom

    def _pairs(self, sheet: Sheet, left: float, right: float, y: float) -> float:
        most = self.most_pairs
        parts = next(parts for parts in (3, 2, 1) if most % parts == 0)
        ticks = {float(tick): str(tick) for tick in range(0, most + 1, max(most // parts, 1))}
        panel = _Panel.at(sheet, left, right, y, self.until, ticks)
        of = f", of {most}" if most else ""
        bottom = panel.frame(sheet, f"b  Separated pairs of the first ten runs{of}")
        if not most:
            x, y = (panel.x.start + panel.x.end) / 2, (panel.y.start + panel.y.end) / 2 + 2
            sheet.text(x, y, "nothing predicted yet", size=SMALL, anchor="middle", colour=SOFT)
        lines = {
            scope: ([(one.judged, float(one.separated)) for one in past], "{:.0f}")
            for scope, past in self.pairs.items()
        }
        self._lines(sheet, panel, lines, dots=True)
        return bottom

    def _lines(
        self, sheet: Sheet, panel: _Panel, lines: Mapping[TopicScope, tuple[Points, str]], *, dots: bool
    ) -> None:
        """Each scope's line, and its last value at its end."""
        ends = []
        for scope in reversed(self._scopes):
            points, shown = lines.get(scope, ((), ""))
            # Few points are marked: between them nothing was measured.
            marked = dots and len(points) <= 40
            starts = self.starts | far_starts([int(judged) for judged, _ in points] if dots else [])
            for part in stretches(points, starts):
                places = [(panel.x(x), panel.y(y)) for x, y in part]
                sheet.curve(places, **self._style(scope))
                for x, y in places if marked or len(places) == 1 else ():
                    sheet.dot(x, y, radius=1.4, hollow=scope != self.provenance.scope)
            # A line that was never begun has no end.
            if len(points) > (0 if dots else 1):
                ends.append((panel.y(points[-1][1]), shown.format(points[-1][1]), scope))
        for (_, text, scope), y in zip(
            sorted(ends), _apart(sorted(end[0] for end in ends), panel), strict=True
        ):
            bold = scope == self.provenance.scope
            sheet.text(panel.x.end + 4, y + 2.4, text, size=SMALL, bold=bold, colour=INK if bold else SOFT)

    def _small_panels(self, sheet: Sheet, y: float, curves: Sequence[RunCurve]) -> float:
        across = ACROSS[sheet.millimetres]
        y += NORMAL
        runs = "each run" if len(curves) == self.taking_part else f"the first {len(curves)} runs"
        sheet.text(1, y, f"c  Score range of {runs}, base to top", bold=True)
        left, row = 14.0, SMALL + SMALL_HEIGHT + 9
        each = (sheet.width - left - 4 - GAP * (across - 1)) / across
        rows = ceil(len(curves) / across)
        for place, curve in enumerate(curves):
            line, column = divmod(place, across)
            x = Scale(0, self.until, left + column * (each + GAP), left + column * (each + GAP) + each)
            top = y + 5 + row * line
            last = place + across >= len(curves)
            _small_panel(sheet, curve, self.starts, x, top, labelled=column == 0, last=last)
        y += 5 + row * rows + SMALLEST
        title = f"Judged documents; {self.provenance.mean}"
        sheet.text(sheet.width / 2, y + 7, fit(title, sheet.width - 4, SMALL), size=SMALL, anchor="middle")
        return y + 9


def _small_panel(
    sheet: Sheet,
    curve: RunCurve,
    starts: AbstractSet[int],
    x: Scale,
    top: float,
    *,
    labelled: bool,
    last: bool,
) -> None:
    """One run's base and top. Numbers stand left of the first panel of a line, and below the `last` ones."""
    sheet.text(x.start, top + SMALL, fit(curve.run, x.end - x.start, SMALLEST), size=SMALLEST)
    y = Scale(0, 1, top + SMALL + 4 + SMALL_HEIGHT, top + SMALL + 4)
    for tick in (0, 0.5, 1):
        sheet.line(x.start, y(tick), x.end, y(tick), colour=GRID)
        if labelled and tick != 0.5:
            sheet.text(x.start - 3, y(tick) + 2.3, f"{tick:g}", size=SMALLEST, anchor="end")
    points = list(zip(curve.judged, curve.base, curve.top, strict=True))
    for part in stretches(points, starts):
        base = [(x(judged), y(low)) for judged, low, _ in part]
        upper = [(x(judged), y(high)) for judged, _, high in part]
        if len(part) == 1:
            sheet.line(*base[0], *upper[0], colour=RANGE, width=0.8)
            continue
        sheet.curve([*base, *reversed(upper)], fill=FILL)
        sheet.curve(upper, colour=RANGE, width=0.8)
        sheet.curve(base, colour=INK, width=1.0)
    if last:
        sheet.text(x.start, y.start + SMALLEST + 2, "0", size=SMALLEST)
        sheet.text(x.end, y.start + SMALLEST + 2, group_digits(x.high), size=SMALLEST, anchor="end")


@dataclass(frozen=True)
class _Panel:
    x: Scale
    y: Scale
    left: float
    ticks: Mapping[float, str]

    @classmethod
    def at(
        cls, sheet: Sheet, left: float, right: float, y: float, until: int, ticks: Mapping[float, str]
    ) -> _Panel:
        """Right of it is room for the lines' last values."""
        inside = left + 18
        top = y + NORMAL + 6
        height = HEIGHTS[sheet.millimetres]
        return cls(
            Scale(0, until, inside, right - 21),
            Scale(0, max([*ticks, 1.0]), top + height, top),
            left,
            ticks,
        )

    def frame(self, sheet: Sheet, title: str) -> float:
        """Title, grid and axes; the `y` below."""
        sheet.text(self.left + 1, self.y.end - 6, title, bold=True)
        for tick, words in self.ticks.items():
            sheet.line(self.x.start, self.y(tick), self.x.end, self.y(tick), colour=GRID)
            sheet.text(self.x.start - 3, self.y(tick) + 2.4, words, size=SMALL, anchor="end")
        bottom, until = self.y.start, self.x.high
        sheet.line(self.x.start, bottom, self.x.end, bottom)
        room = text_width(group_digits(until), SMALL) + 10
        step = int(nice_step(until, max(int((self.x.end - self.x.start) / room), 1)))
        for tick in range(0, int(until) + 1, step):
            sheet.line(self.x(tick), bottom, self.x(tick), bottom + 2)
            sheet.text(self.x(tick), bottom + 2.5 + SMALL, group_digits(tick), size=SMALL, anchor="middle")
        middle = (self.x.start + self.x.end) / 2
        sheet.text(middle, bottom + 5 + 2 * SMALL, "Judged documents", size=SMALL, anchor="middle")
        return bottom + 9 + 2 * SMALL


def _apart(places: Sequence[float], panel: _Panel) -> list[float]:
    """Labels a line apart, moved as little as keeps them beside the panel."""
    heights = list(places)
    for at in range(1, len(heights)):
        heights[at] = max(heights[at], heights[at - 1] + SMALL + 1.5)
    over = max(heights[-1] - panel.y.start, 0.0) if heights else 0.0
    return [place - over for place in heights]


def _words(provenance: Provenance, scope: TopicScope) -> str:
    counts = provenance.counts
    if scope == "all":
        return f"all {group_digits(counts.all)} {plural('topic', counts.all)}"
    return f"the {group_digits(counts.judged)} judged {plural('topic', counts.judged)}"


def convergence_of(
    *, campaign: Campaign, provenance: Provenance, standings: Standings, top: int
) -> ConvergenceFigure:
    """The runs in the order of the standings; both scopes where they differ."""
    counts = provenance.counts
    scopes: list[TopicScope] = ["all"] if counts.judged in (0, counts.all) else ["all", "judged"]
    if provenance.scope not in scopes:
        scopes = [provenance.scope]
    predictions = {scope: prediction_of(campaign=campaign, topics=scope) for scope in scopes}
    first = standings.rows[: top or USUAL[178]]
    ids = [row.id for row in first]
    curves = {scope: residual_curves(campaign=campaign, runs=ids, topics=scope) for scope in scopes}
    bounds = curves[provenance.scope].bounds
    return ConvergenceFigure(
        provenance,
        {scope: curve.residual for scope, curve in curves.items()},
        {scope: one.history for scope, one in predictions.items() if one},
        [RunCurve(row.run, *zip(*bounds[row.id], strict=True)) for row in first],
        standings.runs,
        top,
        frozenset(curves[provenance.scope].starts),
    )
