"""Topics beside the best runs: what each leaves open of each run's score, as a picture to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaigns.models import Campaign, Interval
from campaigns.predictions.standings import RunStanding
from campaigns.results.topic_rows import TopicRow

# Upper ends of the shades of residual; the last holds the rest.
SHADES = (0.1, 0.25, 0.5, 0.75, 1.0)
# Of more topics as many are drawn, spread evenly over what topics leave open.
MOST_COLUMNS = 200
# So many topic numbers fit below the columns.
MOST_NUMBERS = 24
# A column's drawn width, its gap left out; gaps between columns so narrow would be all there is to see.
GAP, LEAST_GAP_COLUMNS = 0.12, 80


@dataclass(frozen=True)
class TopicColumn:
    """`residual`: mean of the runs that take part. `number_shown`: below the column; others would collide."""

    topic: TopicRow
    residual: float
    closed: bool
    suggested: bool
    number_shown: bool


@dataclass(frozen=True)
class TopicCells:
    """`paths`: by shade, in units of one column and one row; `unjudged`: columns without a judgment; `strip`:
    the same topics as columns in hundredths, the most open first: least to most residual of the runs, and the
    mean."""

    columns: Sequence[TopicColumn]
    runs: Sequence[RunStanding]
    paths: Sequence[str]
    unjudged: str
    strip_ranges: str
    strip_means: str

    @property
    def width(self) -> int:
        return len(self.columns)

    @property
    def height(self) -> int:
        return len(self.runs)


def topic_cells_of(
    *,
    campaign: Campaign,
    topics: Sequence[TopicRow],
    runs: Sequence[RunStanding],
    residuals: Mapping[int, float],
    closed: set[int],
) -> TopicCells:
    """`residuals`: means of the runs by topic, 1 where none is given."""
    next_topic = suggested_topic(topics, residuals, closed)
    topics = _spread(topics, residuals, next_topic)
    every = -(-len(topics) // MOST_NUMBERS) or 1
    columns = [
        TopicColumn(
            topic,
            residuals.get(topic.id, 1.0),
            topic.id in closed,
            topic.id == next_topic,
            place % every == 0,
        )
        for place, topic in enumerate(topics)
    ]
    rows = Interval.objects.filter(run__in=[run.id for run in runs], topic__in=[topic.id for topic in topics])
    cells = {(run, topic): left for run, topic, left in rows.values_list("run", "topic", "residual")}
    by_topic = [[cells.get((run.id, column.topic.id), 1.0) for run in runs] for column in columns]
    return TopicCells(columns, runs, *_drawn(columns, by_topic), *_strip(columns, by_topic))


def _spread(
    topics: Sequence[TopicRow], residuals: Mapping[int, float], next_topic: int | None
) -> Sequence[TopicRow]:
    """`MOST_COLUMNS` of them in their order, from the one that leaves most open on, and the next one."""
    if len(topics) <= MOST_COLUMNS:
        return topics
    order = sorted(topics, key=lambda topic: -residuals.get(topic.id, 1.0))
    chosen = {order[at * len(order) // MOST_COLUMNS].id for at in range(MOST_COLUMNS)}
    return [topic for topic in topics if topic.id in chosen or topic.id == next_topic]


def suggested_topic(
    topics: Sequence[TopicRow], residuals: Mapping[int, float], closed: set[int]
) -> int | None:
    """Id of the open topic with documents left that leaves most open; ties by their order."""
    left = [topic for topic in topics if topic.id not in closed and topic.remaining != 0]
    return max(left, key=lambda topic: residuals.get(topic.id, 1.0)).id if left else None


def _drawn(columns: Sequence[TopicColumn], by_topic: list[list[float]]) -> tuple[list[str], str]:
    width = 1 - GAP if len(columns) <= LEAST_GAP_COLUMNS else 1
    paths: list[list[str]] = [[] for _ in SHADES]
    unjudged = []
    for place, (column, residuals) in enumerate(zip(columns, by_topic, strict=True)):
        if not column.topic.judged:
            unjudged.append(_block(place, 0, len(residuals), width))
            continue
        shades = [_shade(residual) for residual in residuals]
        start = 0
        for row in range(1, len(shades) + 1):
            # Equal neighbours are one block: the page stays small.
            if row == len(shades) or shades[row] != shades[start]:
                paths[shades[start]].append(_block(place, start, row - start, width))
                start = row
    return ["".join(path) for path in paths], "".join(unjudged)


def _block(column: int, row: int, height: int, width: float) -> str:
    return f"M{column} {row}h{width:g}v{height}h-{width:g}z"


def _shade(residual: float) -> int:
    return next((shade for shade, end in enumerate(SHADES) if residual <= end), len(SHADES) - 1)


def _strip(columns: Sequence[TopicColumn], by_topic: list[list[float]]) -> tuple[str, str]:
    order = sorted(range(len(columns)), key=lambda place: -columns[place].residual)
    ranges, means = [], []
    for at, place in enumerate(order):
        x, cells = f"{100 * (at + 0.5) / len(columns):.2f}", by_topic[place]
        if cells:
            ranges.append(f"M{x} {100 * (1 - max(cells)):.1f}V{100 * (1 - min(cells)):.1f}")
        means.append(f"M{x} {100 * (1 - columns[place].residual):.1f}h0")
    return "".join(ranges), "".join(means)
