"""Rows about scores: score ranges, means, snapshots for curves, and the events about them.

Snapshots are always of the campaign's present runs and settings, so a run that came late has its whole curve.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from django.db import connection

from campaigns.computing.live import LiveCampaign
from campaigns.computing.scores import CampaignScores
from campaigns.computing.written import Unwritten
from campaigns.log import events
from campaigns.log.judgments import import_bounds
from campaigns.models import Campaign, Computed, LogHead, Snapshot
from campaigns.models.packed import RUN_IDS, WEIGHTS, pack
from selection.pool import POOL_CACHE_SIZE

PER_CAMPAIGN = 500
REPLAY_STEPS = 120


def rebuild_snapshots(live: LiveCampaign) -> None:
    """Have a copy that is new catch up step by step, with a snapshot after each, over all earlier ones."""
    if live.applied:
        return
    Snapshot.objects.filter(campaign_id=live.campaign_id).delete()
    length = LogHead.objects.values_list("length", flat=True).get(campaign_id=live.campaign_id)
    rows = []
    for until in _steps(live, length):
        live.catch_up(known=until, until=until)
        rows.append(_snapshot(live))
    Snapshot.objects.bulk_create(rows, ignore_conflicts=True)


def _steps(live: LiveCampaign, length: int) -> list[int]:
    """None inside an import: its judgments came at once, and the order of its lines is nobody's."""
    # Pools for which there is no room would be read once for every step.
    if int(live.state.pools.capacities.sum()) > POOL_CACHE_SIZE:
        return [length] if length else []
    steps = {length * step // REPLAY_STEPS for step in range(1, REPLAY_STEPS + 1)}
    for first, last in import_bounds(campaign=live.campaign_id):
        steps = {step for step in steps if not first <= step < last} | {first - 1, last}
    return sorted(step for step in steps if 0 < step <= length)


def take_snapshot(live: LiveCampaign, acts: int) -> None:
    """After so many acts, if the last snapshot is far enough behind."""
    apart = max(live.judged // PER_CAMPAIGN, 1)
    if live.judged % apart and acts < apart:
        return
    row = _snapshot(live)
    Snapshot.objects.update_or_create(
        campaign_id=live.campaign_id,
        as_of=live.applied,
        defaults={
            name: getattr(row, name) for name in ("judged", "runs", "bases", "residuals", "projections")
        },
    )


def note_means(scores: CampaignScores, **also: int) -> None:
    """Every run's means, and after which act of the log. `also`: the configuration, where queues follow it,
    too."""
    counts = {"applied": scores.applied, "judged": scores.judged, "relevant": scores.relevant}
    Computed.objects.update_or_create(
        campaign_id=scores.campaign, defaults={**counts, **also, **_packed_means(scores)}
    )


def _snapshot(live: LiveCampaign) -> Snapshot:
    return Snapshot(
        campaign_id=live.campaign_id, as_of=live.applied, judged=live.judged, **_packed_means(live.scores)
    )


def _packed_means(scores: CampaignScores) -> dict[str, bytes]:
    bases, residuals = scores.bounds.means()
    return {
        "runs": pack(scores.arrays.runs, RUN_IDS),
        "bases": pack(bases, WEIGHTS),
        "residuals": pack(residuals, WEIGHTS),
        "projections": pack(scores.bounds.projections(), WEIGHTS),
    }


MOST_ANNOUNCED_ACTS = 50


def write_score_ranges(scores: CampaignScores, cells: Iterable[tuple[int, int]] | None) -> None:
    """Write the score ranges of some topics and runs, given by index; None: of all."""
    arrays, bounds = scores.arrays, scores.bounds
    if cells is None:
        cells = [(topic, run) for topic in range(len(arrays.topics)) for run in range(len(arrays.runs))]
    at = np.array(sorted(cells), dtype=np.int64).reshape(-1, 2)
    if not len(at):
        return
    topics, runs = np.array(arrays.topics)[at[:, 0]], np.array(arrays.runs)[at[:, 1]]
    base = bounds.base[at[:, 0], at[:, 1]]
    residual = bounds.residual[at[:, 0], at[:, 1]]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO campaigns_interval (topic_id, run_id, base, residual, as_of)"
            " SELECT *, %s FROM unnest(%s::bigint[], %s::bigint[], %s::float8[], %s::float8[])"
            " ON CONFLICT (run_id, topic_id) DO UPDATE"
            " SET base = excluded.base, residual = excluded.residual, as_of = excluded.as_of",
            [scores.applied, topics.tolist(), runs.tolist(), base.tolist(), residual.tolist()],
        )


def announce(live: LiveCampaign, change: Unwritten, *, everything: bool) -> None:
    """The judgments that came, and the runs that they moved."""
    if everything:
        # A first computation publishes the whole, not every judgment that ever was.
        announce_scores(live.scores)
        return
    acts = change.acts[-MOST_ANNOUNCED_ACTS:]
    numbers = _topic_numbers(live, {act.topic for act in acts})
    messages: list[tuple[str, dict[str, Any]]] = [
        (
            "judgment",
            {
                "sequence": act.sequence,
                "topic": numbers[act.topic],
                "judged": live.tally[act.topic].judged,
                "relevant": live.tally[act.topic].relevant,
            },
        )
        for act in acts
    ]
    moved = sorted({run for _, run in change.cells})
    events.publish(
        campaign=live.campaign_id, events=[*messages, ("intervals", _intervals(live.scores, moved))]
    )


def announce_scores(scores: CampaignScores) -> None:
    """Publish the score ranges of all runs."""
    intervals = _intervals(scores, range(len(scores.arrays.runs)))
    events.publish(campaign=scores.campaign, events=[("intervals", intervals)])


def _intervals(scores: CampaignScores, moved: Iterable[int]) -> dict[str, Any]:
    bases, residuals = scores.bounds.means()
    projections = scores.bounds.projections()
    arrays = scores.arrays
    # Pages have no withdrawn runs.
    runs = [run for run in moved if not arrays.withdrawn[run]]
    return {
        "as_of": scores.applied,
        "judged": scores.judged,
        "relevant": scores.relevant,
        "runs": [
            [arrays.runs[run], float(bases[run]), float(residuals[run]), float(projections[run])]
            for run in runs
        ],
    }


def _topic_numbers(live: LiveCampaign, topics: set[int]) -> dict[int, str]:
    rows = Campaign.objects.get(id=live.campaign_id).topics.filter(id__in=topics)
    return dict(rows.values_list("id", "number"))
