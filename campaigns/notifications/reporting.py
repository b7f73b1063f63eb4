from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from campaigns.notifications import notices

# A day is over at midnight, and nobody reads mail before breakfast.
FROM_HOUR = 6


@shared_task(name="campaigns.tell_progress")
def tell_progress() -> None:
    """Comes every few minutes and sends yesterday's mails if they have not gone out yet, so that neither a
    restart nor a worker away at the hour itself costs or doubles one."""
    now = timezone.localtime()
    if now.hour >= FROM_HOUR:
        notices.tell_progress(day=now.date() - timedelta(days=1))
