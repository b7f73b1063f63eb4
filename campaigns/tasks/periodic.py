from __future__ import annotations

from celery import shared_task
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from campaigns.models import Campaign, Claim, Computed, Event, Heartbeat
from campaigns.services import deliveries, events
from campaigns.tasks.recomputing import recompute


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


def behind() -> list[int]:
    computed = Computed.objects.filter(campaign=OuterRef("pk"))
    open_ = Claim.objects.filter(reserved=False, expires_at__gt=timezone.now())
    lonely = open_.filter(lookahead__isnull=True)
    rows = Campaign.objects.filter(runs__isnull=False).annotate(
        applied=Subquery(computed.values("applied")[:1]),
        computed_configuration=Subquery(computed.values("configuration")[:1]),
    )
    stale = (
        Q(applied__isnull=True)
        | ~Q(applied=F("log_head__length"))
        | ~Q(computed_configuration=F("configuration"))
        | Q(topics__claims__in=lonely)
    )
    return list(rows.filter(stale).distinct().values_list("id", flat=True))
