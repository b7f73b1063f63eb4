"""Celery tasks that order topics and release what is due."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.db.models import QuerySet
from django.utils import timezone

from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.worker import caught_up_copy
from campaigns.core.database import ALL_CAMPAIGNS, Space, try_campaign_lock
from campaigns.models import Campaign
from campaigns.models.campaign import Status
from campaigns.topic_order.computed_order import is_due, last_seconds, write_order

logger = logging.getLogger(__name__)

# Where only judgments came, an order rests so many times as long as it took, and so many seconds at least.
REST, LEAST_REST = 10, 15.0


@shared_task(name="campaigns.order_topics_where_due")
def order_topics_where_due() -> None:
    for campaign in campaigns_to_order():
        order_topics.delay(campaign)


@shared_task(name="campaigns.order_topics")
def order_topics(campaign: int) -> None:
    """Order a campaign's topics from the copy that recomputes keep in this process. It takes turns with
    predictions, so that background work keeps no more processes than before from recomputing."""
    with try_campaign_lock(Space.PREDICTIONS, ALL_CAMPAIGNS) as alone:
        live = caught_up_copy(campaign) if alone else None
        if live is None:
            # Busy elsewhere, or without runs: the beat comes again.
            return
        row = _ordered_campaigns().filter(id=campaign).first()
        if row is None:
            return
        try:
            write_order(row, live)
        except OutdatedArrays:
            logger.info("campaign %s changed while its topics were ordered", campaign)


def campaigns_to_order() -> list[int]:
    """Open campaigns whose topics are released in an order that is not up to date."""
    now, campaigns = timezone.now(), []
    for campaign in _ordered_campaigns().select_related("computed", "topic_order"):
        stored = getattr(campaign, "topic_order", None)
        rest = timedelta(seconds=max(REST * last_seconds(campaign), LEAST_REST))
        rested = stored is None or stored.updated + rest < now
        computed = getattr(campaign, "computed", None)
        if computed is not None and is_due(campaign, applied=computed.applied, rested=rested):
            campaigns.append(campaign.id)
    return campaigns


def _ordered_campaigns() -> QuerySet[Campaign]:
    return Campaign.objects.filter(status=Status.OPEN).exclude(topic_method="")
