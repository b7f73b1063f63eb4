"""Which parts of the back office answer, for pages that must not fail in silence."""

from __future__ import annotations

from dataclasses import dataclass

import redis
from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone

from campaigns.core import broker
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Claim, Computed, Heartbeat, Judgment


@dataclass(frozen=True)
class CampaignHealth:
    campaign: str
    worker: str
    worker_heard: float | None
    broker: str
    database: str
    head: int
    applied: int
    exact_share: float | None
    judging_now: int


def status_of(*, campaign: Campaign) -> CampaignHealth:
    heard = worker_silence()
    return CampaignHealth(
        campaign=campaign.status,
        worker="up" if heard is not None and heard < settings.WORKER_SILENCE_SECONDS else "down",
        worker_heard=heard,
        broker="up" if broker_answers() else "down",
        # Whoever reads this has just been answered by it.
        database="up",
        head=length_of(campaign=campaign),
        applied=Computed.objects.filter(campaign=campaign).values_list("applied", flat=True).first() or 0,
        exact_share=exact_share(campaign),
        judging_now=_judging_now(campaign),
    )


def worker_silence() -> float | None:
    """Seconds since a worker last ran a task, None if none ever did."""
    at = Heartbeat.objects.filter(name="worker").values_list("at", flat=True).first()
    return None if at is None else max((timezone.now() - at).total_seconds(), 0.0)


def broker_answers() -> bool:
    try:
        return bool(broker.broker().ping())
    except redis.RedisError:
        return False


def exact_share(campaign: Campaign) -> float | None:
    """Of the judged documents that the queue served, how many were the exact best at that moment."""
    counts = Judgment.objects.filter(campaign=campaign).aggregate(
        exact=Count("id", filter=Q(served_exactly=True)),
        served=Count("id", filter=Q(served_exactly__isnull=False)),
    )
    return counts["exact"] / counts["served"] if counts["served"] else None


def _judging_now(campaign: Campaign) -> int:
    held = Claim.objects.filter(topic__campaign=campaign, reserved=False, expires_at__gt=timezone.now())
    return held.values("assessor").distinct().count()
