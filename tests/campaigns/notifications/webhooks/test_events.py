"""The events of webhooks, and their receivers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import IntegrityError
from django.db.models import F
from django.utils import timezone

from campaigns.core.errors import Refusal
from campaigns.judging import topic_closure
from campaigns.models import Campaign, Delivery, Membership, WaitingEmail, Webhook
from campaigns.notifications import deliveries, dispatch, notices, webhooks
from campaigns.notifications.outbox import send_due_emails
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.notifications.webhooks.deliveries import hook, judge, send_all
from tests.campaigns.notifications.webhooks.receiver import Receiver, answering

pytestmark = pytest.mark.django_db


def test_a_closed_topic_is_told_signed(campaign: Campaign, receiver: Receiver) -> None:
    webhook, secret = hook(campaign, receiver, ["topic.closed"])
    judge(campaign, "a")
    assert Api(campaign, "Small-grace").post("topics/1/close/").status_code == 200
    assert send_all() == 1
    (came,) = receiver.received
    assert came.is_signed_by(secret)
    assert came.headers["Content-Type"] == "application/json"
    assert abs(int(came.headers["webhook-timestamp"]) - timezone.now().timestamp()) < 60
    topic = campaign.topics.get(number="1")
    assert came.said["type"] == "topic.closed"
    assert came.said["campaign"] == "small"
    assert came.said["data"]["topic"] == "1"
    assert came.said["data"]["judged"] == 1
    assert topic.closed_at is not None
    assert came.said["data"]["closed_at"][:19] == topic.closed_at.isoformat()[:19]
    row = webhook.deliveries.get()
    assert (row.state, row.status, row.attempts, row.next_try) == ("delivered", 204, 1, None)
    assert came.body.decode() == row.body
    assert came.headers["webhook-id"] == str(row.event)


def test_organisers_close_topics_too(campaign: Campaign, receiver: Receiver) -> None:
    hook(campaign, receiver, ["topic.closed"])
    ada = User.objects.get(username="Small-ada")
    topic_closure.close_for_all(campaign=campaign, topic=campaign.topics.get(number="2"), organiser=ada)
    assert send_all() == 1
    assert receiver.received[0].said["data"]["topic"] == "2"
    assert receiver.received[0].said["data"]["judged"] is None


def test_what_does_not_happen_is_not_told(campaign: Campaign, receiver: Receiver) -> None:
    hook(campaign, receiver, ["topic.closed"])
    assert Api(campaign, "Small-grace").post("topics/1/close/").status_code == 409
    judge(campaign, "a")
    close = Api(campaign, "Small-grace")
    assert [close.post("topics/1/close/").status_code for _ in range(2)] == [200, 200]
    assert Delivery.objects.count() == 1


def test_only_who_asked_is_told(campaign: Campaign, receiver: Receiver) -> None:
    other = make_campaign("Other")
    wanted = [hook(campaign, receiver, ["topic.closed"])[0] for _ in range(2)]
    hook(campaign, receiver, ["pair.decided"])
    hook(other, receiver)
    off, _ = hook(campaign, receiver)
    webhooks.change(webhook=off, active=False)
    assert deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={}) == 2
    assert {row.webhook_id for row in Delivery.objects.all()} == {webhook.id for webhook in wanted}
    # One event for all receivers.
    assert Delivery.objects.values("event").distinct().count() == 1


def test_the_same_event_is_not_stored_twice(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    row = deliveries.ping(webhook=webhook)
    again = Delivery(webhook=webhook, event=row.event, kind="ping", body="{}", next_try=row.next_try)
    with pytest.raises(IntegrityError):
        again.save()


def test_a_ping_is_sent_once_and_also_when_off(campaign: Campaign, receiver: Receiver) -> None:
    webhook, secret = hook(campaign, receiver)
    webhooks.change(webhook=webhook, active=False)
    deliveries.ping(webhook=webhook)
    with pytest.raises(Refusal, match="on its way already"):
        deliveries.ping(webhook=webhook)
    assert send_all() == 1
    assert receiver.received[0].is_signed_by(secret)
    assert receiver.received[0].said["type"] == "ping"
    receiver.reply = answering(404)
    deliveries.ping(webhook=webhook)
    assert send_all() == 1
    assert Delivery.objects.latest("id").state == "failed"
    assert not WaitingEmail.objects.exists()


def test_a_delivery_is_given_up_together_with_its_email(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(**_: object) -> int:
        raise SystemExit

    monkeypatch.setattr(dispatch, "PAUSES", ())
    hook(campaign, receiver)
    receiver.reply = answering(500)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
    monkeypatch.setattr(notices, "email_undelivered", die)
    with pytest.raises(SystemExit):
        send_all()
    assert Delivery.objects.get().state == "waiting"


def test_organisers_are_told_once_while_it_fails(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "PAUSES", ())
    User.objects.filter(username="Small-ada").update(email="ada@example.org")
    Membership.objects.filter(user__username="Small-ada").update(trouble_mail=True)
    hook(campaign, receiver)
    receiver.reply = answering(500)

    def fail() -> None:
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
        send_all()
        send_due_emails()

    fail()
    fail()
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    assert message.subject == "Small: a webhook cannot be delivered"
    assert "127.0.0.1 has not accepted" in message.body
    assert "Latest error: answered 500" in message.body
    Webhook.objects.update(failing_since=F("failing_since") - timedelta(days=3))
    fail()
    assert len(mail.outbox) == 2
    assert mail.outbox[1].subject == "Small: a webhook was switched off"
    assert "nothing has arrived at 127.0.0.1, so the webhook is switched off" in mail.outbox[1].body
    fail()
    webhooks.change(webhook=Webhook.objects.get(), active=True)
    receiver.reply = answering(200)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
    send_all()
    # Another time, some days later.
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=5))
    receiver.reply = answering(410)
    fail()
    assert len(mail.outbox) == 3
    assert "wants no more events" in mail.outbox[2].body
