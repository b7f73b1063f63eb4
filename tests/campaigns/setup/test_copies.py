"""A new campaign with the settings of another: what it has, and what it never has."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.collection import assignments
from campaigns.collection.topics import set_method
from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.quality import training
from campaigns.setup import campaigns as services
from campaigns.setup.copies import copy_settings
from campaigns.setup.settings import CAMPAIGN_SETTINGS
from campaigns.topic_order.releases import set_order
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in, with_token

pytestmark = pytest.mark.django_db

SETTINGS: dict[str, Any] = {
    "guidelines": "Read all of it.",
    "p": 0.95,
    "method": "mtc",
    "min_judgments": 7,
    "budget": 300,
    "overlap_share": 0.2,
    "policy": "majority",
    "seed": 9,
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    services.change_settings(campaign=campaign, **{**SETTINGS, "seed": campaign.seed})
    Campaign.objects.filter(id=campaign.id).update(seed=9)
    campaign.refresh_from_db()
    ada = User.objects.get(username="Small-ada")
    set_order(campaign=campaign, method="hand", ahead=3, first=["2"])
    topics = list(campaign.topics.all())
    set_method(campaign=campaign, topics=topics[:1], method="A")
    assignments.assign(campaign=campaign, topics=topics, username="Small-grace", organiser=ada)
    training.add_item(campaign=campaign, topic="1", docno="a", grade=1, reason="so")
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    return campaign


def copied(
    campaign: Campaign, name: str = "Next year", topics: bool = False, people: bool = False
) -> Campaign:
    ada = User.objects.get(username="Small-ada")
    return copy_settings(campaign=campaign, organiser=ada, name=name, topics=topics, people=people)


def test_settings_and_documents_are_copied_and_nothing_else(campaign: Campaign) -> None:
    copy = copied(campaign)
    for name in CAMPAIGN_SETTINGS:
        if name not in ("name", "due_at"):
            assert getattr(copy, name) == getattr(campaign, name), name
    assert {name: getattr(copy, name) for name in SETTINGS} == SETTINGS
    assert (copy.slug, copy.status, copy.collection) == ("next-year", "draft", campaign.collection)
    assert (copy.topic_method, copy.topics_ahead, copy.topics_first) == ("hand", 3, [])
    for rows in (
        copy.topics,
        copy.runs,
        copy.judgments,
        copy.training_items,
        copy.invitations,
        copy.webhooks,
    ):
        assert not rows.exists()
    assert list(copy.memberships.values_list("user__username", flat=True)) == ["Small-ada"]


def test_topics_and_people_come_along_where_wanted(campaign: Campaign) -> None:
    only_topics = copied(campaign, topics=True)
    before = list(campaign.topics.values_list("number", "title", "description", "position", "method"))
    assert (
        list(only_topics.topics.values_list("number", "title", "description", "position", "method")) == before
    )
    assert only_topics.topics_first == ["2"]
    assert not assignments.assignees_by_topic(campaign=only_topics)
    User.objects.filter(username="Small-alan").update(is_active=False)
    both = copied(campaign, name="Both", topics=True, people=True)
    roles = dict(both.memberships.values_list("user__username", "role"))
    assert roles == {"Small-ada": "organiser", "Small-grace": "assessor"}
    assert list(assignments.assignees_by_topic(campaign=both).values()) == [["Small-grace"]] * 2


def test_options_that_name_a_run_are_left_out(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, options={"first": 0, "second": 1})
    assert campaign.options["first"] == 0
    assert copied(campaign).options["first"] is None


def test_the_page_says_what_is_copied_and_copies(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    page = ada.get("/campaigns/small/copy/").content.decode()
    assert (
        "Never copied: the due date, runs, judgments, training items, teams, invitations and webhooks."
        in page
    )
    assert 'value="Copy of Small"' in page
    for path in ("", "small/setup/"):
        assert "/campaigns/small/copy/" in ada.get(f"/campaigns/{path}").content.decode()
    reply = ada.post("/campaigns/small/copy/", {"name": "Next", "topics": "on"})
    assert reply.headers["Location"] == "/campaigns/next/setup/"
    assert Campaign.objects.get(slug="next").topics.count() == 2
    assert "copied the settings of “Small”" in ada.get("/campaigns/next/history/").content.decode()
    for wrong in ({"people": "on"}, {"name": "Next"}, {"name": "!"}, {"name": "x", "slug": "new"}):
        assert ada.post("/campaigns/small/copy/", wrong).status_code == 400
    assert Campaign.objects.count() == 2


def test_the_api_copies(campaign: Campaign) -> None:
    api = Api(campaign, "Small-ada")
    made = api.post("copy/", {"name": "Next", "people": True})
    assert made.status_code == 201
    assert (made.json()["slug"], made.json()["status"], made.json()["p"]) == ("next", "draft", 0.95)
    assert (api.post("copy/", {"name": "Next"}).status_code, api.post("copy/", {}).status_code) == (409, 400)
    assert api.post("copy/", {"name": "x", "runs": True}).status_code == 400
    bound = with_token("Small-ada", "organise", campaign=campaign)
    reply = bound.post("/api/v1/campaigns/small/copy/", {"name": "z"}, content_type="application/json")
    assert (reply.status_code, reply.json()["code"]) == (403, "scope")


def test_only_organisers_copy(campaign: Campaign) -> None:
    make_user("stranger")
    for name, status in (("Small-grace", 403), ("stranger", 404)):
        client = signed_in(name)
        assert client.post("/campaigns/small/copy/", {"name": "Next"}).status_code == status
        assert client.post("/api/v1/campaigns/small/copy/", {"name": "Next"}).status_code == status
    assert Campaign.objects.count() == 1


def test_nothing_is_made_where_something_is_refused(campaign: Campaign) -> None:
    copied(campaign)
    with pytest.raises(Refusal, match="address"):
        copied(campaign, topics=True, people=True)
    assert Campaign.objects.count() == 2
