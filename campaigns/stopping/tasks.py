"""Celery tasks that compute advice and replay plans."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db.models import F, Q
from django.utils import timezone

from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.tasks import caught_up_copy
from campaigns.models import Campaign
from campaigns.models.campaign import Status
from campaigns.stopping import advice_computation, planner

logger = logging.getLogger(__name__)

# A look that takes long is taken seldom: it keeps a worker busy for one part in so many of the time.
REST = 10


@shared_task(name="campaigns.advise_where_due")
def advise_where_due() -> None:
    for campaign in campaigns_to_advise():
        advise.delay(campaign)


@shared_task(name="campaigns.advise")
def advise(campaign: int) -> None:
    """Look at what the judgments say about stopping. This reads the copy that recomputes keep in this
    process: tasks take turns here, so it stands still meanwhile, and its own futures are copies of it."""
    live = caught_up_copy(campaign)
    if live is None:
        # Busy elsewhere, or without runs: the beat comes again.
        return
    try:
        advice_computation.write_advice(live)
    except OutdatedArrays:
        logger.info("campaign %s changed while it was looked at", campaign)


def campaigns_to_advise() -> list[int]:
    """Campaigns whose computed figures moved since the last look, or that may be looked at further ahead,
    and that have rested from it."""
    moved = (
        Q(advice__isnull=True)
        | Q(advice__content__further=True)
        | ~Q(advice__as_of=F("computed__applied"))
        | ~Q(advice__configuration=F("computed__configuration"))
    )
    rows = Campaign.objects.exclude(status=Status.DRAFT).filter(moved, computed__isnull=False)
    longest_ago = F("advice__updated").asc(nulls_first=True)
    found = rows.order_by(longest_ago).values_list("id", "advice__updated", "advice__content__seconds")
    now = timezone.now()
    return [id for id, at, took in found if at is None or at + timedelta(seconds=REST * took) < now]


@shared_task(name="campaigns.plan")
def go_on(campaign: int) -> None:
    """One line of the plan; then the next, after what else is waiting for a worker."""
    if planner.step(campaign):
        go_on.delay(campaign)


@shared_task(name="campaigns.plan_where_due")
def plan_where_due() -> None:
    """What was put aside for other work, or died with its worker."""
    for campaign in planner.unfinished_plans():
        go_on.delay(campaign)
