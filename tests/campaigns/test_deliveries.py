"""What webhooks are told, when it is sent, and what follows from the answers of a real server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import IntegrityError
from django.utils import timezone
from pytest_django import Settings

from campaigns.models import Campaign, Delivery, Judgment, Membership, Webhook, WebhookEvent
from campaigns.services import closing, deliveries, posting, webhooks
from campaigns.services.errors import Refused
from campaigns.services.posting import PAUSES, send_next
from tests.campaigns.building import Api, make_campaign
from tests.campaigns.receiving import Receiver, answering, receiving

pytestmark = pytest.mark.django_db

ALL = list(WebhookEvent.values)


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as found:
        yield found


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", min_judgments=1)


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
    closing.close_for_all(campaign=campaign, topic=campaign.topics.get(number="2"), organiser=ada)
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


def test_judgments_are_told_together_in_the_shape_of_the_log(campaign: Campaign, receiver: Receiver) -> None:
    judge(campaign, "a")
    hook(campaign, receiver, ["judgments"])
    judge(campaign, "b", "c")
    deliveries.gather_all()
    assert not Delivery.objects.exists()
    let_pass(seconds=deliveries.GATHER_SECONDS)
    judge(campaign, "d")
    deliveries.gather_all()
    assert send_all() == 1
    deliveries.gather_all()
    assert Delivery.objects.count() == 1
    data = receiver.received[0].said["data"]
    assert (data["first"], data["last"]) == (2, 4)
    assert [row["docno"] for row in data["judgments"]] == ["b", "c", "d"]
    assert [row["sequence"] for row in data["judgments"]] == [2, 3, 4]
    first = Judgment.objects.get(sequence=2)
    assert data["judgments"][0]["id"] == str(first.id)
    assert data["judgments"][0]["assessor"] == "Small-grace"


def test_many_judgments_go_at_once_and_in_order(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "MOST_JUDGMENTS", 2)
    hook(campaign, receiver, ["judgments"])
    receiver.reply = answering(500)
    judge(campaign, "a", "b", "c", "d", "f")
    deliveries.gather_all()
    assert send_all() == 1
    # The next ones wait for the first to arrive, and then need not wait to be asked for.
    deliveries.gather_all()
    assert Delivery.objects.count() == 1
    receiver.reply = answering(204)
    let_pass(seconds=20)
    assert send_all() == 3
    told = [row["docno"] for one in receiver.received[1:] for row in one.said["data"]["judgments"]]
    assert told == ["a", "b", "c", "d", "f"]
    assert receiver.received[0].body == receiver.received[1].body
    ids = [one.headers["webhook-id"] for one in receiver.received]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_judgments_made_while_it_was_off_are_told_in_the_end(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver, ["judgments"])
    webhooks.change(webhook=webhook, active=False)
    judge(campaign, "a")
    let_pass(minutes=5)
    deliveries.gather_all()
    assert not Delivery.objects.exists()
    webhooks.change(webhook=webhook, active=True)
    deliveries.gather_all()
    assert send_all() == 1
    # Who asks for judgments later is told of those that come.
    webhooks.change(webhook=webhook, events=["topic.closed"])
    judge(campaign, "b")
    webhooks.change(webhook=webhook, events=["topic.closed", "judgments"])
    judge(campaign, "c")
    let_pass(minutes=5)
    deliveries.gather_all()
    assert send_all() == 1
    assert receiver.received[-1].said["data"]["first"] == 3


def test_only_who_asked_is_told(campaign: Campaign, receiver: Receiver) -> None:
    other = make_campaign("Other")
    wanted = [hook(campaign, receiver, ["topic.closed"])[0] for _ in range(2)]
    hook(campaign, receiver, ["pair.decided"])
    hook(other, receiver)
    off, _ = hook(campaign, receiver)
    webhooks.change(webhook=off, active=False)
    assert deliveries.tell(campaign=campaign, kind="topic.closed", data={}) == 2
    assert {row.webhook_id for row in Delivery.objects.all()} == {webhook.id for webhook in wanted}
    # One event, whoever is told of it.
    assert Delivery.objects.values("event").distinct().count() == 1


def test_failures_are_tried_again_later_and_later_and_then_given_up(
    campaign: Campaign, receiver: Receiver
) -> None:
    webhook, _ = hook(campaign, receiver)
    deliveries.tell(campaign=campaign, kind="topic.closed", data={"topic": "1"})
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
    deliveries.tell(campaign=campaign, kind="topic.closed", data={})
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
        deliveries.tell(campaign=campaign, kind="topic.closed", data={"topic": topic})
    for _ in range(3):
        assert send_all() == 2
        let_pass(hours=1)
    assert send_all() == 2
    receiver.reply = answering(200)
    first = Delivery.objects.order_by("id").first()
    assert first is not None
    deliveries.redeliver(webhook=first.webhook, delivery=first.id)
    assert send_all() == 2
    assert not Delivery.objects.exclude(state="delivered").exists()
    assert Webhook.objects.get().failing_since is None


def test_gone_switches_it_off(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    for _ in range(2):
        deliveries.tell(campaign=campaign, kind="topic.closed", data={})
    receiver.reply = answering(410)
    assert send_all() == 1
    webhook.refresh_from_db()
    assert (webhook.active, webhook.gone) == (False, True)
    assert sorted(Delivery.objects.values_list("state", flat=True)) == ["failed", "waiting"]
    assert deliveries.tell(campaign=campaign, kind="topic.closed", data={}) == 0
    deed = campaign.deeds.latest("id")
    assert (deed.kind, deed.actor_name, deed.detail) == ("webhook gone", "the system", {"host": "127.0.0.1"})
    # Switched on again, what waited goes out.
    receiver.reply = answering(204)
    webhooks.change(webhook=webhook, active=True)
    assert send_all() == 1
    webhook.refresh_from_db()
    assert not webhook.gone


def test_a_ping_is_sent_once_and_also_when_off(campaign: Campaign, receiver: Receiver) -> None:
    webhook, secret = hook(campaign, receiver)
    webhooks.change(webhook=webhook, active=False)
    deliveries.ping(webhook=webhook)
    with pytest.raises(Refused, match="on its way already"):
        deliveries.ping(webhook=webhook)
    assert send_all() == 1
    assert receiver.received[0].is_signed_by(secret)
    assert receiver.received[0].said["type"] == "ping"
    receiver.reply = answering(404)
    deliveries.ping(webhook=webhook)
    assert send_all() == 1
    assert Delivery.objects.latest("id").state == "failed"
    assert mail.outbox == []


def test_what_was_given_up_or_delivered_is_sent_again_by_hand(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    deliveries.tell(campaign=campaign, kind="topic.closed", data={"topic": "1"})
    assert send_all() == 1
    row = Delivery.objects.get()
    deliveries.redeliver(webhook=webhook, delivery=row.id)
    assert send_all() == 1
    one, other = receiver.received
    assert (one.body, one.headers["webhook-id"]) == (other.body, other.headers["webhook-id"])
    with pytest.raises(Refused, match="no such delivery"):
        deliveries.redeliver(webhook=webhook, delivery=row.id + 1)
    off = webhooks.change(webhook=webhook, active=False)
    with pytest.raises(Refused, match="switched off"):
        deliveries.redeliver(webhook=off, delivery=row.id)


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


def test_one_that_died_on_the_way_is_followed_by_another(campaign: Campaign, receiver: Receiver) -> None:
    hook(campaign, receiver)
    deliveries.tell(campaign=campaign, kind="topic.closed", data={})
    assert posting.take() is not None
    # It may still be at it.
    assert posting.take() is None
    let_pass(seconds=posting.LEASE.total_seconds() + 1)
    assert send_all() == 1
    assert Delivery.objects.get().state == "delivered"


def test_each_webhook_has_its_turn(campaign: Campaign, receiver: Receiver) -> None:
    for _ in range(2):
        hook(campaign, receiver)
    for topic in "12":
        deliveries.tell(campaign=campaign, kind="topic.closed", data={"topic": topic})
    assert send_all() == 4
    assert [one.said["data"]["topic"] for one in receiver.received] == ["1", "1", "2", "2"]


def test_what_is_removed_meanwhile_stays_removed(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    deliveries.ping(webhook=webhook)
    taken = posting.take()
    assert taken is not None
    webhooks.remove(webhook=Webhook.objects.get())
    answer = posting.send(taken)
    assert posting.settle(taken, answer) is None
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()


def test_organisers_are_told_once_while_it_fails(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "PAUSES", ())
    User.objects.filter(username="Small-ada").update(email="ada@example.org")
    Membership.objects.filter(user__username="Small-ada").update(trouble_mail=True)
    hook(campaign, receiver)
    receiver.reply = answering(500)

    def fail() -> None:
        deliveries.tell(campaign=campaign, kind="topic.closed", data={})
        send_all()

    fail()
    fail()
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    assert message.subject == "Small: a webhook cannot be delivered"
    assert "127.0.0.1 has not accepted" in message.body
    assert "The latest try: answered 500" in message.body
    receiver.reply = answering(200)
    deliveries.tell(campaign=campaign, kind="topic.closed", data={})
    send_all()
    # Another time, some days later.
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=3))
    receiver.reply = answering(410)
    fail()
    assert len(mail.outbox) == 2
    assert "wants to be told no more" in mail.outbox[1].body


def test_of_the_log_the_newest_are_kept_and_all_that_waits(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "KEPT", 2)
    for _ in range(2):
        hook(campaign, receiver)
    deliveries.tell(campaign=campaign, kind="topic.closed", data={"topic": "waits"})
    let_pass(days=-1)
    for topic in "1234":
        deliveries.tell(campaign=campaign, kind="topic.closed", data={"topic": topic})
    assert send_all() == 8
    deliveries.prune()
    for webhook in Webhook.objects.all():
        kept = [row.body[-10:] for row in webhook.deliveries.order_by("id")]
        assert [("waits" in row, '"3"' in row, '"4"' in row) for row in kept] == [
            (True, False, False),
            (False, True, False),
            (False, False, True),
        ]


@pytest.mark.parametrize("wish", [{"url": "ftp://x"}, {"events": ["weather"]}, {"events": []}])
def test_what_is_refused_changes_nothing(
    campaign: Campaign, receiver: Receiver, wish: dict[str, Any]
) -> None:
    webhook, _ = hook(campaign, receiver)
    before = Webhook.objects.values().get(), campaign.deeds.count()
    with pytest.raises(Refused):
        webhooks.change(webhook=webhook, **wish)
    user = User.objects.get(username="Small-ada")
    with pytest.raises(Refused):
        webhooks.add(campaign=campaign, user=user, **{"url": receiver.url, "events": ALL, **wish})
    assert (Webhook.objects.values().get(), campaign.deeds.count()) == before


def test_a_campaign_has_so_many_and_no_more(
    campaign: Campaign, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST", 2)
    for _ in range(2):
        hook(campaign, receiver)
    with pytest.raises(Refused, match="at most 2"):
        hook(campaign, receiver)


def test_the_same_event_is_not_stored_twice(campaign: Campaign, receiver: Receiver) -> None:
    webhook, _ = hook(campaign, receiver)
    row = deliveries.ping(webhook=webhook)
    again = Delivery(webhook=webhook, event=row.event, kind="ping", body="{}", next_try=row.next_try)
    with pytest.raises(IntegrityError):
        again.save()
