"""The overview's panels, which change together as judging goes on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

from django.utils.safestring import SafeString

from campaigns.duplicates.judgment_copies import copy_count
from campaigns.exchange.versions import Version, of_advice, of_log, of_measured, of_score_ranges
from campaigns.measurement.measured_scores import measured_of
from campaigns.measurement.measured_standings import (
    SURE,
    MeasuredPair,
    MeasuredRow,
    MeasuredStandings,
    has_own_standings,
    measured_standings,
)
from campaigns.models import Anchor, Campaign
from campaigns.models.campaign import JudgmentCopies
from campaigns.overview.convergence import Progress, progress_of
from campaigns.overview.measure_table import MeasureTable, measure_table
from campaigns.overview.next_step import NextStep, is_attended, next_step_of
from campaigns.overview.score_axis import ScoreAxis, score_axis
from campaigns.overview.topic_cells import TopicCells, suggested_topic, topic_cells_of
from campaigns.people.invitations import open_invitations
from campaigns.people.workload import bars, days_of
from campaigns.predictions.prediction import TOP_RUNS
from campaigns.predictions.standings import MatrixPair, RunStanding, Standings, standings_of
from campaigns.results.anchors import AnchorProgress, anchor_progress, may_offer_anchors
from campaigns.results.topic_rows import (
    JudgingProgress,
    TopicRow,
    judging_now,
    judging_progress,
    mean_residuals,
    topics_of,
)
from campaigns.results.topic_scope import ScopeCounts, TopicScope, scope_counts
from campaigns.stopping.advice import StoppingAdvice, stopping_advice_of
from campaigns.templatetags.contexts import CampaignContext, PageContext

FOLDER = "campaigns/dashboard"
# By their templates, as they stand above each other and then beside each other.
BEFORE = ("verdict", "anchors", "ranges")
BELOW = ("measures", "pairs", "bought", "cells", "topics", "judging")
# Panels about the primary measure: those of another measure than RBP have templates of their own.
BY_MEASURE = ("verdict", "ranges", "pairs")
MEASURED_FOLDER = "campaigns/measured"
# What says of which log entry a panel is.
STAMP = re.compile(r'<span\s+class="stamp"\s*>([^<]*)</span>')
BEST_ROWS, OPEN_TOPICS, OVERVIEW_DAYS, NEXT_PAIRS = 20, 6, 14, 3
# Of more runs the first ones are rows here; the table of runs has all.
MOST_ROWS = 150


@dataclass(frozen=True)
class RunStrip:
    """Every run as a column of a drawing, in hundredths of its width and height. `shown`: the width of those
    that are rows, too; else paths."""

    shown: str
    whisker: str
    best: str
    other: str
    dot: str


@dataclass(frozen=True)
class OpenTopic:
    topic: TopicRow
    residual: float
    closed: bool
    suggested: bool
    complete: bool

    @property
    def width(self) -> str:
        return f"{100 * self.residual:.1f}"


class Overview(CampaignContext):
    """Parts as of one reading. `standings` are over the topics of the scope, `every` over all; both by the
    RBP of score ranges. `measured`: by the primary measure, None where those are by it; with the pairs of its
    first runs. `copies`: judged documents whose judgment is a copy. `next_step`: None if archived."""

    fragments = (
        *(f"{FOLDER}/_{name}.html" for name in (*BEFORE, *BELOW) if name != "measures"),
        *(f"{MEASURED_FOLDER}/_{name}.html" for name in ("measures", *BY_MEASURE)),
    )
    scope: TopicScope
    counts: ScopeCounts
    done: JudgingProgress
    copies: int
    standings: Standings
    every: Standings
    measured: MeasuredStandings | None
    measured_pairs: list[MeasuredPair]
    measures: MeasureTable | None
    best_share: str
    predicted_age: int
    strip: RunStrip
    matrix: list[tuple[RunStanding, list[MatrixPair]]]
    progress: Progress
    advice: StoppingAdvice | None
    cells: TopicCells
    open_topics: list[OpenTopic]
    judging: list[tuple[str, list[TopicRow]]]
    next_step: NextStep | None
    anchors: AnchorProgress
    offer_anchors: bool
    days: list[dict[str, Any]]
    best_rows: int = BEST_ROWS
    most_rows: int = MOST_ROWS

    @property
    def axis(self) -> ScoreAxis:
        """The axis of the rows by RBP, as long as the score ranges of the first rows."""
        return score_axis((row.base, row.top) for row in self.standings.rows[: self.best_rows])

    @property
    def measured_axis(self) -> ScoreAxis:
        """The axis of the rows by the primary measure, if it is another one."""
        if self.measured is None:
            return score_axis(())
        return score_axis(map(_ends, self.measured.rows[: self.best_rows]), self.measured.reach)

    @property
    def triangle(self) -> list[tuple[MeasuredRow, list[MeasuredPair]]]:
        """The same as `matrix`, of pairs by the primary measure."""
        runs = self.measured.rows[:TOP_RUNS] if self.measured and self.measured_pairs else []
        return [(row, [one for one in self.measured_pairs if one.other is row]) for row in runs]

    @property
    def separated(self) -> int:
        return sum(pair.state in SURE for pair in self.measured_pairs)

    @property
    def next_pairs(self) -> list[MeasuredPair]:
        """The open pairs nearest to being separated."""
        unsure = [pair for pair in self.measured_pairs if pair.state not in SURE and pair.nearness]
        return sorted(unsure, key=lambda pair: -pair.nearness)[:NEXT_PAIRS]

    def panels(self) -> dict[str, SafeString]:
        """All panels by their names: the same for every organiser of one language."""
        own = ("measures", *(BY_MEASURE if self.measured else ()))
        folders = {name: MEASURED_FOLDER if name in own else FOLDER for name in (*BEFORE, *BELOW)}
        return {name: self.html(template=f"{folder}/_{name}.html") for name, folder in folders.items()}


class OverviewPanels(PageContext):
    template = f"{FOLDER}/_overview.html"
    before: dict[str, SafeString]
    below: dict[str, SafeString]


def overview_part(overview: Overview) -> SafeString:
    panels = overview.panels()
    return OverviewPanels(*({name: panels[name] for name in names} for names in (BEFORE, BELOW))).html()


def without_stamp(html: str) -> str:
    """Panel without its stamp: only a change in the rest is worth sending."""
    return STAMP.sub("", html)


def stamps_of(panels: Mapping[str, str]) -> dict[str, str]:
    """Words of each panel's stamp."""
    stamps = {name: STAMP.search(html) for name, html in panels.items()}
    return {name: unescape(stamp[1]) for name, stamp in stamps.items() if stamp}


def overview_version(campaign: Campaign) -> Version:
    """Version of the overview: as long as it stays, the panels show the same, but for who judges now."""
    drawn = Anchor.objects.filter(topic__campaign=campaign).count() if campaign.anchors else 0
    computed = *of_score_ranges(campaign), *of_advice(campaign), *of_measured(campaign)
    people = is_attended(campaign), open_invitations(campaign=campaign).count()
    return *of_log(campaign), *computed, campaign.status, drawn, *people


def overview_of(campaign: Campaign, scope: TopicScope) -> Overview:
    every = standings_of(campaign=campaign)
    standings = every if scope == "all" else standings_of(campaign=campaign, topics=scope)
    topics = topics_of(campaign=campaign)
    residuals = mean_residuals(campaign=campaign)
    closed = set(campaign.topics.exclude(closed_at=None).values_list("id", flat=True))
    scores = measured_of(campaign=campaign)
    own = has_own_standings(campaign, scores)
    measured = measured_standings(campaign=campaign, measured=scores) if own else None
    now, first = judging_now(campaign=campaign), every.rows[:TOP_RUNS]
    advice = stopping_advice_of(campaign=campaign)
    open_topics = _open_topics(campaign, topics, residuals, closed)
    suggested = next(((one.topic, one.residual) for one in open_topics if one.suggested), None)
    invited = open_invitations(campaign=campaign).count()
    return Overview(
        campaign=campaign,
        scope=scope,
        counts=scope_counts(campaign=campaign),
        done=judging_progress(campaign=campaign, topics=topics),
        copies=copy_count(campaign) if campaign.judgment_copies != JudgmentCopies.OFF else 0,
        standings=standings,
        every=every,
        measured=measured,
        measured_pairs=measured.pairs(TOP_RUNS) if measured else [],
        measures=measure_table(campaign, scores, measured, standings),
        best_share=f"{100 * (standings.verdict.best or 0):.1f}",
        predicted_age=standings.length - (standings.predicted_as_of or 0),
        strip=_strip(standings),
        matrix=_matrix(standings),
        progress=progress_of(campaign=campaign, standings=every),
        advice=advice,
        cells=topic_cells_of(
            campaign=campaign, topics=topics, runs=first, residuals=residuals, closed=closed
        ),
        open_topics=open_topics[:OPEN_TOPICS],
        judging=_by_person(now, {topic.id: topic for topic in topics}),
        next_step=next_step_of(
            campaign, topic=suggested, every=None if own else every, advice=advice, invited=invited
        ),
        anchors=anchor_progress(campaign),
        offer_anchors=may_offer_anchors(campaign),
        days=bars(days_of(campaign=campaign, days=OVERVIEW_DAYS)),
    )


def _ends(row: MeasuredRow) -> tuple[float, float]:
    spans = [span for span in (row.bounds, row.interval) if span]
    ends = [end for span in spans for end in (span.low, span.high)] or [0.0]
    score = ends[0] if row.score is None else row.score
    return min(*ends, score), max(*ends, score)


def _strip(standings: Standings) -> RunStrip:
    rows = standings.rows
    lines: dict[str, list[str]] = {"whisker": [], "best": [], "other": [], "dot": []}
    for place, row in enumerate(rows):
        x = f"{100 * (place + 0.5) / len(rows):.2f}"
        lines["whisker"].append(f"M{x} {100 * (1 - row.top):.1f}V{100 * (1 - row.base):.1f}")
        if row.too_early or row.low is None or row.high is None or row.expected is None:
            continue
        band = f"M{x} {100 * (1 - row.high):.1f}V{100 * (1 - row.low):.1f}"
        lines["best" if row.may_be_best else "other"].append(band)
        lines["dot"].append(f"M{x} {100 * (1 - row.expected):.1f}h0")
    shown = 100 * min(BEST_ROWS, len(rows)) / (len(rows) or 1)
    return RunStrip(f"{shown:.2f}", **{name: "".join(parts) for name, parts in lines.items()})


def _matrix(standings: Standings) -> list[tuple[RunStanding, list[MatrixPair]]]:
    """The pairs as a triangle: a row for each run but the first, with its pairs with those above it."""
    runs = standings.rows[:TOP_RUNS] if standings.pairs else []
    pairs = {(pair.run.id, pair.other.id): pair for pair in standings.pairs}
    return [(row, [pairs[one.id, row.id] for one in runs[:place]]) for place, row in enumerate(runs)]


def _open_topics(
    campaign: Campaign, topics: list[TopicRow], residuals: dict[int, float], closed: set[int]
) -> list[OpenTopic]:
    """Most open first; closed ones last."""
    next_topic = suggested_topic(topics, residuals, closed)
    rows = [
        OpenTopic(
            topic,
            residuals.get(topic.id, 1.0),
            topic.id in closed,
            topic.id == next_topic,
            bool(campaign.min_judgments) and not topic.left,
        )
        for topic in topics
    ]
    return sorted(rows, key=lambda row: (row.closed, -row.residual))


def _by_person(now: dict[int, list[str]], topics: dict[int, TopicRow]) -> list[tuple[str, list[TopicRow]]]:
    by_name: dict[str, list[TopicRow]] = {}
    for topic, names in now.items():
        for name in names if topic in topics else ():
            by_name.setdefault(name, []).append(topics[topic])
    return sorted(by_name.items())
