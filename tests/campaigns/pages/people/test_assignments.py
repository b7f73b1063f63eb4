"""Assignments, closed topics and wordings on the topics pages; the settings that go with them."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from campaigns.models import Campaign, Topic, TopicAssignment
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.campaigns.pages.setup.test_settings import FILLED, save_settings
from tests.campaigns.quality.test_training import train_on

pytestmark = pytest.mark.django_db

ACT = "/campaigns/small/assign/"
TOPICS = "/campaigns/small/topics/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", min_judgments=1)


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def words(reply: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def given() -> set[tuple[str, str]]:
    return set(TopicAssignment.objects.values_list("topic__number", "assessor__username"))


def test_by_hand_and_evenly_and_back(client: Client) -> None:
    reply = client.post(ACT, {"assign": "yes", "topic": ["2"], "username": "Small-alan"}, follow=True)
    assert "One topic is newly assigned to Small-alan." in words(reply)
    assert "2 topics are" not in words(reply)
    reply = client.post(ACT, {"deal": "yes"}, follow=True)
    assert "One topic is assigned evenly" in words(reply)
    assert given() == {("2", "Small-alan"), ("1", "Small-grace")}
    reply = client.post(ACT, {"take_back": "2 Small-alan"}, follow=True)
    assert "Topic 2 is no longer assigned to Small-alan" in words(reply)
    assert given() == {("1", "Small-grace")}
    assert "Assigned to Small-grace" in words(client.get(f"{TOPICS}1/"))


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ({}, "Say what to do"),
        ({"assign": "yes", "username": "Small-grace"}, "Choose at least one topic"),
        ({"assign": "yes", "topic": "1", "username": "nobody"}, "has no role here"),
        ({"assign": "yes", "topic": "1\0", "username": "Small-grace"}, "Choose at least one topic"),
        ({"take_back": "1 Small-grace"}, "has none of these topics"),
        ({"take_back": "1"}, "has none of these topics"),
        ({"reopen": "1"}, "Topic 1 is not closed"),
        ({"reopen": "99"}, "Choose at least one topic"),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(client: Client, wish: dict[str, str], says: str) -> None:
    assert says in words(client.post(ACT, wish, follow=True))
    assert not given()


@pytest.mark.parametrize("page", [TOPICS, f"{TOPICS}1/"])
def test_a_closed_topic_is_shown_and_opened_again(client: Client, campaign: Campaign, page: str) -> None:
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 1)
    Api(campaign, "Small-ada").post("topics/1/close/")
    text = client.get(page).content.decode()
    assert ">closed<" in text
    assert 'name="reopen" value="1"' in text
    assert "Topic 1 is open again." in words(client.post(ACT, {"reopen": "1"}, follow=True))
    assert ">closed<" not in client.get(page).content.decode()
    assert Topic.objects.get(number="1").closed_at is None


def test_definitions_over_time(client: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for based_on, narrative in ((1, "Says how."), (2, "Says <how> fast.")):
        wish = {"description": "How?", "narrative": narrative, "based_on": based_on}
        assert grace.post("topics/1/revisions/", wish).status_code == 201
    reply = client.get(f"{TOPICS}1/")
    page = reply.content.decode()
    assert "3 revisions of this topic" in words(reply)
    assert "<ins>&lt;how&gt; fast.</ins>" in page
    assert "<del>how.</del>" in page
    assert words(reply).index("Small-grace,") < words(reply).index("Small-ada,")


def test_who_may_act(campaign: Campaign) -> None:
    make_user("eve")
    wish = {"deal": "yes"}
    assert Client().post(ACT, wish).headers["Location"].startswith("/sign-in/")
    assert signed_in("eve").post(ACT, wish).status_code == 404
    assert signed_in("Small-grace").post(ACT, wish).status_code == 403
    assert signed_in("Small-ada").get(ACT).status_code == 405
    assert not given()


def test_the_settings_of_assessors(client: Client, campaign: Campaign) -> None:
    wish = {**FILLED, "topic_choice": "assigned", "development_required": "on"}
    assert save_settings(client, wish).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.topic_choice, campaign.development_required) == ("assigned", True)
    reply = save_settings(client, {**wish, "training_required": "on"})
    assert (reply.status_code, "5 more must be made first" in words(reply)) == (400, True)
    train_on(campaign, dict.fromkeys("abcde", 0))
    assert save_settings(client, {**wish, "training_required": "on"}).status_code == 302
    assert save_settings(client, {**FILLED, "topic_choice": "lottery"}).status_code == 400
    campaign.refresh_from_db()
    assert (campaign.training_required, campaign.topic_choice) == (True, "assigned")
    assert save_settings(client, FILLED).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.training_required, campaign.development_required) == (False, False)
    assert campaign.topic_choice == "assigned"


def test_by_the_api_too(campaign: Campaign) -> None:
    api = Api(campaign, "Small-ada")

    def change(body: dict[str, Any]) -> Any:
        return api.client.patch(api.root, body, content_type="application/json")

    assert (
        change({"topic_choice": "assigned", "development_required": True}).json()["topic_choice"]
        == "assigned"
    )
    assert change({"training_required": True}).json()["code"] == "incomplete"
    assert change({"topic_choice": "lottery"}).status_code == 400
    assert Api(campaign, "Small-grace").get("").json()["development_required"] is True


def test_a_draft_may_require_training_before_it_has_items() -> None:
    campaign = make_campaign("Draft", opened=False)
    services.change_settings(campaign=campaign, training_required=True)
    page = signed_in("Draft-ada").get("/campaigns/draft/setup/")
    assert "5 more training items" in words(page)
