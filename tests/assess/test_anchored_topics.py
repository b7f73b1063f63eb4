"""From topic to topic where anchors wait."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.collection import assignments
from campaigns.computing.tasks import recompute
from campaigns.models import Anchor, Campaign, Claim
from campaigns.setup.campaigns import change_settings
from campaigns.topic_offers.offers import standings
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

TOPICS = ["1", "2", "3", "4"]
LISTS = {"x": {topic: [f"d{topic}-{n:02}" for n in range(12)] for topic in TOPICS}}


@pytest.fixture
def campaign() -> Campaign:
    """One anchor in topic 1, two in topic 3."""
    campaign = make_campaign(lists=LISTS, anchors=12)
    rows = [("1", "d1-05"), ("3", "d3-07"), ("3", "d3-02")]
    for place, (number, docno) in enumerate(rows):
        Anchor.objects.create(
            topic=campaign.topics.get(number=number),
            document=campaign.collection.documents.get(docno=docno),
            place=place,
            seed=1,
            as_of=0,
        )
    recompute(campaign.id)
    return campaign


def anchored(username: str, campaign: Campaign) -> list[str]:
    user = User.objects.get(username=username)
    return [one.number for one in standings(user=user.id, campaigns=[campaign]) if one.anchored]


def proposed(topic: str, username: str = "Small-grace") -> dict[str, Any]:
    reply = signed_in(username).get(f"/judge/small/{topic}/onward")
    assert reply.status_code == 200
    found: dict[str, Any] = reply.json()
    return found


def judge(campaign: Campaign, topic: str, username: str = "Small-grace") -> str:
    api = Api(campaign, username)
    docno = str(api.get("next/", topic=topic).json()["docno"])
    assert api.judge(topic, docno, 1).status_code == 201
    return docno


def test_the_screen_goes_on_once_the_anchors_of_a_topic_are_judged(campaign: Campaign) -> None:
    assert proposed("3") == {}
    assert judge(campaign, "3") == "d3-07"
    assert proposed("3") == {}
    assert judge(campaign, "3") == "d3-02"
    assert proposed("3") == {"topic": "1", "title": "title 1", "address": "/judge/small/1/"}
    assert judge(campaign, "1") == "d1-05"
    # No anchor is left anywhere.
    assert proposed("1") == {}


def test_a_topic_in_which_other_documents_were_judged_goes_on(campaign: Campaign) -> None:
    for _ in range(3):
        judge(campaign, "3")
    assert proposed("3") == {}
    assert proposed("2") == {}


def test_an_anchor_waits_for_those_who_may_have_it(campaign: Campaign) -> None:
    assert anchored("Small-grace", campaign) == ["1", "3"]
    Api(campaign, "Small-alan").get("next/", topic="1")
    assert anchored("Small-grace", campaign) == ["3"]
    assert anchored("Small-alan", campaign) == ["1", "3"]
    Claim.objects.all().delete()
    judge(campaign, "1", "Small-alan")
    assert anchored("Small-grace", campaign) == anchored("Small-alan", campaign) == ["3"]


def test_anchors_wait_in_assigned_topics_alone_where_that_is_the_rule(campaign: Campaign) -> None:
    ada = User.objects.get(username="Small-ada")
    topic = campaign.topics.get(number="3")
    assignments.assign(campaign=campaign, topics=[topic], username="Small-grace", organiser=ada)
    change_settings(campaign=campaign, topic_choice="assigned")
    for _ in range(2):
        judge(campaign, "3")
    assert proposed("3") == {}


def test_without_anchors_nothing_is_proposed() -> None:
    campaign = make_campaign(lists=LISTS)
    recompute(campaign.id)
    judge(campaign, "1")
    assert proposed("1") == {}


def test_the_proposal_is_for_assessors_of_the_campaign(campaign: Campaign) -> None:
    make_campaign("Else", LISTS)
    assert signed_in("Else-grace").get("/judge/small/1/onward").status_code == 404
    assert signed_in("Small-grace").get("/judge/small/9/onward").status_code == 404
    assert signed_in("Small-grace").post("/judge/small/1/onward").status_code == 405
