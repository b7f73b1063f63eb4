"""When deliveries are sent, and what follows from the answers of a real server."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Delivery, Webhook
from campaigns.notifications import deliveries, dispatch, webhooks
from campaigns.notifications.dispatch import PAUSES
from campaigns.notifications.transport import WebhookResponse
from tests.campaigns.notifications.webhooks.deliveries import hook, let_pass, send_all
from tests.campaigns.notifications.webhooks.receiver import Receiver, answering

pytestmark = pytest.mark.django_db


def test_failures_are_tried_again_later_and_later_and_then_given_up(
    campaign: Campaign, receiver: Receiver
) -> None:
    webhook, _ = hook(campaign, receiver)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "1"})
    receiver.reply = answering(500, b"out of order")
    for number, planned in enumerate(PAUSES, start=1):
        assert send_all() == 1
        row = Delivery.objects.get()
        assert (row.state, row.attempts, row.status) == ("waiting", number, 500)
        assert (row.answer, row.error) == ("out of order", "answered 500")
        assert row.next_try is not None
        assert row.tried_at is not None
        assert 0.8 * planned <= (row.next_try - row.tried_at).total_seconds() <= 1.2 * planned
        assert send_all() == 0
        let_pass(seconds=1.2 * planned)
    assert send_all() == 1
    row = Delivery.objects.get()
    assert (row.state, row.attempts, row.next_try) == ("failed", 8, None)
    let_pass(days=30)
    assert send_all() == 0
    assert len({one.headers["webhook-id"] for one in receiver.received}) == 1
    webhook.refresh_from_db()
    assert webhook.failing_since is not None
    assert webhook.active


def test_the_receiver_may_ask_for_a_longer_pause(campaign: Campaign, receiver: Receiver) -> None:
    hook(campaign, receiver)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
    asked = (("600", 600, 600), ("9999999", 0, 200), ("soon", 0, 1200), ("999999", 43200, 43200))
    for said, least, most in asked:
        receiver.reply = answering(503, Retry_After=said)
        assert send_all() == 1
        row = Delivery.objects.get()
        assert row.next_try is not None
        assert row.tried_at is not None
        assert least <= (row.next_try - row.tried_at).total_seconds() <= most, said
        let_pass(days=1)


def test_a_receiver_that_is_back_gets_at_once_what_waits(campaign: Campaign, receiver: Receiver) -> None:
    hook(campaign, receiver)
    receiver.reply = answering(502)
    for topic in "12":
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": topic})
    for _ in range(3):
        assert send_all() == 1
        let_pass(hours=1)
    assert send_all() == 2
    receiver.reply = answering(200)
    first = Delivery.objects.order_by("id").first()
    assert first is not None
    deliveries.redeliver(webhook=first.webhook, delivery=first.id)
    assert send_all() == 2
    assert not Delivery.objects.exclude(state="delivered").exists()
    assert Webhook.objects.get().failing_since is None


def topics(receiver: Receiver) -> list[str]:
    return [one.said["data"]["topic"] for one in receiver.received]


def test_one_that_fails_holds_up_those_behind_it_for_a_while(campaign: Campaign, receiver: Receiver) -> None:
    """So a receiver that restarts gets all in order, and one that stumbles over an event gets the others."""
    hook(campaign, receiver)
    receiver.reply = answering(502)
    for topic in "12":
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": topic})
    assert send_all() == 1
    receiver.reply = answering(200)
    assert send_all() == 0
    let_pass(seconds=20)
    assert send_all() == 2
    assert topics(receiver) == ["1", "1", "2"]
    assert [one.said["sequence"] for one in receiver.received] == [1, 1, 2]

    receiver.received.clear()
    receiver.reply = lambda handler: answering(422 if topics(receiver)[-1] == "3" else 200)(handler)
    for topic in "34":
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": topic})
    for _ in range(3):
        assert send_all() == 1
        let_pass(seconds=1200)
    # Now the other goes past it; and as that has arrived, the first is tried once more.
    assert send_all() == 3
    assert topics(receiver) == ["3", "3", "3", "3", "4", "3"]


def test_a_test_waits_for_nothing(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    for topic in "12":
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": topic})
    deliveries.ping(webhook=webhook)
    assert send_all() == 3
    assert receiver.kinds == ["ping", "topic.closed", "topic.closed"]
    assert ["sequence" in one.said for one in receiver.received] == [False, True, True]


def fail_to_the_end() -> None:
    for _ in range(len(PAUSES) + 1):
        assert send_all() == 1
        let_pass(days=1)


def test_after_days_of_failures_it_is_switched_off(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    receiver.reply = answering(500)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "1"})
    assert send_all() == 1
    let_pass(minutes=1)
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=2))
    for _ in PAUSES:
        assert send_all() == 1
        let_pass(days=1)
    webhook.refresh_from_db()
    assert webhook.active
    # A try after a long silence does not decide it; that all tries of a delivery fail does.
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=40))
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "2"})
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "3"})
    for _ in range(4):
        assert send_all() >= 1
        let_pass(days=1)
        webhook.refresh_from_db()
        assert webhook.active
    while send_all():
        let_pass(days=1)
    webhook.refresh_from_db()
    assert (webhook.active, webhook.unreachable, webhook.gone) == (False, True, False)
    deed = campaign.deeds.latest("id")
    assert (deed.kind, deed.actor_name, deed.detail["host"]) == (
        "webhook unreachable",
        "the system",
        "127.0.0.1",
    )
    assert deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "4"}) == 0


def test_switched_on_again_it_gets_what_waits_and_what_is_asked_for(
    campaign: Campaign, receiver: Receiver
) -> None:
    webhook, _ = hook(campaign, receiver)
    for topic in "123":
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": topic})
    first, second, _ = Delivery.objects.order_by("id")
    Delivery.objects.filter(id__in=[first.id, second.id]).update(state="failed", attempts=8, next_try=None)
    let_pass(days=-1)
    long_ago = timezone.now() - timedelta(days=5)
    Webhook.objects.update(active=False, unreachable=True, failing_since=long_ago)
    webhook.refresh_from_db()
    with pytest.raises(Refusal, match="switched off"):
        deliveries.redeliver_all(webhook=webhook)
    webhook = webhooks.change(webhook=webhook, active=True)
    assert (webhook.unreachable, webhook.failing_since) == (False, None)
    assert send_all() == 1
    assert deliveries.redeliver_all(webhook=webhook) == 2
    assert send_all() == 2
    assert topics(receiver) == ["3", "1", "2"]
    assert deliveries.redeliver_all(webhook=webhook) == 0


@pytest.mark.parametrize("days", [0, 100])
def test_how_long_it_may_be_away_is_a_setting(
    campaign: Campaign, receiver: Receiver, settings: Settings, days: int
) -> None:
    settings.WEBHOOK_OFF_AFTER_DAYS = days
    hook(campaign, receiver)
    receiver.reply = answering(500)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=99))
    fail_to_the_end()
    assert Delivery.objects.get().state == "failed"
    assert Webhook.objects.get().active


def test_quick_receivers_are_served_while_slow_ones_are_waited_for(
    campaign: Campaign, receiver: Receiver
) -> None:
    for _ in range(2):
        hook(campaign, receiver)
    slow, quick = Webhook.objects.order_by("id")
    Webhook.objects.filter(id=slow.id).update(slow=True)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "1"})
    taken = dispatch.claim_delivery(quick=True)
    assert taken is not None
    assert taken.webhook == quick
    assert dispatch.claim_delivery(quick=True) is None
    dispatch.settle(taken, WebhookResponse(200, milliseconds=dispatch.QUICK + 1))
    quick.refresh_from_db()
    assert quick.slow
    assert send_all() == 1
    slow.refresh_from_db()
    assert not slow.slow


def test_gone_switches_it_off(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    for _ in range(2):
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
    receiver.reply = answering(410)
    assert send_all() == 1
    webhook.refresh_from_db()
    assert (webhook.active, webhook.gone) == (False, True)
    assert sorted(Delivery.objects.values_list("state", flat=True)) == ["failed", "waiting"]
    assert deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={}) == 0
    deed = campaign.deeds.latest("id")
    assert (deed.kind, deed.actor_name, deed.detail) == ("webhook gone", "the system", {"host": "127.0.0.1"})
    # Switched on again, what waited goes out.
    receiver.reply = answering(204)
    webhooks.change(webhook=webhook, active=True)
    assert send_all() == 1
    webhook.refresh_from_db()
    assert not webhook.gone


def test_what_was_given_up_or_delivered_is_sent_again_by_hand(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "1"})
    assert send_all() == 1
    row = Delivery.objects.get()
    deliveries.redeliver(webhook=webhook, delivery=row.id)
    assert send_all() == 1
    one, other = receiver.received
    assert (one.body, one.headers["webhook-id"]) == (other.body, other.headers["webhook-id"])
    with pytest.raises(Refusal, match="no such delivery"):
        deliveries.redeliver(webhook=webhook, delivery=row.id + 1)
    off = webhooks.change(webhook=webhook, active=False)
    with pytest.raises(Refusal, match="switched off"):
        deliveries.redeliver(webhook=off, delivery=row.id)


def test_one_that_died_on_the_way_is_followed_by_another(campaign: Campaign, receiver: Receiver) -> None:
    hook(campaign, receiver)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
    assert dispatch.claim_delivery() is not None
    # It may still be at it.
    assert dispatch.claim_delivery() is None
    let_pass(seconds=dispatch.SENDING_LEASE.total_seconds() + 1)
    assert send_all() == 1
    assert Delivery.objects.get().state == "delivered"


def test_each_webhook_has_its_turn(campaign: Campaign, receiver: Receiver) -> None:
    for _ in range(2):
        hook(campaign, receiver)
    for topic in "12":
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": topic})
    assert send_all() == 4
    assert [one.said["data"]["topic"] for one in receiver.received] == ["1", "1", "2", "2"]


def test_what_is_removed_meanwhile_stays_removed(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    deliveries.ping(webhook=webhook)
    taken = dispatch.claim_delivery()
    assert taken is not None
    webhooks.remove(webhook=Webhook.objects.get())
    dispatch.settle(taken, dispatch.send(taken))
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()


def test_of_the_log_the_newest_are_kept_and_all_that_waits(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "KEPT_DELIVERIES", 2)
    for _ in range(2):
        hook(campaign, receiver)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "waits"})
    let_pass(days=-1)
    for topic in "1234":
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": topic})
    assert send_all() == 8
    deliveries.prune_deliveries()
    for webhook in Webhook.objects.all():
        kept = [row.body[-10:] for row in webhook.deliveries.order_by("id")]
        assert [("waits" in row, '"3"' in row, '"4"' in row) for row in kept] == [
            (True, False, False),
            (False, True, False),
            (False, False, True),
        ]
