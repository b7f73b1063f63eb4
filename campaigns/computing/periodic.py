from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from campaigns.computing.tasks import recompute
from campaigns.computing.worker import behind
from campaigns.log import events
from campaigns.models import Event, Heartbeat
from campaigns.services import deliveries


@shared_task(name="campaigns.heartbeat")
def heartbeat() -> None:
    """Beat sent it, the broker carried it, a worker runs it, the database keeps it: all are up."""
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": timezone.now()})


@shared_task(name="campaigns.catch_up")
def catch_up() -> None:
    """Find what no task told of: judgments committed while the broker was away, changed settings,
    claims without a look-ahead. The log, not the broker, says what there is to do."""
    for campaign in behind():
        recompute.delay(campaign)


@shared_task(name="campaigns.prune_events")
def prune_events() -> None:
    for campaign in Event.objects.values_list("campaign", flat=True).distinct():
        events.prune(campaign=campaign)
    deliveries.prune()
