"""Live events for pages that listen: they are rows first, and Redis only wakes the listeners."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any

import redis
from django.db import transaction

from campaigns.core.broker import broker, channel
from campaigns.core.database import Space, lock_until_commit
from campaigns.models import Event

logger = logging.getLogger(__name__)

KEPT_PER_CAMPAIGN = 2000


def publish(*, campaign: int, events: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Store events in the surrounding transaction and wake the listeners once it has committed. A campaign's
    get their ids in the order of their commits: a reader that has seen one finds all that came before it. The
    next to publish waits for the commit, so this comes last in a transaction."""
    with transaction.atomic():
        before = _newest_in_turn(campaign)
        rows = Event.objects.bulk_create(
            Event(campaign_id=campaign, kind=kind, data=data) for kind, data in events
        )
        messages = []
        for row in rows:
            # Listeners know by `before` whether something is still to be heard.
            messages.append(json.dumps({"id": row.id, "before": before, "kind": row.kind, "data": row.data}))
            before = row.id
        transaction.on_commit(lambda: _wake(campaign, messages))


def _newest_in_turn(campaign: int) -> int:
    lock_until_commit(Space.EVENTS, campaign)
    newest = Event.objects.filter(campaign_id=campaign).order_by("-id").values_list("id", flat=True)
    return newest.first() or 0


def _wake(campaign: int, messages: list[str]) -> None:
    try:
        pipeline = broker().pipeline(transaction=False)
        for message in messages:
            pipeline.publish(channel(campaign), message)
        pipeline.execute()
    except redis.RedisError as error:
        # The rows are there: listeners read them when the broker is back.
        logger.warning("no live event sent, the broker does not answer: %s", error)


def prune(*, campaign: int) -> None:
    """Keep only the newest events; a page away for longer reloads instead."""
    newest = Event.objects.filter(campaign_id=campaign).order_by("-id").values_list("id", flat=True)
    last_kept = newest[KEPT_PER_CAMPAIGN : KEPT_PER_CAMPAIGN + 1]
    for boundary in last_kept:
        Event.objects.filter(campaign_id=campaign, id__lte=boundary).delete()
