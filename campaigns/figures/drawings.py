"""Requests of figures, and the figures that the worker has drawn already."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone, translation

from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.figures.convergence_figure import MOST_CURVES, ConvergenceFigure, convergence_of
from campaigns.figures.intervals import MOST_RUNS, IntervalsFigure, intervals_figure_of
from campaigns.figures.provenance import provenance_of
from campaigns.figures.sheet import FIGURE_TYPES, WIDTHS, render_sheet
from campaigns.figures.topic_residuals import MOST_TOPICS, TopicsFigure, topics_figure_of
from campaigns.models import Campaign, Computed, Drawing, Prediction
from campaigns.predictions.standings import standings_of
from campaigns.results.topic_scope import check_scope

# Rows of each figure that fit on a page and can be distinguished.
MOST_ROWS = {"intervals": MOST_RUNS, "curves": MOST_CURVES, "residuals": MOST_TOPICS}
# A figure that is so old may be sent though judgments came since: its caption says what it knows.
RECENT = timedelta(seconds=60)

Figure = IntervalsFigure | ConvergenceFigure | TopicsFigure


@dataclass(frozen=True)
class FigureRequest:
    """`top`: so many of the first runs, or of the topics that are most open; 0: as many as usual. `topics`:
    of which scores are means."""

    figure: str
    width: int
    top: int = 0
    topics: str = "all"

    def __post_init__(self) -> None:
        if self.figure not in MOST_ROWS:
            raise Refusal("unknown_figure", f"no figure {self.figure}", status=404)
        if self.width not in WIDTHS:
            there = " or ".join(map(str, WIDTHS))
            raise Refusal("bad_width", f"a figure is {there} mm wide, not {self.width}", field="width")
        most = MOST_ROWS[self.figure]
        if not 0 <= self.top <= most:
            detail = f"top is a number from 0 to {most}, 0 for the usual number, not {self.top}"
            raise Refusal("bad_top", detail, field="top")
        check_scope(self.topics)

    @property
    def name(self) -> str:
        of = f"-{self.topics}-topics" if self.topics != "all" else ""
        return f"{self.figure}-{self.width}mm{of}" + (f"-top{self.top}" if self.top else "")


def drawing_of(
    *, campaign: Campaign, wanted: FigureRequest, kind: str = "svg", as_of: int | None = None
) -> Drawing | None:
    """The figure if it was drawn of what is computed and predicted now, a moment ago, or as of that entry of
    the log; None if it is to be drawn."""
    drawn = Drawing.objects.filter(campaign=campaign, name=wanted.name, kind=kind)
    # Those without a caption show what an earlier version drew.
    row = drawn.exclude(caption="").first()
    computed = Computed.objects.filter(campaign=campaign).values_list("applied", "configuration").first()
    if row is None or computed is None or row.configuration != computed[1]:
        return None
    is_kept = row.created > timezone.now() - RECENT or row.as_of == as_of
    stamp = row.as_of, row.predicted_as_of
    return row if is_kept or stamp == (computed[0], _predicted_as_of(campaign)) else None


def draw_figure(*, campaign: Campaign, wanted: FigureRequest) -> None:
    """Draw the figure in all its formats, of the same data, and keep them in place of older ones."""
    # Figures are kept for readers of any language.
    with translation.override("en"):
        with consistent_reads():
            computed = Computed.objects.filter(campaign=campaign).first() or Computed()
            predicted = _predicted_as_of(campaign)
            figure = figure_of(campaign=campaign, wanted=wanted)
        caption = figure.caption_at(wanted.width)
        files = {kind: render_figure(figure, wanted, kind) for kind in FIGURE_TYPES}
    stamp = {
        "caption": caption,
        "as_of": computed.applied,
        "predicted_as_of": predicted,
        "configuration": computed.configuration,
        "created": timezone.now(),
    }
    with transaction.atomic():
        for kind, content in files.items():
            Drawing.objects.update_or_create(
                campaign=campaign, name=wanted.name, kind=kind, defaults={"content": content, **stamp}
            )


def figure_of(*, campaign: Campaign, wanted: FigureRequest) -> Figure:
    scope = check_scope(wanted.topics)
    provenance = provenance_of(campaign=campaign, scope=scope)
    if wanted.figure == "residuals":
        return topics_figure_of(campaign=campaign, provenance=provenance, top=wanted.top)
    standings = standings_of(campaign=campaign, topics=scope)
    if wanted.figure == "intervals":
        return intervals_figure_of(
            campaign=campaign, provenance=provenance, standings=standings, top=wanted.top
        )
    return convergence_of(campaign=campaign, provenance=provenance, standings=standings, top=wanted.top)


def render_figure(figure: Figure, wanted: FigureRequest, kind: str) -> bytes:
    """One file of the figure; as JSON its numbers and the text to set below it."""
    caption = figure.caption_at(wanted.width)
    if kind == "json":
        about = {"figure": wanted.figure, "caption": caption, **figure.provenance.to_json()}
        return json.dumps({**about, **figure.to_json()}, indent=1, ensure_ascii=False).encode() + b"\n"
    return render_sheet(figure.draw(wanted.width), kind, title=figure.title, caption=caption)


def _predicted_as_of(campaign: Campaign) -> int | None:
    rows = Prediction.objects.filter(campaign=campaign, configuration=campaign.configuration)
    return rows.values_list("as_of", flat=True).first()
