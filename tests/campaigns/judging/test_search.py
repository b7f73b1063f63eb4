"""Search-and-judge: who may search, what a found document becomes in the log, and what it leaves as it is."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User

from campaigns.collection.documents import store_documents
from campaigns.collection.tasks import index_documents
from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.formats.topics import DocumentRecord
from campaigns.judging.topic_closure import close_for_all
from campaigns.log.current import grades_of
from campaigns.models import Campaign, Claim, Interval, Judgment, Priority
from campaigns.quality.adjudication import decide
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, with_token

pytestmark = pytest.mark.django_db

# Ranked for topic 1 as in the small campaign, and one that no run ranks.
TEXTS = [
    DocumentRecord(docno, f"Title {docno}", f"Words of {docno} about cinema.")
    for docno in ("a", "b", "c", "h", "unranked")
]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", method="C", search_judging=True)
    store_documents(collection=campaign.collection, records=TEXTS, file="texts")
    index_documents(campaign.collection_id)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    return campaign


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


def found(api: Api, topic: str = "1", **query: Any) -> dict[str, Any]:
    rows = api.get("search/", topic=topic, search="cinema", **query).json()["results"]
    return {row["docno"]: (row["judged"], row["grade"], row["reason"]) for row in rows}


def open_found(api: Api, docno: str, topic: str = "1") -> Any:
    return api.post("search/", {"topic": topic, "docno": docno})


def find_and_judge(api: Api, docno: str, grade: int, topic: str = "1") -> None:
    assert open_found(api, docno, topic).status_code == 200
    assert api.judge(topic, docno, grade).status_code == 201


def latest(docno: str) -> Judgment:
    return Judgment.objects.filter(document__docno=docno).latest("sequence")


def test_a_found_document_is_judged_as_searched(campaign: Campaign, grace: Api) -> None:
    assert found(grace) == dict.fromkeys(("a", "b", "c", "h", "unranked"), (False, None, ""))
    served = open_found(grace, "unranked").json()
    assert (served["docno"], served["claim"]["revision"]) == ("unranked", False)
    reply = grace.judge("1", "unranked", 2).json()
    # The queue goes on as it was.
    assert reply["next"]["docno"] != "unranked"
    assert reply["progress"]["judged"] == 1
    row = latest("unranked")
    assert (row.method, row.inclusion_probability, row.served_exactly) == ("search", None, None)
    assert not row.stale_claim
    assert found(grace)["unranked"] == (True, 2, "")
    assert found(Api(campaign, "Small-alan"))["unranked"] == (False, None, "")
    assert grades_of(campaign=campaign)[row.topic_id] == {row.document_id: 2}


def test_undo_and_revision_stay_searched(grace: Api) -> None:
    find_and_judge(grace, "h", 2)
    assert open_found(grace, "h").json()["claim"] | {"expires_at": ""} == {
        "docno": "h",
        "expires_at": "",
        "revising": 2,
        "revision": True,
    }
    assert grace.judge("1", "h", 1).status_code == 201
    assert grace.judge("1", "h", undo=True).json()["next"]["docno"] == "h"
    grace.judge("1", "h", 0)
    acts = Judgment.objects.filter(document__docno="h").order_by("sequence")
    assert list(acts.values_list("grade", "method", "inclusion_probability")) == [
        (grade, "search", None) for grade in (2, 1, None, 0)
    ]


def test_what_was_served_before_keeps_its_method(grace: Api) -> None:
    first = grace.get("next/", topic="1").json()["docno"]
    assert open_found(grace, first).json()["claim"]["revision"] is False
    grace.judge("1", first, 1)
    assert latest(first).method == "C"
    open_found(grace, first)
    grace.judge("1", first, 0)
    assert latest(first).method == "C"


def test_a_document_that_another_assessor_has_open_is_refused(campaign: Campaign, grace: Api) -> None:
    open_found(grace, "h")
    refused = open_found(Api(campaign, "Small-alan"), "h")
    assert (refused.status_code, refused.json()["code"]) == (409, "claimed")


def test_a_second_opinion_shows_nothing_of_the_first(campaign: Campaign, grace: Api) -> None:
    find_and_judge(grace, "h", 2)
    alan = Api(campaign, "Small-alan")
    assert open_found(alan, "h").json()["claim"]["revising"] is None
    alan.judge("1", "h", 0)
    ada = User.objects.get(username="Small-ada")
    decided = decide(campaign=campaign, adjudicator=ada, id=uuid.uuid4(), topic="1", docno="h", grade=1)
    assert decided.adjudication
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    topic = live.topic_index(decided.topic_id)
    assert topic is not None
    # A decision between searched judgments is no sample of the pool either.
    assert live.state.setting.judgments.judged_in(topic)
    assert not live.state.setting.judgments.served_in(topic)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda campaign: services.change_settings(campaign=campaign, search_judging=False), "search_off"),
        (lambda campaign: services.pause(campaign=campaign), "campaign_not_open"),
        (
            lambda campaign: services.change_settings(campaign=campaign, topic_choice="assigned"),
            "not_assigned",
        ),
        (
            lambda campaign: close_for_all(
                campaign=campaign,
                topic=campaign.topics.get(number="1"),
                organiser=User.objects.get(username="Small-ada"),
            ),
            "topic_closed",
        ),
    ],
)
def test_search_is_refused(campaign: Campaign, grace: Api, change: Any, code: str) -> None:
    change(campaign)
    for refused in (grace.get("search/", topic="1", search="cinema"), open_found(grace, "h")):
        assert (refused.status_code, refused.json()["code"]) == (409, code)
    assert not Claim.objects.exists()


def test_unknown_documents_topics_and_people(campaign: Campaign, grace: Api) -> None:
    make_campaign("Other")
    assert open_found(grace, "nowhere").json()["code"] == "unknown_document"
    assert grace.get("search/", topic="9", search="cinema").status_code == 404
    assert grace.get("search/", topic="1", search="").status_code == 400
    assert Api(campaign, "Other-grace").get("search/", topic="1", search="cinema").status_code == 404
    assert open_found(Api(campaign, "Other-grace"), "h").status_code == 404
    assert grace.client.delete(f"{grace.root}search/").status_code == 405
    reader = with_token("Small-grace", "read")
    assert reader.get(f"{grace.root}search/", {"topic": "1", "search": "cinema"}).status_code == 403


def bounds(campaign: Campaign) -> list[tuple[float, float]]:
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    rows = Interval.objects.filter(run__campaign=campaign).order_by("run", "topic")
    return list(rows.values_list("base", "residual"))


def test_bounds_change_only_by_documents_that_a_run_ranks(campaign: Campaign, grace: Api) -> None:
    grace.judge("1", "a", 1)
    before = bounds(campaign)
    find_and_judge(grace, "unranked", 2)
    assert bounds(campaign) == before
    queue = Priority.objects.get(topic__number="1")
    # The queue is right up to the search, so what it serves next is up to date.
    assert queue.as_of == latest("unranked").sequence
    find_and_judge(grace, "h", 2)
    after = bounds(campaign)
    # Run z alone ranks it, first of 5: its base rises by as much as its residual falls.
    moved = [place for place, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    changes = np.array(after)[moved] - np.array(before)[moved]
    assert len(moved) == 1
    assert np.allclose(changes.sum(axis=1), 0)
    assert (changes[:, 0] > 0).all()


def test_models_of_relevance_leave_searched_documents_out(campaign: Campaign, grace: Api) -> None:
    grace.judge("1", "a", 1)
    find_and_judge(grace, "h", 2)
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    topic = live.topic_index(latest("a").topic_id)
    assert topic is not None
    places = {docno: live.place(latest(docno).topic_id, latest(docno).document_id) for docno in ("a", "h")}
    judgments = live.state.setting.judgments
    assert set(judgments.judged_in(topic)) == {places["a"], places["h"]}
    assert set(judgments.served_in(topic)) == {places["a"]}
    # Another assessor is served it: then a method came to it, too.
    Api(campaign, "Small-alan").judge("1", "h", 2)
    live.catch_up(known=0)
    assert set(judgments.served_in(topic)) == {places["a"], places["h"]}
