"""A topic is closed once it has been judged enough, and an organiser opens it again."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Claim, Deed, Event, Topic
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

ASSIGN, HISTORY = "/campaigns/small/assign/", "/campaigns/small/history/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", min_judgments=2, assessors_close=True)


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


def judge_two(api: Api, topic: str = "1") -> None:
    for _ in range(2):
        docno = api.get("next/", topic=topic).json()["docno"]
        assert api.judge(topic, docno, 1).status_code == 201


def refusal(reply: Any) -> tuple[int, str]:
    return reply.status_code, reply.json()["code"]


def test_from_the_minimum_on_a_topic_is_closed_and_nothing_served(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    assert Claim.objects.filter(topic__number="1").exists()
    reply = grace.post("topics/1/close/")
    assert (reply.status_code, reply.json()["topic"]) == (200, "1")
    topic = Topic.objects.get(number="1")
    assert (topic.closed_by and topic.closed_by.username, topic.closed_at is not None) == (
        "Small-grace",
        True,
    )
    assert not Claim.objects.filter(topic=topic).exists()
    for name in ("grace", "alan"):
        reply = Api(campaign, f"Small-{name}").get("next/", topic="1")
        assert (reply.status_code, reply.headers["Topic-Closed"]) == (204, "true")
    assert refusal(grace.judge("1", "j", 1)) == (409, "topic_closed")
    assert refusal(Api(campaign, "Small-alan").judge("1", "j", 1)) == (409, "topic_closed")
    assert refusal(grace.get("next/", topic="1", docno="a")) == (409, "topic_closed")
    assert refusal(grace.get("ahead/", topic="1", docno="a")) == (409, "topic_closed")
    assert grace.get("next/", topic="2").status_code == 200
    assert Event.objects.get(kind="topic").data == {"topic": "1", "closed": True}


def test_closing_twice_is_closing_once(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    first = grace.post("topics/1/close/").json()
    assert grace.post("topics/1/close/").json() == first
    assert Event.objects.filter(kind="topic").count() == 1


def test_before_the_minimum_it_stays_open(campaign: Campaign, grace: Api) -> None:
    grace.judge("1", "a", 1)
    reply = grace.post("topics/1/close/")
    assert refusal(reply) == (409, "too_early")
    assert "judged 1 of 2" in reply.json()["detail"]
    assert refusal(Api(campaign, "Small-alan").post("topics/1/close/")) == (409, "too_early")
    assert not Topic.objects.exclude(closed_at=None).exists()


def test_without_a_minimum_it_takes_one_judgment(campaign: Campaign, grace: Api) -> None:
    services.change_settings(campaign=campaign, min_judgments=0)
    assert refusal(grace.post("topics/1/close/")) == (409, "too_early")
    grace.judge("1", "a", 1)
    assert grace.post("topics/1/close/").status_code == 200


def test_where_nothing_is_left_the_minimum_does_not_matter(campaign: Campaign, grace: Api) -> None:
    services.change_settings(campaign=campaign, min_judgments=40)
    while (reply := grace.get("next/", topic="2")).status_code == 200:
        grace.judge("2", reply.json()["docno"], 0)
    assert "Topic-Closed" not in reply.headers
    # Without a worker it is unknown that nothing is left.
    assert refusal(grace.post("topics/2/close/")) == (409, "too_early")
    recompute(campaign.id)
    assert grace.post("topics/2/close/").status_code == 200


def test_an_organiser_opens_it_again(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    grace.post("topics/1/close/")
    ada = Api(campaign, "Small-ada")
    assert ada.post("topics/1/reopen/").json() == {"topic": "1", "closed_at": None}
    assert refusal(ada.post("topics/1/reopen/")) == (409, "not_closed")
    assert grace.get("next/", topic="1").status_code == 200
    assert [event.data["closed"] for event in Event.objects.filter(kind="topic").order_by("id")] == [
        True,
        False,
    ]


def test_what_others_had_under_way_is_not_lost(campaign: Campaign, grace: Api) -> None:
    alan = Api(campaign, "Small-alan")
    judge_two(grace)
    docno = alan.get("next/", topic="1").json()["docno"]
    after = alan.judge("1", docno, 2).json()["next"]["docno"]
    grace.post("topics/1/close/")
    late = alan.judge("1", after, 0)
    assert (late.status_code, late.json()["next"]) == (201, None)
    assert campaign.judgments.get(id=late.json()["judgment"]["id"]).stale_claim
    assert not Claim.objects.filter(topic__number="1").exists()


def test_what_was_taken_before_is_answered_after(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    act = str(uuid.uuid4())
    docno = grace.get("next/", topic="1").json()["docno"]
    assert grace.judge("1", docno, 1, id=act).status_code == 201
    grace.post("topics/1/close/")
    again = grace.judge("1", docno, 1, id=act)
    assert (again.status_code, again.json()["next"]) == (200, None)


def test_only_while_the_campaign_is_open(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    services.pause(campaign=campaign)
    assert refusal(grace.post("topics/1/close/")) == (409, "campaign_not_open")


def test_strangers_and_other_methods(campaign: Campaign, grace: Api) -> None:
    make_campaign("Other")
    assert Api(campaign, "Other-grace").post("topics/1/close/").status_code == 404
    assert grace.post("topics/99/close/").status_code == 404
    assert grace.get("topics/1/close/").status_code == 405


def test_an_organiser_closes_without_a_minimum_and_opens_again(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    assert grace.judge("1", "b", 1).status_code == 201
    served = grace.get("next/", topic="1").json()["docno"]
    ada = signed_in("Small-ada")
    reply = ada.post(ASSIGN, {"close": "1", "back": "1"}, follow=True)
    page = reply.content.decode()
    assert reply.redirect_chain == [("/campaigns/small/topics/1/", 302)]
    assert "Topic 1 is closed: its documents are no longer served." in page
    assert "Open again" in page
    topic = campaign.topics.get(number="1")
    assert topic.closed_by == User.objects.get(username="Small-ada")
    assert grace.get("next/", topic="1").status_code != 200
    # Documents on the screens of assessors may still be judged.
    assert grace.judge("1", served, 1).status_code == 201
    # Closing twice is closing once.
    ada.post(ASSIGN, {"close": "1"})
    assert Deed.objects.filter(kind="topic closed").count() == 1
    assert "closed topic 1 for all assessors" in re.sub(r"<[^>]*>", "", ada.get(HISTORY).content.decode())
    page = ada.post(ASSIGN, {"reopen": "1", "back": "1"}, follow=True).content.decode()
    assert "Topic 1 is open again." in page
    assert grace.get("next/", topic="1").status_code == 200


def test_assessors_close_only_where_the_campaign_lets_them(campaign: Campaign, grace: Api) -> None:
    services.change_settings(campaign=campaign, assessors_close=False)
    judge_two(grace)
    reply = grace.post("topics/1/close/")
    assert refusal(reply) == (403, "organisers_close")
    assert "only organisers close a topic" in reply.json()["detail"]
    assert not Topic.objects.exclude(closed_at=None).exists()
    reply = Api(campaign, "Small-ada").post("topics/1/close/")
    assert (reply.status_code, Topic.objects.get(number="1").closed_at is not None) == (200, True)


def test_only_organisers_close_for_everybody(campaign: Campaign) -> None:
    assert signed_in("Small-grace").post(ASSIGN, {"close": "1"}).status_code == 403
    page = signed_in("Small-ada").post(ASSIGN, {"close": "9", "back": "\0"}, follow=True).content.decode()
    assert "Choose at least one topic" in page
    assert not campaign.topics.filter(closed_at__isnull=False).exists()
