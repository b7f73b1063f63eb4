"""Figures for papers: which rows are in them, and what was drawn already."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import Any

from django.utils import timezone

from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Computed, Drawing, Interval, Snapshot
from campaigns.models.packed import unpack_runs, unpack_weights
from campaigns.results.charts import (
    FIGURE_TYPES,
    MOST_CHART_CURVES,
    WIDTHS,
    ChartCurve,
    RangeRow,
    curves_chart,
    ranges_chart,
    render_chart,
)
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.results.topic_scope import check_scope, judged_topics

FIGURES = ("intervals", "curves", "residuals")
# More rows than these are no figure.
MOST_FIGURE_ROWS = 200
# A figure that is so old may be sent though judgments came since: it says when it was drawn.
RECENT = timedelta(seconds=60)


@dataclass(frozen=True)
class FigureRequest:
    """`top`: so many of the best runs, or of the topics that are most open; 0: all. `topics`: of which scores
    are means; the curves are of all."""

    figure: str
    width: int
    top: int
    kind: str
    topics: str = "all"

    def __post_init__(self) -> None:
        if self.figure not in FIGURES or self.kind not in FIGURE_TYPES:
            raise Refusal("unknown_figure", f"no figure {self.figure}.{self.kind}", status=404)
        if self.width not in WIDTHS:
            there = " or ".join(map(str, WIDTHS))
            raise Refusal("bad_width", f"a figure is {there} mm wide, not {self.width}", field="width")
        if not 0 <= self.top <= MOST_FIGURE_ROWS:
            raise Refusal("bad_top", f"top is a number from 0 to {MOST_FIGURE_ROWS}, 0 for all", field="top")

        check_scope(self.topics)
        if self.figure == "curves" and self.topics != "all":
            raise Refusal("no_scope", "curves are of all topics", field="topics")

    @property
    def name(self) -> str:
        of = f"-{self.topics}-topics" if self.topics != "all" else ""
        return f"{self.figure}-{self.width}mm{of}" + (f"-top{self.top}" if self.top else "")


def drawing_of(*, campaign: Campaign, wanted: FigureRequest) -> Drawing | None:
    """The figure if it was drawn of what is computed now, or a moment ago; None if it is to be drawn."""
    row = Drawing.objects.filter(campaign=campaign, name=wanted.name, kind=wanted.kind).first()
    computed = Computed.objects.filter(campaign=campaign).values_list("applied", "configuration").first()
    if row is None or computed is None:
        return None
    is_recent = row.configuration == computed[1] and row.created > timezone.now() - RECENT
    return row if is_recent or (row.as_of, row.configuration) == computed else None


def draw_figure(*, campaign: Campaign, wanted: FigureRequest) -> Drawing:
    """Draw the figure and keep it in place of an older one. Takes a second or several."""
    with consistent_reads():
        computed = Computed.objects.filter(campaign=campaign).first() or Computed()
        specification = specify(campaign=campaign, wanted=wanted)
    row, _ = Drawing.objects.update_or_create(
        campaign=campaign,
        name=wanted.name,
        kind=wanted.kind,
        defaults={
            "content": render_chart(specification, wanted.kind),
            "as_of": computed.applied,
            "configuration": computed.configuration,
            "created": timezone.now(),
        },
    )
    return row


def specify(*, campaign: Campaign, wanted: FigureRequest) -> dict[str, Any]:
    scope = check_scope(wanted.topics)
    ranges = score_ranges_of(campaign=campaign, topics=scope)
    best = sorted(ranges, key=lambda run: (-run.base, -run.top, run.run))
    if wanted.figure == "curves":
        found = _curves(campaign, best[: min(wanted.top or MOST_CHART_CURVES, MOST_CHART_CURVES)])
        return curves_chart(found, width=wanted.width, title=f"{campaign.measure}: base, and up to top")
    top = wanted.top or MOST_FIGURE_ROWS
    if wanted.figure == "intervals":
        rows = [RangeRow(run.run, run.base, run.projected, run.top) for run in best[:top]]
        of = "" if scope == "all" else f", {len(judged_topics(campaign=campaign))} judged topics"
        title = f"{campaign.measure}, base to top{of}"
        return ranges_chart(rows, width=wanted.width, title=title, mark="projected")
    numbers = judged_topics(campaign=campaign) if scope == "judged" else None
    rows = _residuals(campaign, [run.id for run in best], numbers)[:top]
    return ranges_chart(rows, width=wanted.width, title="residual of the runs", mark="median")


def _residuals(campaign: Campaign, runs: list[int], topics: list[int] | None) -> list[RangeRow]:
    """Each topic's smallest, median and largest residual of the runs, the most open topics first; None: of
    all."""
    of_topic = defaultdict(list)
    cells = Interval.objects.filter(run__in=runs)
    cells = cells if topics is None else cells.filter(topic__in=topics)
    for number, residual in cells.order_by("topic__position").values_list("topic__number", "residual"):
        of_topic[number].append(residual)
    rows = [RangeRow(number, min(found), median(found), max(found)) for number, found in of_topic.items()]
    return sorted(rows, key=lambda row: -row.mark)


def _curves(campaign: Campaign, runs: list[RunScoreRange]) -> list[ChartCurve]:
    seen: dict[int, tuple[list[int], list[float], list[float]]] = {
        run.id: ([0], [0.0], [1.0]) for run in runs
    }
    for row in Snapshot.objects.filter(campaign=campaign).order_by("as_of"):
        bases, residuals = unpack_weights(row.bases).tolist(), unpack_weights(row.residuals).tolist()
        for run, base, residual in zip(unpack_runs(row.runs).tolist(), bases, residuals, strict=True):
            if run in seen:
                judged, of_base, of_residual = seen[run]
                judged.append(row.judged)
                of_base.append(base)
                of_residual.append(residual)
    return [ChartCurve(run.run, *seen[run.id]) for run in runs]
