"""Draws of topics: what is stored of them, how long they stay, random assignment, and the export."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from campaigns.collection import assignments
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Deed, Topic, TopicAssignment, TopicDraw
from campaigns.people import members
from campaigns.setup.campaigns import change_settings
from campaigns.topic_offers.draws import draw_topic
from tests.campaigns.factories import Api, Lists, make_campaign, signed_in

pytestmark = pytest.mark.django_db

TWENTY: Lists = {"x": {str(topic): [f"{topic}-{place}" for place in range(3)] for topic in range(1, 21)}}


def make(name: str = "Draws", **settings: Any) -> Campaign:
    campaign = make_campaign(name, TWENTY, **settings)
    recompute(campaign.id)
    return campaign


def person(campaign: Campaign, who: str = "grace") -> User:
    return User.objects.get(username=f"{campaign.name}-{who}")


def shown(campaign: Campaign, who: str = "grace") -> list[str]:
    """Numbers of the topics offered to choose from, in the page's order."""
    signed_in(f"{campaign.name}-{who}").get(f"/judge/{campaign.slug}/")
    draws = TopicDraw.objects.filter(campaign=campaign, assessor=person(campaign, who))
    latest = draws.order_by("-number").first()
    page = signed_in(f"{campaign.name}-{who}").get(f"/judge/{campaign.slug}/").content.decode()
    assert latest is not None
    # The page shows them in the order that is stored.
    places = [page.index(f'href="/judge/{campaign.slug}/{number}/"') for number in latest.topics]
    assert places == sorted(places)
    return list(latest.topics)


def visit(campaign: Campaign, number: str, who: str = "grace", query: str = "") -> int:
    address = f"/judge/{campaign.slug}/{number}/{query}"
    return int(signed_in(f"{campaign.name}-{who}").get(address).status_code)


def test_a_draw_is_stored_in_its_order_and_stays_while_the_page_is_loaded_again() -> None:
    campaign = make()
    first = shown(campaign)
    assert (len(first), len(set(first))) == (10, 10)
    assert first != sorted(first, key=int)
    assert shown(campaign) == first
    assert TopicDraw.objects.count() == 1
    other = shown(campaign, "alan")
    assert other != first
    assert TopicDraw.objects.get(assessor=person(campaign, "alan")).number == 1


def test_the_choice_is_stored_and_a_new_draw_follows() -> None:
    campaign = make()
    first = shown(campaign)
    assert visit(campaign, first[6]) == 200
    row = TopicDraw.objects.get()
    assert (row.taken, row.way, row.taken_at is not None) == (first[6], "drawn", True)
    # Looking at another topic of the draw afterwards does not change what was taken.
    assert visit(campaign, first[2]) == 200
    row.refresh_from_db()
    assert row.taken == first[6]
    assert Api(campaign, "Draws-grace").judge(first[6], f"{first[6]}-0", 1).status_code == 201
    second = shown(campaign)
    assert first[6] not in second
    assert TopicDraw.objects.count() == 2


def test_the_recommended_topic_is_told_from_those_chosen() -> None:
    campaign = make()
    first = shown(campaign)
    outside = next(str(number) for number in range(1, 21) if str(number) not in first)
    # An address typed by hand is no choice among the topics shown.
    assert visit(campaign, outside) == 200
    assert TopicDraw.objects.get().taken == ""
    page = signed_in("Draws-grace").get("/judge/draws/").content.decode()
    assert '?recommended"' in page
    assert "Choose one of these topics. They and their order are random." in " ".join(page.split())
    assert visit(campaign, outside, query="?recommended") == 302
    row = TopicDraw.objects.get()
    assert (row.taken, row.way) == (outside, "recommended")
    rows = exported(campaign)
    assert rows[0]["place"] == "0"
    assert (rows[0]["topic"], rows[0]["taken"], rows[0]["way"]) == (outside, "true", "recommended")
    assert [one["topic"] for one in rows[1:]] == first


def test_a_draw_is_renewed_where_a_topic_goes_or_more_can_be_offered() -> None:
    campaign = make()
    first = shown(campaign)
    topic = campaign.topics.get(number=first[0])
    ada = person(campaign, "ada")
    assignments.assign(campaign=campaign, topics=[topic], username="Draws-alan", organiser=ada)
    second = shown(campaign)
    assert first[0] not in second
    assert TopicDraw.objects.count() == 2
    Topic.objects.filter(campaign=campaign).exclude(number__in=second[:3]).update(release="held")
    third = shown(campaign)
    assert sorted(third) == sorted(second[:3])
    Topic.objects.filter(campaign=campaign, number=second[4]).update(release="released")
    assert sorted(shown(campaign)) == sorted([*second[:3], second[4]])


def test_nothing_is_drawn_where_nothing_can_be_begun() -> None:
    campaign = make_campaign("Draws", TWENTY, opened=False)
    client = signed_in("Draws-grace")
    client.get("/judge/draws/")
    Campaign.objects.filter(id=campaign.id).update(status="open", topic_choice="assigned")
    client.get("/judge/draws/")
    Campaign.objects.filter(id=campaign.id).update(topic_choice="random")
    client.get("/judge/draws/")
    assert not TopicDraw.objects.exists()


def test_random_topics_are_assigned_one_after_the_other() -> None:
    campaign = make(topic_choice="random", min_judgments=1)
    client, api = signed_in("Draws-grace"), Api(campaign, "Draws-grace")
    page = client.get("/judge/draws/").content.decode()
    assert "Get a topic" in page
    assert "Start the recommended topic" not in page
    assert visit(campaign, "3") == 409
    reply = client.post("/judge/draws/draw")
    row = TopicDraw.objects.get()
    assert reply.headers["Location"] == f"/judge/draws/{row.taken}/"
    assert (row.topics, row.way) == ([row.taken], "random")
    assert TopicAssignment.objects.get().topic.number == row.taken
    note = Deed.objects.get(campaign=campaign, kind="assigned")
    assert (note.detail["topics"], note.detail["person"]) == ([row.taken], "Draws-grace")
    other = next(str(number) for number in range(1, 21) if str(number) != row.taken)
    assert visit(campaign, row.taken) == 200
    assert visit(campaign, other) == 409
    assert api.judge(other, f"{other}-0", 1).status_code == 409
    # One unfinished topic at a time.
    again = api.post("draw/")
    assert (again.status_code, again.json()["code"]) == (409, "topic_unfinished")
    assert row.taken in again.json()["detail"]
    shown_again = client.post("/judge/draws/draw", follow=True).content.decode()
    assert f"Finish topic {row.taken} first" in shown_again
    assert api.judge(row.taken, f"{row.taken}-0", 1).status_code == 201
    drawn = api.post("draw/")
    assert drawn.status_code == 201
    assert drawn.json()["number"] != row.taken
    assert drawn.json().keys() == {"number", "title", "description", "narrative", "further_fields"}
    assert TopicDraw.objects.count() == 2


def test_random_topics_differ_by_person_and_run_out() -> None:
    campaign = make_campaign("Few", {"x": {"1": ["a"], "2": ["b"]}}, topic_choice="random", min_judgments=1)
    recompute(campaign.id)
    drawn = [Api(campaign, f"Few-{who}").post("draw/").json()["number"] for who in ("grace", "alan")]
    assert sorted(drawn) == ["1", "2"]
    left = Api(campaign, "Few-ada").post("draw/")
    assert (left.status_code, left.json()["code"]) == (409, "no_topic_left")
    assert "No topic is waiting for you." in signed_in("Few-ada").get("/judge/few/").content.decode()


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"topic_choice": "free"}, "not_random"),
        ({"topic_choice": "assigned"}, "not_random"),
        ({"status": "paused"}, "campaign_not_open"),
    ],
)
def test_a_topic_is_not_drawn_where_the_campaign_does_not_allow_it(
    settings: dict[str, str], code: str
) -> None:
    campaign = make(topic_choice="random")
    Campaign.objects.filter(id=campaign.id).update(**settings)
    reply = Api(campaign, "Draws-grace").post("draw/")
    assert (reply.status_code, reply.json()["code"]) == (409, code)
    assert not TopicDraw.objects.exists()
    assert not TopicAssignment.objects.exists()


def test_a_paused_or_untrained_assessor_draws_nothing() -> None:
    campaign = make(topic_choice="random")
    members.pause_member(campaign=campaign, username="Draws-grace")
    with pytest.raises(Refusal):
        draw_topic(campaign=campaign, assessor=person(campaign))
    assert not TopicAssignment.objects.exists()


def test_draws_are_for_members_and_by_form() -> None:
    campaign = make(topic_choice="random")
    make_campaign("Other")
    assert Api(campaign, "Other-grace").post("draw/").status_code == 404
    assert Api(campaign, "Draws-grace").get("draw/").status_code == 405
    assert signed_in("Other-grace").post("/judge/draws/draw").status_code == 404
    assert signed_in("Draws-grace").get("/judge/draws/draw").status_code == 405


def exported(campaign: Campaign) -> list[dict[str, str]]:
    text = b"".join(Api(campaign, f"{campaign.name}-ada").get("exports/topic-draws/")).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_page_command_and_api_export_the_same() -> None:
    campaign = make()
    first = shown(campaign)
    visit(campaign, first[3])
    rows = exported(campaign)
    assert [row["topic"] for row in rows] == first
    assert [row["place"] for row in rows] == [str(place) for place in range(1, 11)]
    assert [row["taken"] for row in rows] == ["true" if place == 3 else "false" for place in range(10)]
    assert rows[3]["way"] == "drawn"
    assert rows[3]["taken_at"]
    assert {(row["assessor"], row["draw"]) for row in rows} == {("Draws-grace", "1")}
    client = signed_in("Draws-ada")
    page = b"".join(client.get("/campaigns/draws/exports/topic-draws/")).decode()
    out = io.StringIO()
    call_command("export_qrels", "draws", what="topic-draws", stdout=out)
    assert page == out.getvalue()
    assert "Topics offered" in client.get("/campaigns/draws/exports/").content.decode()
    jsonl = b"".join(client.get("/campaigns/draws/exports/topic-draws/?format=jsonl")).decode()
    lines = [json.loads(line) for line in jsonl.splitlines()]
    assert [line["topic"] for line in lines] == first
    assert lines[0]["taken_at"] is None
    parquet = b"".join(client.get("/campaigns/draws/exports/topic-draws/?format=parquet"))
    assert parquet[:4] == b"PAR1"
    assert Api(campaign, "Draws-grace").get("exports/topic-draws/").status_code == 403


def test_the_setting_is_changed_by_organisers() -> None:
    campaign = make()
    change_settings(campaign=campaign, topic_choice="random")
    assert Api(campaign, "Draws-grace").get("next/", topic="1").status_code == 409
