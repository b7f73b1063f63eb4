"""All runs' means at many lengths of the log, for curves over the judgments: always of the campaign's
present runs and settings, so that a run which came late has its whole curve, too."""

from __future__ import annotations

from campaigns.computing.live import LiveCampaign
from campaigns.computing.scores import Scores
from campaigns.models import Computed, LogHead, Snapshot
from campaigns.models.packed import RUN_IDS, WEIGHTS, pack
from selection.pool import ROOM

PER_CAMPAIGN = 500
REPLAYED = 120


def replay(live: LiveCampaign) -> None:
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
    # Pools for which there is no room would be read once for every step.
    if int(live.state.pools.capacities.sum()) > ROOM:
        return [length] if length else []
    return sorted({length * step // REPLAYED for step in range(1, REPLAYED + 1)} - {0})


def take(live: LiveCampaign, acts: int) -> None:
    """After so many acts, if the last snapshot is far enough behind."""
    apart = max(live.judged // PER_CAMPAIGN, 1)
    if live.judged % apart and acts < apart:
        return
    row = _snapshot(live)
    Snapshot.objects.update_or_create(
        campaign_id=live.campaign_id,
        as_of=live.applied,
        defaults={name: getattr(row, name) for name in ("judged", "runs", "bases", "residuals")},
    )


def note_means(scores: Scores, **also: int) -> None:
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


def _packed_means(scores: Scores) -> dict[str, bytes]:
    bases, residuals = scores.bounds.means()
    return {
        "runs": pack(scores.arrays.runs, RUN_IDS),
        "bases": pack(bases, WEIGHTS),
        "residuals": pack(residuals, WEIGHTS),
    }
