"""Statements about one run, or about a pair, by each measure of the campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.measurement.measured_scores import MeasuredCampaign, MeasureScores
from campaigns.measurement.measured_standings import (
    MeasuredPair,
    MeasuredStandings,
    Span,
    Statement,
    bounds_of,
    measured_standings,
    statement_of,
)
from campaigns.models import Campaign
from campaigns.pages.runs.pair_outlook import MeanDifference
from campaigns.predictions.standings import RunStanding
from campaigns.results.score_ranges import RunScoreRange

NOTHING = Statement(None)


@dataclass(frozen=True)
class MeasureStatements:
    """A run's statements by one measure: certain `bounds`, by a sample, by a model, and the usual value.
    A statement without a score does not exist."""

    name: str
    topics: int
    bounds: Span | None
    sampled: Statement
    expected: Statement
    usual: Statement


def run_statements(
    campaign: Campaign, measured: MeasuredCampaign, run: int, standing: RunStanding | None
) -> Sequence[MeasureStatements]:
    """State the scores by all measures; none of a run that does not take part, or by score ranges alone."""
    at = measured.place.get(run)
    measures = measured.content.measures
    sampled = any(one.estimate("sampled") for one in measures)
    if at is None or not (sampled or campaign.measure_names != [campaign.rbp]):
        return []
    return [_statements(one, at, standing if one.name == campaign.rbp else None) for one in measures]


def _statements(scores: MeasureScores, at: int, standing: RunStanding | None) -> MeasureStatements:
    kinds = [scores.estimate("sampled"), scores.estimate("expected")]
    sampled, expected = (NOTHING if one is None else statement_of(scores, one, at) for one in kinds)
    if standing is not None and not standing.too_early and standing.low is not None:
        # The prediction, which is not among what is measured.
        expected = Statement(standing.expected, Span(standing.low, standing.high or standing.low))
    usual = statement_of(scores, None, at)
    return MeasureStatements(scores.name, scores.topics, bounds_of(scores, at), sampled, expected, usual)


@dataclass(frozen=True)
class PairStatements:
    """A pair by one measure, the run of the higher estimate first. `pair`: None where a run has no score by
    it; `predicted`: of RBP at p, the 95% prediction interval of the difference."""

    standings: MeasuredStandings
    pair: MeasuredPair | None
    predicted: Span | None = None


def pair_statements(
    campaign: Campaign,
    measured: MeasuredCampaign,
    measure: str,
    runs: tuple[RunScoreRange, RunScoreRange],
    predicted: MeanDifference,
) -> PairStatements:
    """`predicted`: of the two runs, in their order."""
    standings = measured_standings(campaign=campaign, measured=measured, measure=measure)
    one, other = (standings.row(run.id) for run in runs)
    if one is None or other is None or one.score is None or other.score is None:
        return PairStatements(standings, None)
    swapped = other.score > one.score
    pair = standings.pair(other, one) if swapped else standings.pair(one, other)
    band = predicted.band if measure == campaign.rbp else None
    if band is None:
        return PairStatements(standings, pair)
    return PairStatements(
        standings, pair, Span(-band.high, -band.low) if swapped else Span(band.low, band.high)
    )
