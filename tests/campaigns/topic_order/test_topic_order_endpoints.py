"""The API and the page of the order, for organisers only."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from campaigns.api.client import Client as PythonClient
from campaigns.models import Campaign
from campaigns.models.topics import Release
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.topic_order.ordered_campaigns import judge, ordered, released, topic, work

pytestmark = pytest.mark.django_db
PATH = "topics/order/"


@pytest.fixture
def campaign() -> Campaign:
    campaign = ordered()
    work(campaign)
    return campaign


def patch(api: Api, body: Any) -> Any:
    return api.client.patch(api.root + PATH, body, content_type="application/json")


def test_the_order_is_read_with_its_reasons(campaign: Campaign) -> None:
    for number in released(campaign)[:2]:
        judge(campaign, number)
    work(campaign)
    found = Api(campaign, "Order-ada").get(PATH).json()
    assert (found["method"], found["ahead"], found["wanted"], found["as_of"]) == ("adaptive", 1, 3, 4)
    assert (found["runs"], found["depth"], found["measures"]) == (6, 100, ["RBP(p=0.8)"])
    states = [row["state"] for row in found["topics"]]
    assert sorted(states) == ["finished"] * 2 + ["open"] * 3 + ["waiting"] * 3
    waiting = [row for row in found["topics"] if row["state"] == "waiting"]
    assert [row["place"] for row in waiting] == [1, 2, 3]
    assert {row["how"] for row in waiting} == {"method"}
    for row in found["topics"]:
        assert -1 <= row["correlation"] <= 1
        assert row["uncertainty"] >= 0
        assert 0 < row["expected"] <= 1
    [agreement] = found["agreement"]
    assert agreement["topics"] == 2
    for name in ("pearson", "tau"):
        assert -1 <= agreement[name]["low"] <= agreement[name]["mean"] <= agreement[name]["high"] <= 1


def test_method_options_ahead_and_first_are_set(campaign: Campaign) -> None:
    ada = Api(campaign, "Order-ada")
    found = patch(ada, {"method": "adaptive+", "options": {"groups": 7}, "ahead": 0, "first": ["8"]}).json()
    assert (found["method"], found["options"], found["ahead"]) == ("adaptive+", {"groups": 7}, 0)
    assert found["first"] == ["8"]
    assert patch(ada, {"ahead": 3}).json()["options"] == {"groups": 7}
    assert patch(ada, {"method": "hand"}).json()["options"] == {}
    assert patch(ada, {"method": ""}).json()["method"] == ""
    assert not campaign.topics.exclude(release=Release.RELEASED).exists()


def test_acts_by_hand(campaign: Campaign) -> None:
    ada = Api(campaign, "Order-ada")
    waiting = [row["number"] for row in ada.get(PATH).json()["topics"] if row["state"] == "waiting"]
    found = ada.post(PATH, {"topic": waiting[-1], "act": "move", "place": 1}).json()
    assert next(row for row in found["topics"] if row["place"] == 1)["number"] == waiting[-1]
    assert ada.post(PATH, {"topic": waiting[0], "act": "release"}).status_code == 200
    assert topic(campaign, waiting[0]).release_reason == {"how": "hand"}
    assert ada.post(PATH, {"topic": waiting[0], "act": "hold"}).status_code == 200
    assert ada.post(PATH, {"topic": waiting[0], "act": "requeue"}).status_code == 200
    assert topic(campaign, waiting[0]).release == Release.WAITING


@pytest.mark.parametrize("who", ["grace", None])
@pytest.mark.parametrize("method", ["get", "patch", "post"])
def test_only_organisers_may(campaign: Campaign, who: str | None, method: str) -> None:
    client = signed_in(f"Order-{who}") if who else Client()
    reply = getattr(client, method)(
        f"/api/v1/campaigns/{campaign.slug}/{PATH}", {}, content_type="application/json"
    )
    assert reply.status_code == (403 if who else 401)


def test_a_stranger_finds_nothing(campaign: Campaign) -> None:
    make_campaign("Other")
    stranger = signed_in("Other-ada")
    assert stranger.get(f"/api/v1/campaigns/{campaign.slug}/{PATH}").status_code == 404
    assert stranger.get(f"/campaigns/{campaign.slug}/topics/order/").status_code == 404
    assert stranger.post(f"/campaigns/{campaign.slug}/topics/order/", {"release": "8"}).status_code == 404


@pytest.mark.parametrize("method", ["put", "delete"])
def test_other_methods_are_refused(campaign: Campaign, method: str) -> None:
    api = Api(campaign, "Order-ada")
    reply = getattr(api.client, method)(api.root + PATH, {}, content_type="application/json")
    assert reply.status_code == 405
    assert api.client.put(f"/campaigns/{campaign.slug}/topics/order/").status_code == 405


@pytest.mark.parametrize(
    ("method", "body", "field"),
    [
        ("patch", {"method": "oracle"}, "method"),
        ("patch", {"method": 1}, "method"),
        ("patch", {"ahead": -1}, "ahead"),
        ("patch", {"ahead": "2"}, "ahead"),
        ("patch", {"first": "8"}, "first"),
        ("patch", {"first": ["99"]}, "first"),
        ("patch", {"options": {"last": 1}}, "options"),
        ("patch", {"order": "adaptive"}, "order"),
        ("post", {}, "topic"),
        ("post", {"topic": "8"}, "act"),
        ("post", {"topic": "8", "act": "drop"}, "act"),
        ("post", {"topic": "8", "act": "move"}, "place"),
        ("post", {"topic": "8", "act": "move", "place": 0}, "place"),
        ("post", {"topic": "8", "act": "hold", "place": 1}, "place"),
    ],
)
def test_wrong_bodies_are_refused(campaign: Campaign, method: str, body: Any, field: str) -> None:
    api = Api(campaign, "Order-ada")
    reply = patch(api, body) if method == "patch" else api.post(PATH, body)
    assert reply.status_code == 400, reply.content
    assert field in [error["field"] for error in reply.json()["errors"]]


def test_the_page_shows_every_topic_and_acts(campaign: Campaign) -> None:
    ada = signed_in("Order-ada")
    path = f"/campaigns/{campaign.slug}/topics/order/"
    page = ada.get(path).content.decode()
    assert page.count("<tr data-topic=") == 8
    assert "Nothing is judged yet: the topics are drawn at random." in page
    waiting = [row.number for row in campaign.topics.filter(release=Release.WAITING)]
    assert ada.post(path, {"release": waiting[0]}).status_code == 302
    assert topic(campaign, waiting[0]).release == Release.RELEASED
    assert "released by hand" in ada.get(path).content.decode()
    ada.post(path, {"hold": waiting[1]})
    ada.post(path, {"requeue": waiting[1]})
    ada.post(path, {"move": "yes", "topic": waiting[2], "place": "1"})
    ada.post(path, {"later": waiting[2]})
    campaign.refresh_from_db()
    assert campaign.topics_first[1] == waiting[2]
    for wrong in ({"release": "99"}, {"move": "yes"}, {"method": "oracle", "ahead": "1"}, {"method": ""}, {}):
        before = list(campaign.topics.values_list("number", "release"))
        assert ada.post(path, wrong).status_code == 302
        assert list(campaign.topics.values_list("number", "release")) == before
    assert ada.post(path, {"method": "adaptive+", "ahead": "4"}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.topic_method, campaign.topics_ahead) == ("adaptive+", 4)
    part = ada.get(path, headers={"HX-Request": "true"})
    assert b"<html" not in part.content
    history = ada.get(f"/campaigns/{campaign.slug}/history/").content.decode()
    for words in ("by hand", "held topic", "requeued", "to place 1"):
        assert words in history


def test_the_page_sets_how_many_topics_are_drawn_first(campaign: Campaign) -> None:
    ada = signed_in("Order-ada")
    path = f"/campaigns/{campaign.slug}/topics/order/"

    def saved(**posted: str) -> dict[str, Any]:
        assert ada.post(path, {"ahead": "1", **posted}).status_code == 302
        campaign.refresh_from_db()
        return dict(campaign.topic_options)

    assert 'name="first" type="number" min="1" value="1"' in ada.get(path).content.decode()
    assert saved(method="adaptive", first="1") == {}
    assert saved(method="adaptive", first="3") == {"first": 3}
    assert 'name="first" type="number" min="1" value="3"' in ada.get(path).content.decode()
    patch(Api(campaign, "Order-ada"), {"method": "adaptive+", "options": {"groups": 7, "first": 3}})
    assert saved(method="adaptive+", first="2") == {"groups": 7, "first": 2}
    assert saved(method="iqp", first="2") == {"first": 2}
    for wrong in ("0", "", "two", "-1", "2.5"):
        assert saved(method="iqp", first=wrong) == {"first": 2}
    assert saved(method="hand", first="2") == {}


def test_topics_drawn_first_are_drawn_by_lot(campaign: Campaign) -> None:
    first, second = released(campaign)[:2]
    judge(campaign, first)
    judge(campaign, second)
    patch(Api(campaign, "Order-ada"), {"options": {"first": 7}})
    work(campaign)
    found = Api(campaign, "Order-ada").get(PATH).json()
    waiting = [row["how"] for row in found["topics"] if row["state"] == "waiting"]
    # Five are released, so that two are drawn before the method chooses the last.
    assert waiting == ["drawn", "drawn", "method"]


def test_assessors_are_not_shown_the_page(campaign: Campaign) -> None:
    assert signed_in("Order-grace").get(f"/campaigns/{campaign.slug}/topics/order/").status_code == 403


def test_the_python_client_has_the_acts() -> None:
    assert callable(PythonClient("http://localhost", "t").campaign("c").topic_order)
