"""Topics given to assessors, by hand and in turn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.collection import assignments
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Claim, Event, TopicAssignment
from campaigns.people import members
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, make_user

pytestmark = pytest.mark.django_db

SEVEN = {"x": {str(number): ["a", "b", "c"] for number in range(1, 8)}}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", SEVEN)


def ada(campaign: Campaign) -> User:
    return User.objects.get(username="Small-ada")


def give(campaign: Campaign, *numbers: str, to: str = "grace") -> int:
    topics = list(campaign.topics.filter(number__in=numbers))
    return assignments.assign(
        campaign=campaign, topics=topics, username=f"Small-{to}", organiser=ada(campaign)
    )


def shares(campaign: Campaign) -> dict[str, int]:
    return Counter(TopicAssignment.objects.values_list("assessor__username", flat=True))


def test_only_ones_own_topics_where_they_are_assigned(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, topic_choice="assigned")
    give(campaign, "1")
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    assert grace.get("next/", topic="1").status_code == 200
    for reply in (
        alan.get("next/", topic="1"),
        alan.judge("1", "b", 1),
        grace.get("next/", topic="2"),
        grace.judge("2", "a", 1),
        grace.get("next/", topic="2", docno="a"),
    ):
        assert (reply.status_code, reply.json()["code"]) == (409, "not_assigned"), reply.content
    assert not campaign.judgments.exists()


def test_where_the_choice_is_free_an_assignment_keeps_nobody_out(campaign: Campaign) -> None:
    give(campaign, "1")
    assert Api(campaign, "Small-alan").get("next/", topic="1").status_code == 200


def test_a_judgment_taken_once_is_answered_again_after_the_topic_was_taken_away(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, topic_choice="assigned")
    give(campaign, "1")
    grace = Api(campaign, "Small-grace")
    act = "0b1d86d0-13a5-4a3e-9c51-6ef5a3a9e0c1"
    assert grace.judge("1", "a", 1, id=act).status_code == 201
    topics = list(campaign.topics.filter(number="1"))
    assignments.unassign(campaign=campaign, topics=topics, username="Small-grace")
    assert not Claim.objects.exists()
    reply = grace.judge("1", "a", 1, id=act)
    assert (reply.status_code, reply.json()["next"]) == (200, None)
    assert grace.judge("1", "b", 1).status_code == 409


def test_giving_twice_is_giving_once_and_is_told(campaign: Campaign) -> None:
    assert give(campaign, "1", "2") == 2
    assert give(campaign, "2", "3") == 1
    assert give(campaign, "2", to="alan") == 1
    assert shares(campaign) == {"Small-grace": 3, "Small-alan": 1}
    published = Event.objects.filter(kind="assignment").values_list(
        "data__topic", "data__assessor", "data__act"
    )
    assert ("2", "Small-alan", "assigned") in list(published)
    assert len(published) == 4


def test_topics_are_dealt_in_turn_to_those_with_the_fewest(campaign: Campaign) -> None:
    give(campaign, "1", "2")
    assert assignments.assign_evenly(campaign=campaign, organiser=ada(campaign)) == 5
    assert shares(campaign) == {"Small-alan": 4, "Small-grace": 3}
    assert assignments.assign_evenly(campaign=campaign, organiser=ada(campaign)) == 0
    assert not TopicAssignment.objects.filter(assessor__username="Small-ada").exists()


@pytest.mark.parametrize("before", [0, 1, 3, 5])
def test_nobody_gets_two_more_than_another(campaign: Campaign, before: int) -> None:
    make_user("Small-edsger")
    members.add_member(campaign=campaign, username="Small-edsger", role="assessor")
    if before:
        give(campaign, *map(str, range(1, before + 1)))
    assignments.assign_evenly(campaign=campaign, organiser=ada(campaign))
    counts = shares(campaign)
    assert sum(counts.values()) == 7
    others = [counts["Small-alan"], counts["Small-edsger"]]
    assert max(others) - min(others) <= 1
    assert max(others) <= counts["Small-grace"] + 1 or counts["Small-grace"] == before


def test_a_closed_topic_is_dealt_to_nobody(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, min_judgments=1)
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 1)
    assert Api(campaign, "Small-ada").post("topics/1/close/").status_code == 200
    assert assignments.assign_evenly(campaign=campaign, organiser=ada(campaign)) == 6


def test_dealing_needs_somebody(campaign: Campaign) -> None:
    for name in ("Small-grace", "Small-alan"):
        members.remove_member(campaign=campaign, username=name)
    with pytest.raises(Refusal, match="no assessor"):
        assignments.assign_evenly(campaign=campaign, organiser=ada(campaign))


def test_who_leaves_the_campaign_leaves_the_topics(campaign: Campaign) -> None:
    give(campaign, "1")
    members.remove_member(campaign=campaign, username="Small-grace")
    assert not TopicAssignment.objects.exists()


@pytest.mark.parametrize("name", ["nobody", "Small\0grace", "Other-grace"])
def test_only_members_are_given_topics(campaign: Campaign, name: str) -> None:
    make_campaign("Other")
    topics = list(campaign.topics.all())
    with pytest.raises(Refusal) as caught:
        assignments.assign(campaign=campaign, topics=topics, username=name, organiser=ada(campaign))
    assert caught.value.code == "not_a_member"
    assert not TopicAssignment.objects.exists()


def test_by_the_api(campaign: Campaign) -> None:
    api = Api(campaign, "Small-ada")

    def delete(username: str) -> Any:
        return api.client.delete(f"{api.root}topics/1/assignments/?username={username}")

    assert api.post("topics/1/assignments/", {"username": "Small-grace"}).json() == {
        "topic": "1",
        "assessors": ["Small-grace"],
    }
    assert delete("Small-alan").status_code == 404
    assert delete("Small-grace").json()["assessors"] == []
    assert api.post("deal/").json() == {"assigned": 7}
    assert api.post("topics/1/assignments/", {"name": "x"}).status_code == 400
    assert api.post("topics/99/assignments/", {"username": "Small-grace"}).status_code == 404


@pytest.mark.parametrize("path", ["topics/1/assignments/", "deal/", "topics/1/reopen/"])
def test_organisers_only(campaign: Campaign, path: str) -> None:
    make_campaign("Other")
    assert Api(campaign, "Small-grace").post(path, {"username": "Small-grace"}).status_code == 403
    assert Api(campaign, "Other-ada").post(path, {"username": "Small-grace"}).status_code == 404
    ada = Api(campaign, "Small-ada")
    assert ada.client.put(ada.root + path).status_code == 405
