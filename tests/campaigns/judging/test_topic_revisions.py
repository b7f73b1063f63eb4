"""Topics worded by those who judge them: every wording is kept, and no newer one is overwritten unseen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.judging.topic_development import changes, revisions_of
from campaigns.models import Campaign, Judgment, Topic, TopicRevision
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign

WORDS = {"description": "How does one sort?", "narrative": "Relevant: says how.\n\nNot relevant: shuffling."}
django_db = pytest.mark.django_db


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


def word(api: Api, based_on: int, **words: Any) -> Any:
    return api.post("topics/1/revisions/", {**WORDS, **words, "based_on": based_on})


def test_each_judgment_knows_the_wording_it_was_made_under(campaign: Campaign, grace: Api) -> None:
    grace.judge("1", "a", 1)
    reply = word(grace, 1)
    assert (reply.status_code, reply.json()["revision"], reply.json()["mine"]) == (201, 2, True)
    grace.judge("1", "b", 1)
    assert word(grace, 2, narrative="Only how.").json()["revision"] == 3
    grace.judge("1", "c", 1)
    topic = Topic.objects.get(number="1")
    assert (topic.description, topic.narrative, topic.revision) == (WORDS["description"], "Only how.", 3)
    assert topic.developed_by is not None
    assert topic.developed_by.username == "Small-grace"
    by_document = Judgment.objects.order_by("sequence").values_list("document__docno", "topic_revision")
    assert list(by_document) == [("a", 1), ("b", 2), ("c", 3)]


def test_a_newer_wording_is_shown_and_not_overwritten(campaign: Campaign, grace: Api) -> None:
    alan = Api(campaign, "Small-alan")
    assert word(grace, 1, description="First.").status_code == 201
    reply = word(alan, 1, description="Second.")
    assert (reply.status_code, reply.json()["code"]) == (409, "outdated")
    assert reply.headers["Content-Type"].startswith("application/problem+json")
    assert reply.json()["current"]["description"] == "First."
    assert reply.json()["current"]["mine"] is False
    assert Topic.objects.get(number="1").description == "First."
    assert word(alan, reply.json()["current"]["revision"], description="Second.").status_code == 201
    history = [row["description"] for row in alan.get("topics/1/revisions/").json()["results"]]
    assert history == ["Second.", "First.", ""]


def test_saying_the_same_again_makes_no_new_wording(grace: Api) -> None:
    word(grace, 1)
    reply = word(grace, 2, description=f"  {WORDS['description']}\r\n")
    assert (reply.status_code, reply.json()["revision"]) == (200, 2)
    assert TopicRevision.objects.filter(topic__number="1").count() == 2


def test_only_organisers_are_told_who_worded_it(campaign: Campaign, grace: Api) -> None:
    word(grace, 1)
    rows = Api(campaign, "Small-alan").get("topics/1/revisions/").json()["results"]
    assert "author" not in rows[0]
    rows = Api(campaign, "Small-ada").get("topics/1/revisions/").json()["results"]
    assert [row["author"] for row in rows] == ["Small-grace", "Small-ada"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"description": " \n"}, "empty"),
        ({"description": "x" * 20_001}, "too_long"),
        ({"narrative": "x" * 20_001}, "too_long"),
        ({"description": "a\0b"}, "invalid"),
        ({"narrative": None}, "invalid"),
        ({"title": "mine"}, "invalid"),
        ({"based_on": "latest"}, "invalid"),
        ({"based_on": -1}, "invalid"),
    ],
)
def test_odd_wordings_are_refused(campaign: Campaign, grace: Api, change: Any, code: str) -> None:
    reply = grace.post("topics/1/revisions/", {**WORDS, "based_on": 1, **change})
    assert (reply.status_code, reply.json()["code"]) == (400, code)
    assert Topic.objects.get(number="1").revision == 1


def test_where_development_is_asked_for_it_comes_before_the_first_document(
    campaign: Campaign, grace: Api
) -> None:
    services.change_settings(campaign=campaign, development_required=True)
    for reply in (grace.get("next/", topic="1"), grace.judge("1", "a", 1)):
        assert (reply.status_code, reply.json()["code"]) == (409, "development_first")
    assert word(grace, 1, narrative="").json()["errors"][0]["field"] == "narrative"
    assert word(grace, 1).status_code == 201
    assert grace.get("next/", topic="1").status_code == 200
    assert Api(campaign, "Small-alan").get("next/", topic="1").status_code == 200
    assert grace.get("next/", topic="2").json()["code"] == "development_first"


def test_a_topic_that_came_with_both_parts_is_developed(campaign: Campaign, grace: Api) -> None:
    services.change_settings(campaign=campaign, development_required=True)
    campaign.topics.filter(number="1").update(**WORDS)
    assert grace.get("next/", topic="1").status_code == 200


@django_db
@pytest.mark.parametrize("state", ["paused", "closed topic", "not mine", "untrained"])
def test_whoever_may_not_judge_it_may_not_word_it(campaign: Campaign, grace: Api, state: str) -> None:
    match state:
        case "paused":
            services.pause(campaign=campaign)
        case "closed topic":
            services.change_settings(campaign=campaign, min_judgments=1)
            grace.judge("1", "a", 1)
            assert Api(campaign, "Small-ada").post("topics/1/close/").status_code == 200
        case "not mine":
            services.change_settings(campaign=campaign, topic_choice="assigned")
        case _:
            Campaign.objects.update(training_required=True)
    assert word(grace, 1).status_code == 409
    assert Topic.objects.get(number="1").revision == 1


def test_strangers_and_other_methods(campaign: Campaign, grace: Api) -> None:
    make_campaign("Other")
    assert word(Api(campaign, "Other-grace"), 1).status_code == 404
    assert Api(campaign, "Other-grace").get("topics/1/revisions/").status_code == 404
    assert grace.get("topics/99/revisions/").status_code == 404
    assert grace.client.put(grace.root + "topics/1/revisions/").status_code == 405


def test_wordings_show_what_changed(campaign: Campaign, grace: Api) -> None:
    word(grace, 1, description="How does one sort?")
    word(grace, 2, description="How does one sort rows?")
    latest, first, uploaded = revisions_of(topic=Topic.objects.get(number="1"))
    assert (latest.author, first.author, uploaded.author) == ("Small-grace", "Small-grace", "Small-ada")
    assert [(piece.change, piece.words) for piece in latest.description] == [
        ("kept", "How does one "),
        ("removed", "sort?"),
        ("added", "sort rows?"),
    ]
    assert [piece.change for piece in uploaded.title] == ["kept"]


@given(before=st.text(), after=st.text())
def test_without_what_was_added_it_is_the_old_text(before: str, after: str) -> None:
    pieces = list(changes(before, after))
    assert "".join(piece.words for piece in pieces if piece.change != "added") == before
    assert "".join(piece.words for piece in pieces if piece.change != "removed") == after
