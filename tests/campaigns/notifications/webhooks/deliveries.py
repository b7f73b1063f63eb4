"""Webhooks at a receiver of the test's own, and the time that passes between their deliveries."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.models import Campaign, Delivery, Judgment, Webhook, WebhookEvent
from campaigns.notifications import webhooks
from campaigns.notifications.dispatch import send_next
from tests.campaigns.factories import Api
from tests.campaigns.notifications.webhooks.receiver import Receiver

ALL = list(WebhookEvent.values)


def hook(campaign: Campaign, receiver: Receiver, events: list[str] = ALL) -> tuple[Webhook, str]:
    user = User.objects.get(username=f"{campaign.name}-ada")
    return webhooks.add(campaign=campaign, user=user, url=receiver.url, events=events)


def judge(campaign: Campaign, *docnos: str, topic: str = "1", name: str = "grace") -> None:
    for docno in docnos:
        assert Api(campaign, f"{campaign.name}-{name}").judge(topic, docno, 1).status_code == 201


def let_pass(**time: float) -> None:
    """Whatever is stored happened so much earlier."""
    by = timedelta(**time)
    for row in Delivery.objects.filter(state="waiting"):
        Delivery.objects.filter(id=row.id).update(next_try=(row.next_try or timezone.now()) - by)
    for judgment in Judgment.objects.all():
        Judgment.objects.filter(id=judgment.id).update(created=judgment.created - by)
    for webhook in Webhook.objects.exclude(busy_until=None):
        Webhook.objects.filter(id=webhook.id).update(busy_until=(webhook.busy_until or timezone.now()) - by)


def send_all() -> int:
    count = 0
    while send_next():
        count += 1
    return count
