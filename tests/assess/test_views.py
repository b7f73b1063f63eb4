from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from campaigns.models import Campaign, Collection, Topic
from campaigns.people import members
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.factories import THREE_RUNS, Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGES = ["/judge/", "/judge/small/", "/judge/small/1/"]
SECRETS = re.compile(
    r"\b(?:weights?|gains?|residuals?|methods?|ranks?|runs?|bm25secret|alan)\b", re.IGNORECASE
)
FORM_METHOD = re.compile(r' method="(?:post|dialog)"')


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def screen_data(client: Client, path: str) -> Any:
    page = client.get(path).content.decode()
    found = re.search(r'<script id="screen-data" type="application/json">(.*?)</script>', page)
    assert found
    return json.loads(found.group(1))


@pytest.mark.parametrize("path", PAGES)
def test_anonymous_people_are_sent_to_sign_in_and_back(campaign: Campaign, client: Client, path: str) -> None:
    reply = client.get(path)
    assert reply.status_code == 302
    assert reply.headers["Location"] == f"/sign-in/?next={path}"


@pytest.mark.parametrize("path", PAGES[1:])
def test_a_campaign_does_not_exist_for_those_without_a_role(campaign: Campaign, path: str) -> None:
    make_user("eve")
    assert signed_in("eve").get(path).status_code == 404


@pytest.mark.parametrize("path", ["/judge/none/", "/judge/small/99/", "/judge/none/1/"])
def test_what_is_not_there_is_not_found(campaign: Campaign, path: str) -> None:
    assert signed_in("Small-grace").get(path).status_code == 404


def test_what_waits_for_somebody_comes_first(campaign: Campaign) -> None:
    for name in ("Begun", "Paused", "Newest"):
        members.add_member(campaign=make_campaign(name), username="Small-grace", role="assessor")
    campaign_services.pause(campaign=Campaign.objects.get(name="Paused"))
    begun = Campaign.objects.get(name="Begun")
    assert Api(begun, "Small-grace").judge("1", "a", 1).status_code == 201
    page = signed_in("Small-grace").get("/judge/").content.decode()
    assert re.findall(r'href="/judge/(\w+)/">\w+</a></h2>', page) == ["begun", "newest", "small", "paused"]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_pages_are_only_read(campaign: Campaign, path: str, method: str) -> None:
    assert getattr(signed_in("Small-grace"), method)(path).status_code == 405


@pytest.mark.parametrize("path", PAGES)
def test_members_see_their_pages(campaign: Campaign, path: str) -> None:
    for name in ("grace", "ada"):
        assert signed_in(f"Small-{name}").get(path).status_code == 200


def test_home_without_a_campaign_says_what_to_do() -> None:
    make_user("new")
    page = signed_in("new").get("/judge/").content.decode()
    assert "Ask the organiser to add user <strong>new</strong>" in page


@pytest.mark.parametrize("path", ["/judge/", "/judge/secret/", "/judge/secret/1/"])
def test_nothing_of_what_assessors_must_not_see(path: str) -> None:
    campaign = make_campaign("Secret", {"bm25secret": THREE_RUNS["x"], "z": THREE_RUNS["z"]})
    Api(campaign, "Secret-alan").judge("1", "a", 2)
    page = signed_in("Secret-grace").get(path).content.decode()
    assert not SECRETS.findall(FORM_METHOD.sub("", page))


def test_the_screen_starts_with_ones_own_history_only(campaign: Campaign) -> None:
    Api(campaign, "Small-alan").judge("1", "a", 2)
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "b", 1)
    grace.judge("1", "c", reason="unreadable")
    data = screen_data(grace.client, "/judge/small/1/")
    assert [(row["docno"], row["grade"], row["reason"]) for row in data["history"]] == [
        ("c", None, "unreadable"),
        ("b", 1, ""),
    ]
    assert (data["progress"]["judged"], data["progress"]["relevant"]) == (2, 1)
    assert data["api"] == "/api/v1/campaigns/small/"
    assert [row["key"] for row in data["grades"]] == ["0", "1", "2"]
    assert [row["relevant"] for row in data["grades"]] == [False, True, True]


def test_what_is_set_aside_is_there_after_a_reload(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    docno = grace.get("next/", topic="2").json()["document"]["docno"]
    grace.post("later/", {"topic": "2", "docno": docno})
    assert screen_data(grace.client, "/judge/small/2/")["aside"] == [
        {"docno": docno, "title": "", "revision": False}
    ]


def test_a_topic_number_may_hold_anything(campaign: Campaign) -> None:
    Topic.objects.create(campaign=campaign, number="2026/a b?é", title="odd", position=9)
    client = signed_in("Small-grace")
    page = client.get("/judge/small/").content.decode()
    found = re.search(r'href="(/judge/small/2026/[^"]+)"', page)
    assert found
    assert client.get(found.group(1)).status_code == 200


def test_hostile_text_is_shown_and_not_run(campaign: Campaign) -> None:
    attack = "</script><script>alert(1)</script>"
    Topic.objects.filter(number="1").update(title=attack, description=attack, narrative=attack)
    Campaign.objects.update(guidelines=attack)
    client = signed_in("Small-grace")
    for path in PAGES[1:]:
        assert "<script>alert" not in client.get(path).content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_pages_hold_nothing_inline(campaign: Campaign, path: str) -> None:
    page = signed_in("Small-grace").get(path).content.decode()
    assert not re.findall(r"<script(?![^>]*(?:\bsrc=|application/json))|<style|\sstyle=|\son\w+=", page)


@pytest.mark.parametrize(
    ("act", "words"),
    [("pause", "paused by the organiser"), ("close", "campaign is closed")],
)
def test_a_campaign_that_cannot_be_judged_says_so(campaign: Campaign, act: str, words: str) -> None:
    getattr(campaign_services, act)(campaign=campaign)
    page = signed_in("Small-grace").get("/judge/small/").content.decode()
    assert words in page
    assert "Start the recommended topic" not in page


def test_pages_need_as_many_queries_for_many_topics_as_for_few(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    thirty = {"w": {str(number): ["a", "b"] for number in range(30)}}
    make_campaign("Large", {**THREE_RUNS, **thirty})
    for name, slug, topic in (("Small", "small", "1"), ("Large", "large", "1")):
        client = signed_in(f"{name}-grace")
        # The first look at the list stores what is drawn.
        list_page = f"/judge/{slug}/"
        places = (("/judge/", 6), (list_page, 12), (list_page, 8), (f"{list_page}{topic}/", 13))
        for path, most in places:
            with django_assert_max_num_queries(most):
                client.get(path)


def test_texts_have_the_language_that_was_chosen() -> None:
    """The default is nobody's choice, and claims none."""
    make_campaign()
    for language, count in (("english", 0), ("german", 5), ("portuguese", 5)):
        Collection.objects.update(language=language)
        page = signed_in("Small-grace").get("/judge/small/1/").content.decode()
        main = page[page.index("<main") :]
        assert main.count('lang="de"') == (count if language == "german" else 0)
        assert main.count('lang="pt"') == (count if language == "portuguese" else 0)
        assert 'lang="en"' not in main.split("<footer")[0]
