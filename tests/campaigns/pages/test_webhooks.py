"""The pages of webhooks: what is shown, what is asked for, and what is shown once."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation

from campaigns.log.audit import note
from campaigns.models import Campaign, Delivery, Webhook, WebhookEvent
from campaigns.notifications import deliveries
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/webhooks/"
HOOK: dict[str, Any] = {"url": "https://hooks.example.org/assess", "events": ["judgments", "topic.closed"]}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def text(reply: Any) -> str:
    return str(reply.content.decode())


def add(ada: Client) -> tuple[str, str]:
    """Its page, and its secret."""
    reply = ada.post(PAGE, HOOK)
    assert reply.status_code == 200
    (secret,) = re.findall(r'id="webhook-secret"[^>]*value="(whsec_[^"]+)"', text(reply))
    return f"{PAGE}{Webhook.objects.get().id}/", secret


def test_one_is_added_and_its_secret_shown_once(ada: Client) -> None:
    assert "Add a webhook" in text(ada.get(PAGE))
    one, secret = add(ada)
    for page in (PAGE, one):
        reply = ada.get(page)
        assert HOOK["url"] in text(reply)
        assert secret not in text(reply)
        assert "no-store" in reply.headers["Cache-Control"]
    assert "No deliveries yet" in text(ada.get(one))
    history = text(ada.get("/campaigns/small/history/"))
    assert "added a webhook to <a" in history
    assert ": judgments, gathered, a topic is closed" in history
    assert "/assess<" not in history


def test_pages_offer_every_event_and_keep_it(ada: Client) -> None:
    reply = ada.post(PAGE, {**HOOK, "events": WebhookEvent.values})
    assert reply.status_code == 200
    offered = re.findall(
        r'name="events" value="([\w.]+)" checked', text(ada.get(f"{PAGE}{Webhook.objects.get().id}/"))
    )
    assert offered == WebhookEvent.values


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"url": "http://hooks.example.org/"}, "Webhook URLs must use https"),
        ({"url": "https://127.0.0.1/"}, "127.0.0.1 is not on the public internet"),
        ({"url": ""}, "An address begins with https://"),
        ({"events": []}, "Select at least one event"),
        ({"events": ["weather"]}, "There is no event “weather”"),
    ],
)
def test_a_refusal_says_why_and_keeps_what_was_typed(ada: Client, wish: dict[str, Any], said: str) -> None:
    reply = ada.post(PAGE, {**HOOK, **wish})
    assert reply.status_code == 400
    assert said in text(reply)
    assert {**HOOK, **wish}["url"] in text(reply)
    assert not Webhook.objects.exists()


def test_it_is_changed_switched_off_and_on_and_removed(ada: Client) -> None:
    one, secret = add(ada)
    reply = ada.post(one, {"act": "change", "url": "https://other.example.org/", "events": ["pair.decided"]})
    assert "Saved." in text(reply)
    assert "other.example.org" in text(reply)
    assert "Switched off." in text(ada.post(one, {"act": "off"}))
    assert "Switched on." in text(ada.post(one, {"act": "on"}))
    renewed = text(ada.post(one, {"act": "secret"}))
    assert "whsec_" in renewed
    assert secret not in renewed
    reply = ada.post(one, {"act": "remove"})
    assert (reply.status_code, reply.headers["Location"]) == (302, PAGE)
    assert ada.get(one).status_code == 404
    history = text(ada.get("/campaigns/small/history/?kind=webhooks"))
    for sentence in (
        "hooks.example.org → other.example.org",
        "switched off",
        "switched on",
        "made a new secret",
    ):
        assert sentence in history
    assert "removed the webhook to other.example.org" in history


def test_a_change_that_is_refused_changes_nothing(ada: Client) -> None:
    one, _ = add(ada)
    before = Webhook.objects.values().get()
    wrong = {"act": "change", **HOOK, "url": "ftp://x"}
    for wish in (wrong, {"act": "change", "url": HOOK["url"]}, {"act": "fly"}):
        assert ada.post(one, wish).status_code == 400
    assert ada.post(one, {"act": "redeliver", "delivery": "x"}).status_code == 404
    assert Webhook.objects.values().get() == before


def test_the_log_tells_what_was_sent_and_what_came_back(ada: Client, campaign: Campaign) -> None:
    one, _ = add(ada)
    assert "A test is being sent" in text(ada.post(one, {"act": "ping"}))
    assert ada.post(one, {"act": "ping"}).status_code == 409
    deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={"topic": "<7>"})
    delivery_row = Delivery.objects.latest("id")
    Delivery.objects.filter(id=delivery_row.id).update(
        attempts=2,
        status=500,
        milliseconds=120,
        answer="<b>out of order</b>",
        error="answered 500",
        tried_at=timezone.now(),
        next_try=timezone.now() + timedelta(hours=1),
    )
    log = text(ada.get(one + "deliveries/"))
    assert "&lt;b&gt;out of order&lt;/b&gt;" in log
    assert "&lt;7&gt;" in log
    assert "answered 500" in log
    assert "tried again later" in log
    # The test is due now, so the page looks again by itself; what is due in an hour is no reason to.
    assert 'hx-trigger="every 2s"' in log
    Delivery.objects.filter(kind="ping").delete()
    assert "hx-trigger" not in text(ada.get(one + "deliveries/"))
    assert "Sending again." in text(ada.post(one, {"act": "redeliver", "delivery": delivery_row.id}))
    delivery_row.refresh_from_db()
    assert delivery_row.next_try is not None
    assert delivery_row.next_try <= timezone.now()


def test_a_failing_one_and_one_that_wants_no_more_say_so(ada: Client) -> None:
    one, _ = add(ada)
    Webhook.objects.update(failing_since=timezone.now() - timedelta(hours=3))
    for page in (PAGE, one):
        assert "failing, first 3\xa0hours ago" in text(ada.get(page))
    Webhook.objects.update(active=False, gone=True)
    for page in (PAGE, one):
        assert "off: the receiver wants no more events" in text(ada.get(page))


def test_one_that_was_switched_off_says_why_and_what_to_do(ada: Client, campaign: Campaign) -> None:
    one, _ = add(ada)
    for _ in range(2):
        deliveries.create_deliveries(campaign=campaign, kind="topic.closed", data={})
    Delivery.objects.update(state="failed", attempts=8, next_try=None)
    long_ago = timezone.now() - timedelta(days=4)
    Webhook.objects.update(active=False, unreachable=True, failing_since=long_ago)
    note(campaign=campaign, kind="webhook unreachable", host="h.example.org", since=long_ago.isoformat())
    assert "off: nothing arrived for days" in text(ada.get(PAGE))
    page = text(ada.get(one))
    assert "nothing has arrived here, so the webhook was switched off" in page
    assert "Send again all" not in page
    assert ada.post(one, {"act": "redeliver all"}).status_code == 409
    page = text(ada.post(one, {"act": "on"}))
    assert "nothing has arrived" not in page
    assert "Send again all 2 that were given up" in page
    assert "2 deliveries are on their way once more" in text(ada.post(one, {"act": "redeliver all"}))
    assert set(Delivery.objects.values_list("state", "attempts")) == {("waiting", 0)}
    history = text(ada.get("/campaigns/small/history/?kind=webhooks"))
    assert "off, as nothing had arrived since" in history


def test_for_htmx_a_part_of_the_page_is_enough(ada: Client) -> None:
    htmx = {"HX-Request": "true"}
    reply = ada.post(PAGE, {**HOOK, "events": []}, headers=htmx)
    assert reply.status_code == 200
    assert text(reply).strip().startswith('<div id="webhooks-part">')
    one, _ = add(ada)
    assert text(ada.post(one, {"act": "off"}, headers=htmx)).strip().startswith('<div id="webhook-part">')
    assert ada.post(one, {"act": "remove"}, headers=htmx).headers["HX-Redirect"] == PAGE


def test_others_find_nothing(ada: Client, campaign: Campaign) -> None:
    one, _ = add(ada)
    make_campaign("Other")
    stranger, assessor = signed_in("Other-ada"), signed_in("Small-grace")
    theirs = one.replace("small", "other")
    for client, path, status in (
        (stranger, one, 404),
        (stranger, theirs, 404),
        (assessor, one, 403),
        (Client(), one, 302),
    ):
        assert client.get(path).status_code == status
        assert client.get(path + "deliveries/").status_code == status
        assert client.post(path, {"act": "remove"}).status_code == status
    assert Webhook.objects.exists()
    assert ada.post(one + "deliveries/").status_code == 405
    assert ada.put(one).status_code == 405
    assert ada.get(f"{PAGE}{10**30}/").status_code == 404


def test_it_speaks_german(ada: Client) -> None:
    one, _ = add(ada)
    with translation.override("en"):
        reply = ada.get(one, headers={"Accept-Language": "de"})
    assert "Test senden" in text(reply)
    assert "Zustellungen" in text(reply)
