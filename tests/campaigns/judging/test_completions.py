"""An assessor is done with a topic for themself; the topic goes on for the others."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Claim, Deed, Topic, TopicCompletion
from campaigns.people.members import pause_member, remove_member
from campaigns.people.workload import workload_of
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

DONE = "topics/1/done/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", min_judgments=2)


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


@pytest.fixture
def alan(campaign: Campaign) -> Api:
    return Api(campaign, "Small-alan")


def judge_two(api: Api, topic: str = "1") -> list[str]:
    docnos = []
    for _ in range(2):
        docnos.append(api.get("next/", topic=topic).json()["docno"])
        assert api.judge(topic, docnos[-1], 1, milliseconds=30_000).status_code == 201
    return docnos


def judge_on(api: Api) -> Any:
    return api.client.delete(api.root + DONE)


def refusal(reply: Any) -> tuple[int, str]:
    return reply.status_code, reply.json()["code"]


def test_being_done_ends_the_topic_for_one_assessor_alone(campaign: Campaign, grace: Api, alan: Api) -> None:
    docnos = judge_two(grace)
    reply = grace.post(DONE).json()
    assert reply.pop("done_at") is not None
    assert reply == {"topic": "1", "judged": 2, "relevant": 2, "milliseconds": 60_000, "overlap_left": 0}
    assert not Claim.objects.filter(assessor__username="Small-grace").exists()
    served = grace.get("next/", topic="1")
    assert (served.status_code, "Topic-Closed" in served.headers) == (204, False)
    assert refusal(grace.get("ahead/", topic="1", docno="a")) == (409, "topic_done")
    assert refusal(grace.get("next/", topic="1", docno=docnos[0])) == (409, "topic_done")
    assert grace.get("next/", topic="2").status_code == 200
    assert alan.get("next/", topic="1").status_code == 200
    assert Topic.objects.get(number="1").closed_at is None


def test_a_judgment_that_comes_late_is_recorded_and_serves_nothing(
    campaign: Campaign, grace: Api, alan: Api
) -> None:
    judge_two(grace)
    docno = grace.get("next/", topic="1").json()["docno"]
    grace.post(DONE)
    late = grace.judge("1", docno, 2)
    assert (late.status_code, late.json()["next"]) == (201, None)
    undone = grace.judge("1", docno, undo=True)
    assert (undone.status_code, undone.json()["next"]) == (201, None)


def test_judging_on_serves_the_topic_again(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    grace.post(DONE)
    assert judge_on(grace).json()["done_at"] is None
    assert grace.get("next/", topic="1").status_code == 200
    assert refusal(judge_on(grace)) == (409, "not_done")
    kinds = Deed.objects.filter(kind__in=["topic done", "topic resumed"]).order_by("id")
    assert [(deed.kind, deed.actor_name) for deed in kinds] == [
        ("topic done", "Small-grace"),
        ("topic resumed", "Small-grace"),
    ]


def test_done_twice_is_done_once(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    assert grace.post(DONE).json() == grace.post(DONE).json() == grace.get(DONE).json()
    assert Deed.objects.filter(kind="topic done").count() == TopicCompletion.objects.count() == 1


def test_it_takes_the_minimum_or_a_topic_without_documents(campaign: Campaign, grace: Api) -> None:
    grace.judge("1", "a", 1)
    reply = grace.post(DONE)
    assert refusal(reply) == (409, "too_early")
    assert "judged 1 of 2" in reply.json()["detail"]
    services.change_settings(campaign=campaign, min_judgments=40)
    while (served := grace.get("next/", topic="2")).status_code == 200:
        grace.judge("2", served.json()["docno"], 0)
    recompute(campaign.id)
    assert grace.post("topics/2/done/").status_code == 200


def test_what_forbids_judging_forbids_being_done(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    pause_member(campaign=campaign, username="Small-grace")
    assert refusal(grace.post(DONE)) == (409, "paused")
    Api(campaign, "Small-ada").post("topics/1/close/")
    assert refusal(Api(campaign, "Small-alan").post(DONE)) == (409, "topic_closed")
    services.pause(campaign=campaign)
    assert refusal(Api(campaign, "Small-alan").post(DONE)) == (409, "campaign_not_open")


def test_strangers_other_topics_and_other_methods(campaign: Campaign, grace: Api) -> None:
    make_campaign("Other")
    stranger = Api(campaign, "Other-grace")
    assert {stranger.get(DONE).status_code, stranger.post(DONE).status_code} == {404}
    assert judge_on(stranger).status_code == 404
    assert grace.post("topics/99/done/").status_code == 404
    assert grace.client.put(grace.root + DONE).status_code == 405
    assert grace.post(DONE, {"topic": "1"}).status_code == 400


def test_overlap_that_is_left_is_counted_for_assessor_and_organiser(
    campaign: Campaign, grace: Api, alan: Api
) -> None:
    services.change_settings(campaign=campaign, overlap_share=1.0)
    judged = judge_two(grace)
    for docno in judged:
        assert alan.get("next/", topic="1").json()["docno"] == docno
        alan.judge("1", docno, 0)
    third = alan.get("next/", topic="1").json()["docno"]
    alan.judge("1", third, 1)
    assert grace.get(DONE).json()["overlap_left"] == 1
    assert grace.post(DONE).json()["overlap_left"] == 1
    ada = signed_in("Small-ada")
    page = ada.get("/campaigns/small/people/").content.decode()
    assert "done with 1 · 1 overlap document left" in page
    history = ada.get("/campaigns/small/history/").content.decode()
    assert "of its documents; 1 overlap document left" in history
    # Once another person has judged it, nothing is left.
    Api(campaign, "Small-ada").judge("1", third, 0)
    assert grace.get(DONE).json()["overlap_left"] == 0


def test_a_topic_done_is_no_open_assignment(campaign: Campaign, grace: Api) -> None:
    Api(campaign, "Small-ada").post("topics/1/assignments/", {"username": "Small-grace"})
    judge_two(grace)
    grace.post(DONE)
    given = {one.username: one.given for one in workload_of(campaign=campaign)}
    assert given["Small-grace"] == 0
    assert [topic["done"] for topic in grace.get("topics/").json()["results"]] == [True, False]


def test_a_member_who_comes_back_is_done_with_nothing(campaign: Campaign, grace: Api) -> None:
    judge_two(grace)
    grace.post(DONE)
    remove_member(campaign=campaign, username="Small-grace")
    assert not TopicCompletion.objects.exists()
