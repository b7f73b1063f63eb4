from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign
from campaigns.topic_offers.offers import TopicStanding, standings
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def standing(campaign: Campaign, name: str, number: str = "1") -> TopicStanding:
    user = User.objects.get(username=name)
    return next(t for t in standings(user=user.id, campaigns=[campaign]) if t.number == number)


def test_a_judgment_counts_once_however_often_revised_and_an_undo_takes_it_back(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for grade in (0, 2):
        assert grace.judge("1", "a", grade).status_code == 201
    assert standing(campaign, "Small-grace").judged == 1
    assert grace.judge("1", "a", undo=True).status_code == 201
    assert standing(campaign, "Small-grace").judged == 0


def test_what_others_do_shows_only_as_others(campaign: Campaign) -> None:
    assert Api(campaign, "Small-alan").judge("1", "a", 1).status_code == 201
    mine = standing(campaign, "Small-grace")
    assert (mine.judged, mine.begun, mine.others) == (0, False, True)
    assert not standing(campaign, "Small-alan").others
    assert not standing(campaign, "Small-grace", "2").others


def test_an_open_document_makes_a_topic_begun(campaign: Campaign) -> None:
    assert Api(campaign, "Small-grace").get("next/", topic="2").status_code == 200
    assert standing(campaign, "Small-grace", "2").open
    assert standing(campaign, "Small-alan", "2").others


def test_what_was_set_aside_keeps_a_topic_begun(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    docno = grace.get("next/", topic="2").json()["document"]["docno"]
    assert grace.post("later/", {"topic": "2", "docno": docno}).status_code == 200
    assert standing(campaign, "Small-grace", "2").postponed == 1
