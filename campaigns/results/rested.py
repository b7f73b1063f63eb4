"""Campaigns whose background computations are behind, and have rested from the last one."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.models.campaign import Status


def rested_campaigns(row: str, rest: float, also: Q | None = None, least: float = 0.0) -> list[int]:
    """Campaigns that are behind in this row, or `also` due, the longest ago first; not those for which the
    row was computed less than `rest` times as long ago as that took, or than `least` seconds."""
    moved = (
        Q(**{f"{row}__isnull": True})
        | ~Q(**{f"{row}__as_of": F("computed__applied")})
        | ~Q(**{f"{row}__configuration": F("computed__configuration")})
        | (also or Q())
    )
    rows = Campaign.objects.exclude(status=Status.DRAFT).filter(
        moved, computed__isnull=False, archived_at=None
    )
    longest_ago = F(f"{row}__updated").asc(nulls_first=True)
    times = rows.order_by(longest_ago).values_list("id", f"{row}__updated", f"{row}__content__seconds")
    now = timezone.now()
    return [
        id for id, at, took in times if at is None or at + timedelta(seconds=max(rest * took, least)) < now
    ]
