"""The list of topics, filtered by words and by state."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from campaigns.models import Campaign, TopicAssignment
from tests.campaigns.factories import Api, Lists, make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/topics/"
LISTS: Lists = {"x": {str(number): ["a", "b", "c"] for number in (7, 12, 70, *range(100, 112))}}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", LISTS, min_judgments=2)


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def found(client: Client, *, live: bool = False, **asked: str) -> list[str]:
    reply = client.get(PAGE, asked, headers={"HX-Request": "true"} if live else {})
    assert reply.status_code == 200
    return sorted(re.findall(r'<td class="num mono soft">([^<]+)</td>', reply.content.decode()), key=int)


@pytest.mark.parametrize("live", [False, True])
def test_by_number_and_words(client: Client, campaign: Campaign, live: bool) -> None:
    campaign.topics.filter(number="12").update(title="Wind Power at sea")
    campaign.topics.filter(number="70").update(title="power stations")
    assert len(found(client, live=live)) == 15
    assert found(client, live=live, words="7") == ["7", "70"]
    assert found(client, live=live, words="POWER") == ["12", "70"]
    assert found(client, live=live, words="sea wind") == ["12"]
    assert found(client, live=live, words="power 7") == ["70"]
    assert found(client, live=live, words="nothing like it") == []


def test_by_state(client: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for number, docnos in (("7", "ab"), ("12", "a")):
        for docno in docnos:
            assert grace.judge(number, docno, 1).status_code == 201
    grace.get("next/", topic="70")
    topics = {topic.number: topic for topic in campaign.topics.all()}
    ada, grace_herself = (User.objects.get(username=f"Small-{name}") for name in ("ada", "grace"))
    campaign.topics.filter(number="100").update(closed_at=timezone.now(), closed_by=ada)
    TopicAssignment.objects.create(topic=topics["101"], assessor=grace_herself, assigned_by=ada)
    assert found(client, state="enough") == ["7"]
    assert found(client, state="closed") == ["100"]
    assert "70" in found(client, state="now")
    assert {"7", "100"}.isdisjoint(found(client, state="left"))
    assert {"7", "12"}.isdisjoint(found(client, state="untouched"))
    assert {"100", "101"}.isdisjoint(found(client, state="unassigned"))
    assert found(client, state="closed", words="7") == []
    assert len(found(client, state="no such state")) == 15


def test_the_page_says_how_many_and_keeps_what_was_asked(client: Client, campaign: Campaign) -> None:
    page = client.get(PAGE, {"words": "<b>7", "state": "untouched"}).content.decode()
    assert "0 of 15 topics ·" in page
    assert 'value="&lt;b&gt;7"' in page
    assert '<option value="untouched" selected>' in page
    assert "0 of 15 topics ·" not in client.get(PAGE).content.decode()


def test_few_topics_need_no_filter() -> None:
    make_campaign("Small")
    client = signed_in("Small-ada")
    assert "topic-filter" not in client.get(PAGE).content.decode().replace("topic-filter.css", "")
    assert 'id="topic-filter"' in client.get(PAGE, {"words": "1"}).content.decode()


def test_without_a_minimum_nothing_is_told_of_it(client: Client, campaign: Campaign) -> None:
    Campaign.objects.update(min_judgments=0)
    page = client.get(PAGE).content.decode()
    assert 'value="enough"' not in page
    assert 'value="untouched"' in page
