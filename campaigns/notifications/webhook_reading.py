"""What pages and API show of webhooks. Secrets are not among it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from campaigns.core.errors import Refused
from campaigns.models import Campaign, Delivery, Webhook

SHOWN = 100


def webhook_of(*, campaign: Campaign, id: int) -> Webhook:
    webhook = campaign.webhooks.filter(id=id).first()
    if webhook is None:
        raise unknown_webhook()
    webhook.campaign = campaign
    return webhook


def unknown_webhook() -> Refused:
    return Refused("unknown_webhook", gettext("there is no such webhook"), status=404)


def webhook_row(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": webhook.events,
        "active": webhook.active,
        "gone": webhook.gone,
        "unreachable": webhook.unreachable,
        "failing_since": webhook.failing_since,
        "told": webhook.told,
        "sequence": webhook.sequence,
        "created": webhook.created,
    }


def log_of(*, webhook: Webhook) -> list[Delivery]:
    """The latest deliveries, the newest first."""
    return list(webhook.deliveries.order_by("-id")[:SHOWN])


def delivery_row(delivery: Delivery) -> dict[str, Any]:
    names = ("id", "event", "kind", "state", "attempts", "next_try", "tried_at", "status", "milliseconds")
    return {name: getattr(delivery, name) for name in (*names, "error", "answer", "body", "created")}
