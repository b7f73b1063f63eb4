"""A share of the documents goes to several assessors, who cannot tell which."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from campaigns.computing.health import serving_figures
from campaigns.computing.tasks import recompute
from campaigns.judging.overlap_and_repeats import (
    OVERLAP_LOT,
    REPEAT_LOT,
    overlap_and_repeat_queue,
    waiting_of,
)
from campaigns.log.current import current_qrels
from campaigns.measurement.prels import current_prels
from campaigns.models import Campaign, Claim, Judgment, Topic
from campaigns.setup import campaigns as campaign_services
from campaigns.topic_offers.offers import standings
from selection.randomness import lot
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

DOCNOS = [f"d{n:02}" for n in range(30)]
LISTS = {"x": {"1": DOCNOS}, "y": {"1": DOCNOS[::-1]}}


def made(share: float = 1.0, people: int = 2, **settings: Any) -> Campaign:
    campaign = make_campaign(
        lists=LISTS, overlap_share=share, overlap_assessors=people, min_judgments=3, **settings
    )
    recompute(campaign.id)
    return campaign


def person(name: str) -> Api:
    return Api(Campaign.objects.get(), f"Small-{name}")


def judge_some(api: Api, count: int, grade: int = 1) -> list[str]:
    """Judge what is served, as the browser without anything at hand would."""
    judged = []
    for _ in range(count):
        docno = api.get("next/", topic="1").json()["docno"]
        assert api.judge("1", docno, grade).status_code == 201
        judged.append(docno)
    return judged


def drawn(share: float) -> set[str]:
    return {docno for docno in DOCNOS if lot("overlap", 1, "1", docno) < share}


def owed_to(name: str) -> list[str]:
    campaign, topic = Campaign.objects.get(), Topic.objects.get()
    assessor = User.objects.get(username=f"Small-{name}").id
    queue = overlap_and_repeat_queue(
        campaign=campaign, topic=topic.id, method=topic.method, assessor=assessor
    )
    names = dict(campaign.collection.documents.values_list("id", "docno"))
    return [names[document] for document in queue.documents]


def test_the_lot_is_the_same_in_the_database() -> None:
    campaign = made()
    query = (
        f"SELECT d.docno, {OVERLAP_LOT}, {REPEAT_LOT} FROM campaigns_document d, campaigns_topic t,"
        " campaigns_campaign c, auth_user u WHERE u.username = %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(query, ["Small-grace"])
        rows = cursor.fetchall()
    assert len(rows) == 30
    for docno, overlap, repeat in rows:
        assert overlap == lot("overlap", campaign.seed, "1", docno)
        assert repeat == lot("repeat", campaign.seed, "1", docno, "Small-grace")


def test_what_one_has_judged_another_gets_before_the_queue() -> None:
    made(share=0.5)
    hers = judge_some(person("grace"), 12)
    twice = [docno for docno in hers if docno in drawn(0.5)]
    assert 0 < len(twice) < 12
    his = judge_some(person("alan"), len(twice) + 3)
    assert his[: len(twice)] == twice
    assert not set(his[len(twice) :]) & set(hers)


def test_no_more_than_are_wanted_judge_a_document() -> None:
    campaign = made(people=2)
    hers = judge_some(person("grace"), 5)
    assert owed_to("alan") == hers
    judge_some(person("alan"), 5)
    organiser = Api(campaign, "Small-ada")
    assert organiser.get("next/", topic="1").json()["docno"] not in hers


def test_a_third_is_asked_where_three_are_wanted() -> None:
    made(people=3)
    hers = judge_some(person("grace"), 4)
    judge_some(person("alan"), 4)
    assert judge_some(person("ada"), 4) == hers


def test_cannot_judge_is_an_opinion_too() -> None:
    made()
    docno = person("grace").get("next/", topic="1").json()["docno"]
    person("grace").judge("1", docno, reason="unreadable")
    assert owed_to("alan") == [docno]
    assert person("alan").get("next/", topic="1").json()["docno"] == docno
    person("alan").judge("1", docno, reason="unreadable")
    assert owed_to("ada") == []


def test_what_was_taken_back_is_no_opinion() -> None:
    made()
    [docno] = judge_some(person("grace"), 1)
    person("grace").judge("1", docno, undo=True)
    assert owed_to("alan") == []


def test_what_a_file_brought_is_nobodys_opinion() -> None:
    campaign = made()
    organiser = Api(campaign, "Small-ada")
    assert organiser.upload("qrels/", b"1 0 d03 1\n1 0 d04 0\n", "some.qrels").status_code == 201
    assert Judgment.objects.count() == 2
    assert owed_to("grace") == []


def test_a_document_is_open_on_one_screen_only() -> None:
    made(people=3)
    judge_some(person("grace"), 2)
    his = person("alan").get("next/", topic="1").json()["docno"]
    third = person("ada").get("next/", topic="1").json()["docno"]
    assert {his, third} == set(owed_to("alan"))
    assert his != third


def test_whoever_judged_first_may_look_again_while_another_has_it_open() -> None:
    made()
    hers = judge_some(person("grace"), 2, grade=2)
    his = person("alan").get("next/", topic="1").json()["docno"]
    assert his in hers
    again = person("grace").get("next/", topic="1", docno=his)
    assert (again.status_code, again.json()["claim"]["revising"]) == (200, 2)
    assert Claim.objects.get(document__docno=his).assessor.username == "Small-alan"
    assert person("grace").judge("1", his, 1, revision=True).json()["judgment"]["revision"] is True
    assert Claim.objects.get(document__docno=his).assessor.username == "Small-alan"
    assert person("alan").judge("1", his, 1).json()["judgment"]["revision"] is False


def test_taking_back_what_another_has_open_goes_on_with_another_document() -> None:
    made()
    [hers] = judge_some(person("grace"), 1)
    on_screen = person("grace").get("next/", topic="1").json()["docno"]
    assert person("alan").get("next/", topic="1").json()["docno"] == hers
    taken_back = person("grace").judge("1", hers, undo=True)
    assert taken_back.json()["next"]["docno"] == on_screen


def test_what_was_set_aside_comes_back_only_when_asked_for() -> None:
    made()
    hers = judge_some(person("grace"), 2)
    alan = person("alan")
    assert alan.get("next/", topic="1").json()["docno"] == hers[0]
    reply = alan.post("later/", {"topic": "1", "docno": hers[0]}).json()
    assert reply["next"]["docno"] == hers[1]
    back = alan.get("next/", topic="1", docno=hers[0]).json()
    assert (back["docno"], back["claim"]["revising"], back["claim"]["revision"]) == (hers[0], None, False)
    alan.judge("1", hers[0], 0)
    assert Judgment.objects.filter(document__docno=hers[0]).count() == 2


def test_the_browser_has_it_at_hand_whatever_the_grade() -> None:
    campaign = made()
    alan = person("alan")
    docno = alan.get("next/", topic="1").json()["docno"]
    hers = judge_some(person("grace"), 3)
    recompute(campaign.id)
    ahead = alan.get("ahead/", topic="1", docno=docno).json()
    assert set(ahead["next"].values()) == {hers[0]}
    assert ahead["reserve"][:3] == hers
    held = Claim.objects.filter(reserved=True, purpose="overlap")
    assert set(held.values_list("document__docno", flat=True)) == set(hers)
    reply = alan.judge("1", docno, 1, shown=hers[0]).json()
    assert reply["next"]["docno"] == hers[0]
    assert "document" not in reply["next"]
    claim = Claim.objects.get(document__docno=hers[0])
    assert (claim.purpose, claim.reserved, claim.exact) == ("overlap", False, None)


def test_what_enough_have_judged_meanwhile_is_shown_no_more() -> None:
    made(people=2)
    alan, ada = person("alan"), person("ada")
    docno = alan.get("next/", topic="1").json()["docno"]
    [hers] = judge_some(person("grace"), 1)
    assert alan.get("ahead/", topic="1", docno=docno).json()["next"]["1"] == hers
    # A late judgment of an assessor whose claim had gone is recorded all the same.
    assert ada.judge("1", hers, 0).status_code == 201
    assert alan.judge("1", docno, 1, shown=hers).json()["next"]["docno"] != hers


def test_method_and_probability_are_the_first_ones_and_exactness_is_the_queues() -> None:
    campaign = made(method="statap", options={"size": 10})
    hers = judge_some(person("grace"), 4)
    before = serving_figures(campaign)
    prels = {row.docno: (row.method, row.inclusion) for row in current_prels(campaign=campaign)}
    judge_some(person("alan"), 4, grade=2)
    for docno in hers:
        first, second = Judgment.objects.filter(document__docno=docno).order_by("sequence")
        assert (first.method, first.inclusion_probability) == (second.method, second.inclusion_probability)
        assert (first.served_exactly is None, second.served_exactly) == (False, None)
        assert (first.queue_age is None, second.queue_age) == (False, None)
    assert serving_figures(campaign) == before
    assert {row.docno: (row.method, row.inclusion) for row in current_prels(campaign=campaign)} == prels
    assert {grade for _, _, grade in current_qrels(campaign=campaign)} == {2}


def test_an_exhausted_topic_is_on_offer_while_others_are_owed_documents() -> None:
    campaign = made()
    judge_some(person("grace"), 30)
    recompute(campaign.id)
    alan = User.objects.get(username="Small-alan").id
    [his] = standings(user=alan, campaigns=[campaign])
    assert (his.remaining, his.owed, his.exhausted) == (0, 30, False)
    page = person("alan").client.get(f"/judge/{campaign.slug}/")
    assert "title 1" in page.content.decode()
    judge_some(person("alan"), 30)
    assert person("alan").get("next/", topic="1").status_code == 204


def test_closing_counts_what_is_owed_and_a_closed_topic_stays_closed() -> None:
    campaign = made(assessors_close=True)
    judge_some(person("grace"), 30)
    recompute(campaign.id)
    judge_some(person("alan"), 1)
    refused = person("alan").post("topics/1/close/")
    assert (refused.status_code, refused.json()["code"]) == (409, "too_early")
    waiting = waiting_of(campaign=campaign)
    assert (waiting.documents, waiting.topics, waiting.closed) == (29, 1, 0)
    assert person("grace").post("topics/1/close/").status_code == 200
    assert person("alan").get("next/", topic="1").status_code == 204
    waiting = waiting_of(campaign=campaign)
    assert (waiting.documents, waiting.topics, waiting.closed) == (0, 0, 29)
    [his] = standings(user=User.objects.get(username="Small-alan").id, campaigns=[campaign])
    assert his.owed == 0


def test_an_expired_claim_goes_to_the_next_and_the_late_answer_counts() -> None:
    made(people=3)
    [hers] = judge_some(person("grace"), 1)
    assert person("alan").get("next/", topic="1").json()["docno"] == hers
    Claim.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    assert person("ada").get("next/", topic="1").json()["docno"] == hers
    assert person("alan").judge("1", hers, 0).status_code == 201
    assert person("ada").judge("1", hers, 0).status_code == 201
    assert Judgment.objects.filter(document__docno=hers).count() == 3


def test_the_share_may_change_at_any_time() -> None:
    campaign = made(share=0.0)
    hers = judge_some(person("grace"), 10)
    assert owed_to("alan") == []
    campaign_services.change_settings(campaign=campaign, overlap_share=1.0)
    assert owed_to("alan") == hers
    campaign_services.change_settings(campaign=campaign, overlap_share=0.3)
    assert set(owed_to("alan")) == drawn(0.3) & set(hers)
