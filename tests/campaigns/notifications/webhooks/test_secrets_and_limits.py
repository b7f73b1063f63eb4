"""Webhooks themselves: how many, what is refused, and the secrets they sign with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Deed, Delivery, Webhook
from campaigns.notifications import deliveries, webhooks
from tests.campaigns.notifications.webhooks.deliveries import ALL, hook, send_all
from tests.campaigns.notifications.webhooks.receiver import Receiver

pytestmark = pytest.mark.django_db


def test_a_new_secret_signs_beside_the_old_one_for_a_day(campaign: Campaign, receiver: Receiver) -> None:
    webhook, first = hook(campaign, receiver)
    second = webhooks.renew_secret(webhook=webhook)
    assert first != second
    deliveries.ping(webhook=webhook)
    send_all()
    assert receiver.received[0].is_signed_by(first)
    assert receiver.received[0].is_signed_by(second)
    Webhook.objects.update(old_until=timezone.now() - timedelta(seconds=1))
    deliveries.ping(webhook=webhook)
    send_all()
    assert not receiver.received[1].is_signed_by(first)
    assert receiver.received[1].is_signed_by(second)


def test_secrets_are_stored_sealed(campaign: Campaign, receiver: Receiver, settings: Settings) -> None:
    webhook, secret = hook(campaign, receiver)
    webhooks.renew_secret(webhook=webhook)
    row = Webhook.objects.values().get()
    assert secret[6:] not in str(row)
    settings.SECRET_KEY = "another"
    deliveries.ping(webhook=webhook)
    send_all()
    assert receiver.received == []
    assert "make a new one" in Delivery.objects.get().error
    third = webhooks.renew_secret(webhook=webhook)
    deliveries.ping(webhook=webhook)
    send_all()
    assert receiver.received[0].is_signed_by(third)


def test_secrets_outlive_a_replaced_key(campaign: Campaign, receiver: Receiver, settings: Settings) -> None:
    webhook, secret = hook(campaign, receiver)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"
    deliveries.ping(webhook=webhook)
    send_all()
    assert receiver.received[0].is_signed_by(secret)
    renewed = webhooks.renew_secret(webhook=webhook)
    # The new key alone seals what is new.
    settings.SECRET_KEY_FALLBACKS = []
    deliveries.ping(webhook=webhook)
    send_all()
    assert receiver.received[1].is_signed_by(renewed)


@pytest.mark.parametrize("wish", [{"url": "ftp://x"}, {"events": ["weather"]}, {"events": []}])
def test_what_is_refused_changes_nothing(
    campaign: Campaign, receiver: Receiver, wish: dict[str, Any]
) -> None:
    webhook, _ = hook(campaign, receiver)
    before = Webhook.objects.values().get(), campaign.deeds.count()
    with pytest.raises(Refusal):
        webhooks.change(webhook=webhook, **wish)
    user = User.objects.get(username="Small-ada")
    with pytest.raises(Refusal):
        webhooks.add(campaign=campaign, user=user, **{"url": receiver.url, "events": ALL, **wish})
    assert (Webhook.objects.values().get(), campaign.deeds.count()) == before


def test_a_campaign_has_so_many_and_no_more(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST_WEBHOOKS", 2)
    for _ in range(2):
        hook(campaign, receiver)
    with pytest.raises(Refusal, match="at most 2"):
        hook(campaign, receiver)


def test_what_somebody_has_removed_meanwhile_is_not_there(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    kept = Webhook.objects.get()
    webhooks.remove(webhook=webhook)
    acts: list[Callable[[], object]] = [
        lambda: webhooks.change(webhook=kept, active=False),
        lambda: webhooks.renew_secret(webhook=kept),
        lambda: webhooks.remove(webhook=kept),
        lambda: deliveries.ping(webhook=kept),
    ]
    for act in acts:
        with pytest.raises(Refusal) as refused:
            act()
        assert (refused.value.status, refused.value.code) == (404, "unknown_webhook")
    assert Deed.objects.filter(kind="webhook removed").count() == 1
