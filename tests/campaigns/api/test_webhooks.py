"""Webhooks by the API: who may, what is refused, and that secrets are shown once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core import serializers

from campaigns.models import Campaign, Deed, Delivery, Webhook
from campaigns.notifications import deliveries
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

HOOK = {"url": "https://hooks.example.org/assess?key=private", "events": ["judgments", "topic.closed"]}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Small-ada")


def patch(api: Api, path: str, body: Any) -> Any:
    return api.client.patch(api.root + path, body, content_type="application/json")


def test_a_webhooks_life(ada: Api) -> None:
    made = ada.post("webhooks/", HOOK)
    assert made.status_code == 201
    row = made.json()
    secret = row.pop("secret")
    assert secret.startswith("whsec_")
    one = f"webhooks/{row['id']}/"
    assert ada.get(one).json() == row
    assert ada.get("webhooks/").json() == {"results": [row], "next": None, "previous": None}
    assert row["events"] == ["judgments", "topic.closed"]
    assert (row["active"], row["gone"], row["failing_since"], row["told"]) == (True, False, None, 0)
    assert (row["unreachable"], row["sequence"]) == (False, 0)

    changed = patch(ada, one, {"events": ["campaign.may_stop"], "active": False})
    assert changed.status_code == 200
    assert changed.json() == {**row, "events": ["campaign.may_stop"], "active": False}

    again = ada.post(one + "secret/")
    assert again.status_code == 200
    assert again.json()["secret"] not in ("", secret)

    sent = ada.post(one + "ping/")
    assert sent.status_code == 202
    (log,) = ada.get(one + "deliveries/").json()["results"]
    assert log == sent.json()
    assert (log["kind"], log["state"], log["attempts"]) == ("ping", "waiting", 0)
    assert json.loads(log["body"])["type"] == "ping"
    assert ada.post(one + "ping/").status_code == 409
    assert ada.post(f"{one}deliveries/{log['id']}/redeliver/").status_code == 202

    assert ada.client.delete(ada.root + one).status_code == 204
    assert ada.get(one).status_code == 404
    assert not Delivery.objects.exists()


def test_the_secret_is_nowhere_but_in_the_first_answer(ada: Api) -> None:
    secret = ada.post("webhooks/", HOOK).json()["secret"]
    one = f"webhooks/{Webhook.objects.get().id}/"
    replies = [ada.get("webhooks/"), ada.get(one), patch(ada, one, {"active": False}), ada.get("")]
    assert not any(secret[6:] in reply.content.decode() for reply in replies)
    rows = serializers.serialize("json", [*Webhook.objects.all(), *Deed.objects.all()])
    assert secret[6:] not in rows
    # The history shows only the host of the address.
    assert "private" not in serializers.serialize("json", Deed.objects.all())


BAD: list[tuple[Any, str]] = [
    ({}, "url"),
    ({"url": HOOK["url"]}, "events"),
    ({**HOOK, "events": []}, "events"),
    ({**HOOK, "events": "judgments"}, "events"),
    ({**HOOK, "events": ["weather"]}, "events.0"),
    ({**HOOK, "events": ["ping"]}, "events.0"),
    ({**HOOK, "events": [["judgments"]]}, "events.0"),
    ({**HOOK, "events": ["judgments"] * 21}, "events"),
    ({**HOOK, "url": 7.5}, "url"),
    ({**HOOK, "url": ""}, "url"),
    ({**HOOK, "url": None}, "url"),
    ({**HOOK, "url": "x" * 1001}, "url"),
    ({**HOOK, "url": "http://hooks.example.org/"}, "url"),
    ({**HOOK, "url": "https://10.0.0.1/"}, "url"),
    ({**HOOK, "url": "https://a\0b/"}, "url"),
    ({**HOOK, "url": "https://\ud800.org/"}, "url"),
    ({**HOOK, "secret": "mine"}, "secret"),
    ({**HOOK, "active": False}, "active"),
    ([HOOK], ""),
    ("hook", ""),
]


@pytest.mark.parametrize(("body", "field"), BAD)
def test_bad_bodies_are_named_and_make_nothing(ada: Api, body: Any, field: str) -> None:
    reply = ada.client.post(ada.root + "webhooks/", json.dumps(body), content_type="application/json")
    assert reply.status_code == 400, reply.content
    problem = reply.json()
    assert problem["code"]
    if field:
        assert field in {error["field"] for error in problem["errors"]}
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"active": "perhaps"}, "active"),
        ({"active": None}, "active"),
        ({"url": "ftp://x"}, "url"),
        ({"events": []}, "events"),
        ({"told": 7}, "told"),
    ],
)
def test_bad_changes_change_nothing(ada: Api, body: Any, field: str) -> None:
    row = ada.post("webhooks/", HOOK).json()
    del row["secret"]
    reply = patch(ada, f"webhooks/{row['id']}/", body)
    assert reply.status_code == 400
    assert field in {error["field"] for error in reply.json()["errors"]}
    assert ada.get(f"webhooks/{row['id']}/").json() == row


def send(api: Api, method: str, path: str) -> Any:
    """With a body where one is read."""
    bodies = {"patch": {"active": False}, "post": HOOK if path == "webhooks/" else None}
    body = json.dumps(bodies[method]) if bodies.get(method) else ""
    return api.client.generic(method.upper(), api.root + path, body, content_type="application/json")


def paths(id: int, delivery: int) -> list[tuple[str, str]]:
    one = f"webhooks/{id}/"
    return [
        ("get", "webhooks/"),
        ("post", "webhooks/"),
        ("get", one),
        ("patch", one),
        ("delete", one),
        ("post", one + "secret/"),
        ("post", one + "ping/"),
        ("get", one + "deliveries/"),
        ("post", f"{one}deliveries/{delivery}/redeliver/"),
    ]


def test_others_are_told_nothing_and_change_nothing(campaign: Campaign, ada: Api) -> None:
    id = ada.post("webhooks/", HOOK).json()["id"]
    delivery = deliveries.ping(webhook=Webhook.objects.get()).id
    other = make_campaign("Other")
    before = list(Webhook.objects.values()), list(Delivery.objects.values())
    strangers = {
        404: [Api(campaign, "Other-ada"), Api(other, "Other-ada")],
        403: [Api(campaign, "Small-grace")],
    }
    for status, apis in strangers.items():
        for api in apis:
            for method, path in paths(id, delivery):
                if path == "webhooks/" and api.root.endswith("other/"):
                    continue
                reply = send(api, method, path)
                assert reply.status_code == status, (method, path)
                assert "hooks.example.org" not in reply.content.decode()
    assert (list(Webhook.objects.values()), list(Delivery.objects.values())) == before
    ada.client.logout()
    for method, path in paths(id, delivery):
        reply = send(ada, method, path)
        assert reply.status_code in (401, 403)


def test_there_is_no_such_webhook_or_delivery(ada: Api) -> None:
    id = ada.post("webhooks/", HOOK).json()["id"]
    for missing in (id + 1, 0, 2**63, 10**40):
        for method, path in paths(missing, 1)[2:]:
            reply = send(ada, method, path)
            assert reply.status_code == 404, path
        path = f"webhooks/{id}/deliveries/{missing}/redeliver/"
        assert ada.post(path).status_code == 404


def test_other_methods(ada: Api) -> None:
    id = ada.post("webhooks/", HOOK).json()["id"]
    known = paths(id, deliveries.ping(webhook=Webhook.objects.get()).id)
    for path in {path for _, path in known}:
        for method in {"get", "post", "put", "patch", "delete"} - {m for m, p in known if p == path}:
            reply = send(ada, method, path)
            assert reply.status_code == 405, (method, path)


def test_lists_ask_the_database_as_often_for_three_as_for_one(
    ada: Api, django_assert_max_num_queries: Any
) -> None:
    counts = []
    for _ in range(2):
        ada.post("webhooks/", HOOK)
        for webhook in Webhook.objects.all():
            deliveries.create_deliveries(campaign=webhook.campaign, kind="topic.closed", data={})
        first = Webhook.objects.order_by("id")[0].id
        for path in ("webhooks/", f"webhooks/{first}/deliveries/"):
            with django_assert_max_num_queries(6) as captured:
                assert ada.get(path).status_code == 200
            counts.append(len(captured))
    assert counts[:2] == counts[2:]
