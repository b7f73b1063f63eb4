"""Runs by all measures of the campaign: the best estimate by each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.measurement.measured_scores import MeasuredCampaign, MeasureScores
from campaigns.measurement.measured_standings import (
    MeasuredStandings,
    Span,
    Statement,
    StatementKind,
    statement_of,
)
from campaigns.models import Campaign
from campaigns.predictions.standings import Standings

# The table of a panel; the page of each run has its own scores.
MOST_ROWS = 20


@dataclass(frozen=True)
class MeasureColumn:
    """`kind`: of the scores, means over `topics` topics."""

    name: str
    kind: StatementKind
    topics: int


@dataclass(frozen=True)
class RunLine:
    id: int
    run: str
    cells: Sequence[Statement]


@dataclass(frozen=True)
class MeasureTable:
    """`more`: runs beyond the first ones; `reason`: why there are no scores yet."""

    as_of: int
    columns: Sequence[MeasureColumn]
    lines: Sequence[RunLine]
    more: int
    reason: str = ""


def measure_table(
    campaign: Campaign, measured: MeasuredCampaign, own: MeasuredStandings | None, standings: Standings
) -> MeasureTable | None:
    """Runs in the order of the verdict: by the campaign's `own` standings, else by those of score ranges.
    None for a campaign of one measure."""
    if len(campaign.measure_names) < 2:
        return None
    order = [(row.id, row.run) for row in (own.rows if own else standings.rows) if row.id in measured.place]
    every = measured.content.measures
    # The model's expectation by the RBP of score ranges is not among what is measured.
    predicted = standings if standings.prediction is not None and not standings.early else None
    columns = [_column(one, predicted if one.name == campaign.rbp else None) for one in every]
    lines = []
    for id, run in order[:MOST_ROWS]:
        at = measured.place[id]
        cells = [_cell(one, at, predicted if one.name == campaign.rbp else None, id) for one in every]
        lines.append(RunLine(id, run, cells))
    more = max(len(order) - MOST_ROWS, 0)
    return MeasureTable(measured.as_of, columns, lines, more, measured.content.reason)


def _column(scores: MeasureScores, predicted: Standings | None) -> MeasureColumn:
    estimate = scores.best_estimate
    if estimate is not None:
        sampled = estimate.kind == "sampled" and not any(end is not None for end in estimate.low)
        return MeasureColumn(scores.name, "estimated" if sampled else estimate.kind, estimate.topics)
    return MeasureColumn(scores.name, "usual" if predicted is None else "expected", scores.topics)


def _cell(scores: MeasureScores, at: int, predicted: Standings | None, run: int) -> Statement:
    if predicted is None or scores.best_estimate is not None:
        return statement_of(scores, scores.best_estimate, at)
    row = predicted.of_run(run)
    if row is None or row.too_early or row.low is None or row.high is None:
        return Statement(None)
    return Statement(row.expected, Span(row.low, row.high))
