from __future__ import annotations

from celery import shared_task

from campaigns.models import Campaign
from campaigns.services import counting


@shared_task(name="campaigns.count")
def count(campaign: int) -> None:
    """Count ahead of the next look at a page what would take it long."""
    found = Campaign.objects.select_related("log_head").filter(id=campaign).first()
    if found is not None and counting.is_due(campaign=found):
        counting.count_all(campaign=found)


@shared_task(name="campaigns.count_where_due")
def count_where_due() -> None:
    for campaign in counting.due():
        count.delay(campaign)
