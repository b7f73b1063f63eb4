"""Celery tasks that keep each campaign's copy, queues and scores up to date."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from campaigns.computing.worker import campaigns_behind, follow
from campaigns.core.jobs import request_count
from campaigns.core.recompute_queue import send_recompute
from campaigns.models import Campaign, Heartbeat


@shared_task(name="campaigns.recompute")
def recompute(campaign: int, configuration: int | None = None) -> None:
    """Fold in every committed judgment. A task that finds the campaign busy may go: the busy one looks
    at the log again after it has let go."""
    if configuration is not None:
        if _is_outdated(campaign, configuration):
            return
        # By another process meanwhile.
        request_count(campaign)
    # Who calls this without a worker waits for all of it.
    follow(campaign, announced=configuration is None, in_turns=not recompute.request.called_directly)


def _is_outdated(campaign: int, configuration: int) -> bool:
    return Campaign.objects.filter(id=campaign, configuration__gt=configuration).exists()


@shared_task(name="campaigns.heartbeat")
def heartbeat() -> None:
    """Beat sent it, the broker carried it, a worker runs it, the database keeps it: all are up."""
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": timezone.now()})


@shared_task(name="campaigns.catch_up")
def catch_up() -> None:
    """Find what no task announced: judgments committed while the broker was away, changed settings,
    claims without a look-ahead. The log, not the broker, says what there is to do."""
    for campaign in campaigns_behind():
        send_recompute(campaign)
