from __future__ import annotations

from celery import shared_task

from campaigns.judging import tasks
from campaigns.models import Campaign


@shared_task(name="campaigns.count")
def count(campaign: int) -> None:
    """Count ahead of the next look at a page what would take it long."""
    found = Campaign.objects.select_related("log_head").filter(id=campaign).first()
    if found is not None and tasks.is_due(campaign=found):
        tasks.count_all(campaign=found)


@shared_task(name="campaigns.count_where_due")
def count_where_due() -> None:
    for campaign in tasks.due():
        count.delay(campaign)
