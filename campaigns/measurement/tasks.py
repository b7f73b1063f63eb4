"""Celery tasks that score runs by the campaigns' measures."""

from __future__ import annotations

from celery import shared_task

from campaigns.core.database import Space, try_campaign_lock
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Campaign
from campaigns.results.rested import rested_campaigns

# A look takes seconds and is wanted within seconds.
REST = 2


@shared_task(name="campaigns.measure_where_due")
def measure_where_due() -> None:
    for campaign in rested_campaigns("measured", REST):
        measure.delay(campaign)


@shared_task(name="campaigns.measure")
def measure(campaign: int) -> None:
    with try_campaign_lock(Space.MEASURING, campaign) as alone:
        row = Campaign.objects.filter(id=campaign, archived_at=None).first() if alone else None
        if row is not None:
            write_measured(row)
