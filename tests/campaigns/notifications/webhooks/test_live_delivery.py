"""Webhooks as they run: the web server stores, the real worker sends, a real receiver answers or does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from campaigns.models import Campaign, Delivery, Judgment, Webhook
from campaigns.notifications import deliveries, dispatch, tasks, webhooks
from campaigns.notifications import transport as wire
from campaigns.notifications.tasks import post_where_due
from config.embedded.processes import Child
from tests.campaigns.computing.test_live_loop import Person
from tests.campaigns.factories import make_campaign
from tests.campaigns.notifications.webhooks.deliveries import let_pass
from tests.campaigns.notifications.webhooks.receiver import Receiver, answering, receiving
from tests.plumbing.idle import forget_tasks, wait_for
from tests.plumbing.servers.live import at_work

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = "/api/v1/campaigns/small/"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def hook(campaign: Campaign, url: str) -> Webhook:
    """Made where the settings of the test's own process do not ask."""
    ada = User.objects.get(username="Small-ada")
    somewhere = "https://hooks.example.org/"
    webhook, _ = webhooks.add(campaign=campaign, user=ada, url=somewhere, events=["topic.closed"])
    Webhook.objects.filter(id=webhook.id).update(url=url)
    return webhook


@pytest.mark.usefixtures("celery_worker")
def test_what_happens_is_told(live_site: str, receiver: Receiver) -> None:
    make_campaign("Small", min_judgments=1)
    ada, grace = Person(live_site, "Small-ada"), Person(live_site, "Small-grace")
    wish = {"url": receiver.url, "events": ["judgments", "topic.closed"]}
    status, made = ada.send("POST", ROOT + "webhooks/", wish)
    assert status == 201, made
    one = f"{ROOT}webhooks/{made['id']}/"
    assert ada.send("POST", one + "ping/")[0] == 202
    wait_for(lambda: receiver.kinds == ["ping"])

    _, served = grace.send("GET", ROOT + "next/?topic=1")
    act = {"id": str(made["id"]).zfill(8) + "-0000-4000-8000-000000000000", "topic": "1", "grade": 2}
    assert grace.send("POST", ROOT + "judgments/", {**act, "docno": served["document"]["docno"]})[0] == 201
    assert ada.send("POST", ROOT + "topics/1/close/")[0] == 200
    wait_for(lambda: "topic.closed" in receiver.kinds)
    # What the beat does every few seconds, once the judgments are old enough.
    Judgment.objects.update(created=F("created") - timedelta(seconds=deliveries.DELIVERY_GATHER_SECONDS))
    post_where_due.delay()
    wait_for(lambda: "judgments" in receiver.kinds)
    assert all(came.is_signed_by(made["secret"]) for came in receiver.received)
    (delivered,) = [came.said for came in receiver.received if came.said["type"] == "judgments"]
    assert [row["id"] for row in delivered["data"]["judgments"]] == [act["id"]]

    def settled() -> Any:
        _, log = ada.send("GET", one + "deliveries/")
        return {row["state"] for row in log["results"]} == {"delivered"}

    wait_for(settled)


def test_a_worker_that_dies_on_the_way_is_followed_by_another(
    celery_worker: Child, receiver: Receiver
) -> None:
    campaign = make_campaign("Small")
    hook(campaign, receiver.url)
    over = threading.Event()
    receiver.reply = lambda _: over.wait(60)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "1"})
    wait_for(lambda: len(receiver.received) == 1)
    celery_worker.kill_group()
    over.set()
    # With the broker, whatever it had kept is gone, too.
    forget_tasks()
    row = Delivery.objects.get()
    assert (row.state, row.attempts) == ("waiting", 0)
    receiver.reply = answering(200)
    let_pass(seconds=dispatch.SENDING_LEASE.total_seconds() + 1)
    with at_work(celery_worker):
        post_where_due.delay()
        wait_for(lambda: Delivery.objects.get().state == "delivered")
    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body


def test_nobody_waits_for_slow_receivers(
    receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many they are, the task has ended before any of them answers; so many are waited for at once,
    and then the others. Meanwhile those that are quick get theirs."""
    settings.WEBHOOK_ALLOW_PRIVATE = True
    monkeypatch.setattr(wire, "CONNECT_SECONDS", 120.0)
    monkeypatch.setattr(wire, "ANSWER_SECONDS", 120.0)
    campaign = make_campaign("Small")
    for _ in range(2 * tasks.SENDING_THREADS):
        hook(campaign, receiver.url)
    Webhook.objects.update(slow=True)
    over = threading.Event()
    receiver.reply = lambda handler: over.wait(120) and answering(204)(handler)
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "1"})
    forget_tasks()
    for _ in range(3):
        post_where_due()
    wait_for(lambda: len(receiver.received) == tasks.SENDING_THREADS)
    assert not Delivery.objects.exclude(attempts=0).exists()
    with receiving() as other:
        quick = hook(campaign, other.url)
        deliveries.ping(webhook=quick)
        post_where_due()
        wait_for(lambda: quick.deliveries.get().state == "delivered")
    assert Webhook.objects.filter(busy_until__gt=timezone.now()).count() == tasks.SENDING_THREADS
    over.set()
    wait_for(lambda: not Delivery.objects.exclude(state="delivered").exists())
    assert len(receiver.received) == 2 * tasks.SENDING_THREADS
    for thread in threading.enumerate():
        if thread.name == "courier":
            thread.join(60)
    connections.close_all()
