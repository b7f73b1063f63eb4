"""The figure of what each topic leaves open: the runs' residuals, the most open topic first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

from django.db import connection

from campaigns.core import decimals
from campaigns.core.phrases import group_digits
from campaigns.figures.provenance import Provenance, plural
from campaigns.figures.sheet import GRID, NORMAL, SMALL, SMALLEST, SOFT, Scale, Sheet, fit, text_width
from campaigns.models import Campaign
from campaigns.results.topic_rows import topics_of

MOST_TOPICS = 240
# Runs that a whisker leaves out at each end, as a share; of fewer runs than these, none.
TAIL, FEW_RUNS = 0.05, 20
# Rows of one column with titles, and of several without.
TITLED_ROWS, DENSE_ROWS = 60, 75
STEP, DENSE_STEP, GAP = 9.0, 7.6, 10.0
# Shares of a column's width that its topic numbers and titles may take.
NUMBERS, TITLES = 0.3, 0.42
# Topics without a judgment that are named.
MOST_NAMED = 40


@dataclass(frozen=True)
class OpenTopic:
    """Mean residual of the runs that take part; from `low` to `high` are at least nine in ten of them."""

    number: str
    title: str
    judged: int
    low: float
    mean: float
    high: float


@dataclass(frozen=True)
class TopicsFigure:
    """`every`: all topics of the scope, the most open first; of equally open ones in the campaign's order.
    Topics without a judgment leave everything open, and are named below the rows."""

    provenance: Provenance
    every: Sequence[OpenTopic]
    runs: int
    top: int = 0

    @property
    def judged(self) -> Sequence[OpenTopic]:
        return [topic for topic in self.every if topic.judged]

    @property
    def topics(self) -> Sequence[OpenTopic]:
        """One row each."""
        return self.judged[: self.top or MOST_TOPICS]

    @property
    def title(self) -> str:
        return f"Residual by topic, {self.provenance.measure}"

    @property
    def whisker(self) -> str:
        """Name of the whisker. Nine in ten of fewer than 20 runs are all of them."""
        return "nine in ten runs" if self.runs >= FEW_RUNS else "smallest to largest"

    @property
    def rest_note(self) -> str:
        rest = self.judged[len(self.topics) :]
        if not rest:
            return ""
        most = decimals.top(max(topic.mean for topic in rest))
        return (
            f"{group_digits(len(rest))} more judged {plural('topic', len(rest))}: all means at most {most}."
        )

    @property
    def unjudged_note(self) -> str:
        numbers = [topic.number for topic in self.every if not topic.judged]
        if not numbers:
            return ""
        named = ", ".join(numbers[:MOST_NAMED])
        more = f" and {group_digits(len(numbers) - MOST_NAMED)} more" if len(numbers) > MOST_NAMED else ""
        count = f"{group_digits(len(numbers))} {plural('topic', len(numbers))}"
        return f"{count} without a judgment (residual 1): {named}{more}."

    def caption_at(self, width: int) -> str:
        """The text to set below the figure; the same at each width."""
        shown = len(self.topics)
        some = "each judged topic" if shown == len(self.judged) else f"each of the {shown} most open topics"
        parts = [
            f"What {some} leaves open: residual of {group_digits(self.runs)} {plural('run', self.runs)},"
            f" {self.provenance.measure}, of {self.provenance.topics}.",
            f"Dot: mean over the runs; whisker: {self.whisker}.",
            self.rest_note,
            self.unjudged_note,
            self.provenance.sentence,
        ]
        return " ".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        unjudged = [topic for topic in self.every if not topic.judged]
        rows = [asdict(topic) for topic in [*unjudged, *self.topics]]
        return {"rows": rows, "left_out": len(self.every) - len(rows)}

    def draw(self, width: int) -> Sheet:
        sheet = Sheet(width)
        count = len(self.topics)
        columns = 1 if count <= TITLED_ROWS else ceil(count / DENSE_ROWS)
        rows = ceil(count / columns)
        across = (sheet.width - GAP * (columns - 1)) / columns
        layout = _Layout.of(self.topics, across, dense=columns > 1, titled=columns == 1 or sheet.wide)
        y = bottom = _key(sheet, self.whisker)
        for column in range(columns if rows else 0):
            some = self.topics[column * rows : (column + 1) * rows]
            bottom = max(bottom, _draw_column(sheet, layout, some, column * (across + GAP), y))
        title = fit(f"Residual of the runs, {self.provenance.measure}", sheet.width - 4, SMALL)
        half = text_width(title, SMALL) / 2
        middle = (layout.start + layout.end) / 2 if columns == 1 else sheet.width / 2
        sheet.text(min(middle, sheet.width - half - 1), bottom + SMALL, title, size=SMALL, anchor="middle")
        y = bottom + SMALL + 3
        for note in (self.rest_note, self.unjudged_note):
            y = sheet.paragraph(y, note)
        return sheet


def _key(sheet: Sheet, whisker: str) -> float:
    y, words = NORMAL, (whisker, "mean of the runs")
    second = 1 + 18 + text_width(words[0], SMALL) + 8
    sheet.whisker(1, 15, y - 2.4)
    sheet.text(19, y, words[0], size=SMALL)
    sheet.dot(second + 10, y - 2.4)
    sheet.text(second + 18, y, words[1], size=SMALL)
    return y + 5


@dataclass(frozen=True)
class _Layout:
    """Layout of one column, from its left edge: widths of numbers and titles, start and end of the
    picture."""

    numbers: float
    titles: float
    start: float
    end: float
    step: float
    size: float

    @classmethod
    def of(cls, topics: Sequence[OpenTopic], across: float, *, dense: bool, titled: bool) -> _Layout:
        size, step = (SMALLEST, DENSE_STEP) if dense else (SMALL, STEP)
        numbers = max([text_width(topic.number, size) for topic in topics], default=0.0) + 0.5
        numbers = min(numbers, NUMBERS * across)
        longest = max([text_width(topic.title, size) for topic in topics], default=0.0) + 0.5
        room = min(longest, TITLES * across) if titled else 0.0
        start = numbers + 5 + (room + 5 if room > 1 else 0)
        return cls(numbers, room, start, across - text_width("0.00", size) - 6, step, size)


def _draw_column(sheet: Sheet, layout: _Layout, topics: Sequence[OpenTopic], left: float, y: float) -> float:
    """Rows from `y` down with their axis; the `y` below. A column without rows has no axis."""
    if not topics:
        return y
    scale = Scale(0, 1, left + layout.start, left + layout.end)
    bottom = y + layout.step * len(topics)
    for tick in (0, 0.5, 1):
        sheet.line(scale(tick), y, scale(tick), bottom, colour=GRID)
    for place, topic in enumerate(topics):
        middle = y + layout.step * (place + 0.5)
        line, size = middle + 0.35 * layout.size, layout.size
        number = fit(topic.number, layout.numbers, size)
        sheet.text(left + 1 + layout.numbers, line, number, size=size, anchor="end", colour=SOFT)
        if layout.titles > 1 and topic.title:
            sheet.text(
                left + layout.numbers + 6,
                line,
                fit(topic.title, layout.titles, size, keep_end=False),
                size=size,
            )
        if topic.high > topic.low:
            sheet.whisker(scale(topic.low), scale(topic.high), middle, cap=1.6)
        sheet.dot(scale(topic.mean), middle, radius=1.5)
        sheet.text(left + layout.end + 5, line, decimals.decimal(topic.mean, 2), size=size)
    sheet.line(scale.start, bottom, scale.end, bottom)
    ticks = (0, 0.5, 1) if scale.end - scale.start > 40 else (0, 1)
    for tick in ticks:
        sheet.line(scale(tick), bottom, scale(tick), bottom + 2)
        sheet.text(scale(tick), bottom + 2.5 + layout.size, f"{tick:g}", size=layout.size, anchor="middle")
    return bottom + layout.size + 6


# A cell that was not computed yet can still be anything: its residual is 1.
_RESIDUALS = """
SELECT topic, percentile_disc(%(low)s) WITHIN GROUP (ORDER BY residual), avg(residual),
  percentile_disc(%(high)s) WITHIN GROUP (ORDER BY residual)
FROM (
  SELECT t.id AS topic, coalesce(i.residual, 1) AS residual
  FROM campaigns_topic t JOIN campaigns_run r ON r.campaign_id = t.campaign_id AND r.withdrawn_at IS NULL
  LEFT JOIN campaigns_interval i ON i.run_id = r.id AND i.topic_id = t.id
  WHERE t.campaign_id = %(campaign)s) cells
GROUP BY topic
"""


def topics_figure_of(*, campaign: Campaign, provenance: Provenance, top: int) -> TopicsFigure:
    with connection.cursor() as cursor:
        cursor.execute(_RESIDUALS, {"campaign": campaign.id, "low": TAIL, "high": 1 - TAIL})
        by_topic = {topic: bounds for topic, *bounds in cursor}
    rows = [
        OpenTopic(row.number, row.title, row.judged, *by_topic.get(row.id, (1.0, 1.0, 1.0)))
        for row in topics_of(campaign=campaign)
        if provenance.scope == "all" or row.judged
    ]
    rows.sort(key=lambda row: -row.mean)
    return TopicsFigure(provenance, rows, campaign.runs.taking_part().count(), top)
