"""Verdicts of many campaigns in a few statements, for a list of them."""

from __future__ import annotations

from collections.abc import Sequence

from campaigns.models import Campaign, Computed, LogHead, Prediction, Run
from campaigns.predictions.prediction import missing_prediction, read_prediction
from campaigns.predictions.standings import RunStanding, Standings, Verdict, ordered_rows
from campaigns.results.score_ranges import UNKNOWN_SCORES, mean_scores
from selection.simulation.relevance.relevance_model import MODEL_VERSION


def verdicts_of(*, campaigns: Sequence[Campaign]) -> dict[int, Verdict]:
    """Verdicts by campaign, each that of `standings_of` over all topics."""
    computed = Computed.objects.in_bulk([campaign.id for campaign in campaigns])
    lengths = dict(LogHead.objects.filter(campaign__in=campaigns).values_list("campaign", "length"))
    known = Prediction.objects.filter(campaign__in=campaigns, content__model=MODEL_VERSION)
    predictions = {row.campaign_id: row for row in known.defer("differences", "judged_pairs", "experience")}
    tags: dict[int, list[tuple[int, str]]] = {campaign.id: [] for campaign in campaigns}
    runs = Run.objects.taking_part().filter(campaign__in=campaigns).order_by("id")
    for campaign, run, tag in runs.values_list("campaign", "id", "tag"):
        tags[campaign].append((run, tag))
    return {
        one.id: _standings(
            one,
            computed.get(one.id) or Computed(),
            predictions.get(one.id),
            lengths.get(one.id, 0),
            tags[one.id],
        ).verdict
        for one in campaigns
    }


def _standings(
    campaign: Campaign, computed: Computed, row: Prediction | None, length: int, tags: list[tuple[int, str]]
) -> Standings:
    if row is not None and row.configuration != campaign.configuration:
        row = None
    scores = mean_scores(computed)
    rows = []
    for run, tag in tags:
        base, residual, *_ = scores.get(run, UNKNOWN_SCORES)
        rows.append(RunStanding(run, tag, "", base, base + residual, late=False, contributes=True))
    prediction = None if row is None else read_prediction(row, "all")
    why = None if prediction else missing_prediction(campaign, row, length, lambda: len(tags))
    ordered = ordered_rows(rows, prediction)
    return Standings("all", computed.applied, computed.judged, length, ordered, prediction, why)
