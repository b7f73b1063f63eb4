"""Celery tasks of notifications: emails, a day's progress, flags, deliveries to webhooks, and pruning.

The task of deliveries only looks what is due and wakes threads of this process, which do nothing but wait for
receivers: however slow those are, the worker's processes stay free to recompute.
"""

from __future__ import annotations

import threading
from datetime import timedelta

from celery import shared_task
from django.db import connections
from django.utils import timezone

from campaigns.log import events
from campaigns.models import Campaign, Event
from campaigns.notifications import deliveries, dispatch, notices, outbox
from campaigns.quality.flags import is_due

# A day is over at midnight; the mail is there before breakfast.
FROM_HOUR = 6

# In each process of a worker. When all of them wait for receivers, one more serves those that last were quick
# to answer, so that these wait for no slow one.
SENDING_THREADS = 4
_room = threading.BoundedSemaphore(SENDING_THREADS)
_quick_room = threading.BoundedSemaphore(1)


@shared_task(name="campaigns.prune_events")
def prune_events() -> None:
    for campaign in Event.objects.values_list("campaign", flat=True).distinct():
        events.prune(campaign=campaign)
    deliveries.prune_deliveries()


@shared_task(name="campaigns.send_emails")
def send_emails() -> None:
    """Also what waits since the mail server or the broker was away, and what a worker died over."""
    outbox.send_due_emails()


@shared_task(name="campaigns.tell_progress")
def tell_progress() -> None:
    """Comes every few minutes and sends yesterday's emails if they have not gone out yet, so that neither a
    restart nor a worker away at the hour itself costs or doubles one."""
    now = timezone.localtime()
    if now.hour >= FROM_HOUR:
        notices.email_progress(day=now.date() - timedelta(days=1))


@shared_task(name="campaigns.tell_flags")
def tell_flags() -> None:
    """Bring flags on assessors' work up to the judgments, and mail what is new."""
    judged = Campaign.objects.filter(log_head__length__gt=0, archived_at=None)
    for campaign in judged.select_related("log_head"):
        if is_due(campaign=campaign, length=campaign.log_head.length):
            notices.email_new_flags(campaign=campaign)


@shared_task(name="campaigns.post_where_due")
def post_where_due() -> None:
    """Also what was due while no worker was there, and what a worker had begun and never ended."""
    deliveries.gather_all()
    slow = list(deliveries.free_webhooks(timezone.now()).values_list("slow", flat=True))
    for _ in slow:
        if not _start(_room):
            if not all(slow):
                _start(_quick_room, quick=True)
            return


def _start(room: threading.BoundedSemaphore, *, quick: bool = False) -> bool:
    """One more thread at it, if there is room."""
    if not room.acquire(blocking=False):
        return False
    threading.Thread(target=_run, args=(room, quick), name="courier", daemon=True).start()
    return True


def _run(room: threading.BoundedSemaphore, quick: bool) -> None:
    try:
        while dispatch.send_next(quick=quick):
            pass
    finally:
        connections.close_all()
        room.release()
