"""Judgments are delivered in batches: when, which, and in what order."""

from __future__ import annotations

import pytest

from campaigns.models import Campaign, Delivery, Judgment
from campaigns.notifications import deliveries, webhooks
from tests.campaigns.notifications.webhooks.deliveries import hook, judge, let_pass, send_all
from tests.campaigns.notifications.webhooks.receiver import Receiver, answering

pytestmark = pytest.mark.django_db


def test_judgments_are_told_together_in_the_shape_of_the_log(campaign: Campaign, receiver: Receiver) -> None:
    judge(campaign, "a")
    hook(campaign, receiver, ["judgments"])
    judge(campaign, "b", "c")
    deliveries.gather_all()
    assert not Delivery.objects.exists()
    let_pass(seconds=deliveries.DELIVERY_GATHER_SECONDS)
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
    docnos = [row["docno"] for one in receiver.received[1:] for row in one.said["data"]["judgments"]]
    assert docnos == ["a", "b", "c", "d", "f"]
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
    # A webhook that asks for judgments later gets those from then on.
    webhooks.change(webhook=webhook, events=["topic.closed"])
    judge(campaign, "b")
    webhooks.change(webhook=webhook, events=["topic.closed", "judgments"])
    judge(campaign, "c")
    let_pass(minutes=5)
    deliveries.gather_all()
    assert send_all() == 1
    assert receiver.received[-1].said["data"]["first"] == 3
