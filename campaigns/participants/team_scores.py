"""Scores of a team's own runs: the score ranges that the organiser's page of the run shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from campaigns.core.database import consistent_reads
from campaigns.core.errors import Refusal
from campaigns.log.tallies import judged_in
from campaigns.measurement.measured_rows import run_figures
from campaigns.measurement.measured_scores import measured_of
from campaigns.models import Submission, Team
from campaigns.participants.rules import rules_of
from campaigns.results.run_scores import TopicScoreRange, topic_score_ranges
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of


@dataclass(frozen=True)
class OwnRun:
    """`mean`: score range over all topics of the campaign; `topics` in the order asked for. `primary`: mean
    by the primary measure, as `run_figures` has it; None if that is the one of score ranges, or not computed
    yet."""

    submission: Submission
    mean: RunScoreRange
    topics: list[TopicScoreRange]
    primary: dict[str, Any] | None = None


def own_runs(team: Team, *, topics: Sequence[int]) -> list[OwnRun]:
    """The team's admitted runs, by priority, with their score ranges in these topics; refused until the
    organiser releases scores."""
    campaign = team.campaign
    if rules_of(campaign).scores_released_at is None:
        detail = gettext("the organiser has not released the scores yet")
        raise Refusal("scores_not_released", detail, status=409)
    with consistent_reads():
        rows = team.submissions.standing().exclude(run=None).select_related("run").order_by("priority")
        means = {row.id: row for row in score_ranges_of(campaign=campaign)}
        place = {topic: at for at, topic in enumerate(topics)}
        judged = judged_in(campaign=campaign)
        measured = measured_of(campaign=campaign, pairs=False)
        measure = measured.primary if campaign.measure != campaign.rbp else None
        own = []
        for row in rows:
            assert row.run is not None
            if row.run_id in means:
                ranges = topic_score_ranges(campaign=campaign, run=row.run, judged=judged, only=topics)
                ranges.sort(key=lambda line: place[line.topic])
                known = measure is not None and row.run_id in measured.place
                primary = run_figures(measure, measured.place[row.run_id]) if measure and known else None
                own.append(OwnRun(row, means[row.run_id], ranges, primary))
    return own
