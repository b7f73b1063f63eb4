"""The judging path, through the API, on a real Postgres."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.computing.tasks import recompute
from campaigns.judging.next_document import FIRST_CANDIDATES
from campaigns.models import Campaign, Claim, Document, Judgment, Postponement
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    recompute(campaign.id)
    return campaign


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


@pytest.fixture
def alan(campaign: Campaign) -> Api:
    return Api(campaign, "Small-alan")


def test_the_first_document_is_the_one_method_c_weighs_most(grace: Api) -> None:
    served = grace.get("next/", topic="1").json()
    assert served["document"]["docno"] == "a"
    assert served["claim"]["revising"] is None
    assert served["progress"] == {"judged": 0, "relevant": 0, "minimum": 10, "postponed": 0}


def test_asking_again_shows_the_same_document(grace: Api) -> None:
    first = grace.get("next/", topic="1").json()["document"]
    assert grace.get("next/", topic="1").json()["document"] == first
    assert Claim.objects.count() == 1


def test_two_assessors_never_have_the_same_document_open(grace: Api, alan: Api) -> None:
    hers = grace.get("next/", topic="1").json()["document"]["docno"]
    his = alan.get("next/", topic="1").json()["document"]["docno"]
    assert hers != his


def test_the_method_serves_also_where_its_first_candidates_are_taken() -> None:
    docnos = [f"d{number:02}" for number in range(FIRST_CANDIDATES + 4)]
    campaign = make_campaign(lists={"x": {"1": docnos}})
    recompute(campaign.id)
    topic, alan = campaign.topics.get(), User.objects.get(username="Small-alan")
    queue = [row.docno for row in _queue(campaign, "1")]
    taken = Document.objects.filter(collection=campaign.collection, docno__in=queue[:FIRST_CANDIDATES])
    now = timezone.now()
    claimed = {"topic": topic, "assessor": alan, "created": now, "expires_at": now + timedelta(hours=1)}
    Claim.objects.bulk_create([Claim(document=one, method="C", **claimed) for one in taken])
    served = Api(campaign, "Small-grace").get("next/", topic="1").json()
    assert served["docno"] == queue[FIRST_CANDIDATES]
    assert Claim.objects.get(assessor__username="Small-grace").exact is True


def test_a_judgment_brings_the_next_document(grace: Api) -> None:
    grace.get("next/", topic="1")
    reply = grace.judge("1", "a", 2)
    assert reply.status_code == 201
    body = reply.json()
    assert body["judgment"]["grade"] == 2
    assert body["judgment"]["revision"] is False
    assert body["progress"]["judged"] == 1
    assert body["progress"]["relevant"] == 1
    assert body["next"]["document"]["docno"] != "a"
    row = Judgment.objects.get()
    assert (row.sequence, row.milliseconds, row.method, row.stale_claim) == (1, 1200, "C", False)


def test_the_look_ahead_serves_exactly_what_the_grade_asks_for(campaign: Campaign, grace: Api) -> None:
    grace.get("next/", topic="1")
    recompute(campaign.id)
    for grade in ("0", "1", "2", ""):
        assert grade in (Claim.objects.get().lookahead or {})
    following = grace.judge("1", "a", 0).json()["next"]["document"]["docno"]
    assert Claim.objects.get().exact is True
    recompute(campaign.id)
    queue = [row.docno for row in _queue(campaign, "1")]
    assert queue[0] == following


def test_without_a_look_ahead_the_last_queue_serves_and_the_row_says_so(
    campaign: Campaign, grace: Api
) -> None:
    grace.get("next/", topic="1")
    grace.judge("1", "a", 1)
    assert Claim.objects.get().exact is False


def test_the_same_id_twice_is_recorded_once_and_answered_alike(grace: Api) -> None:
    grace.get("next/", topic="1")
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "grade": 1, "milliseconds": 10}
    first, again = grace.post("judgments/", act), grace.post("judgments/", act)
    assert (first.status_code, again.status_code) == (201, 200)
    replies = [first.json(), again.json()]
    for reply in replies:
        # The repetition also renews the claim.
        del reply["next"]["claim"]["expires_at"]
    assert replies[0] == replies[1]
    assert Judgment.objects.count() == 1


def test_the_same_id_is_answered_alike_after_the_campaign_has_closed(campaign: Campaign, grace: Api) -> None:
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "grade": 1}
    first = grace.post("judgments/", act).json()
    campaign_services.close(campaign=campaign)
    again = grace.post("judgments/", act)
    assert again.status_code == 200
    assert again.json()["judgment"] == first["judgment"]
    assert again.json()["next"] is None


def test_a_look_ahead_of_other_settings_is_not_trusted(campaign: Campaign, grace: Api) -> None:
    grace.get("next/", topic="1")
    recompute(campaign.id)
    campaign_services.change_settings(campaign=campaign, method="pooling")
    grace.judge("1", "a", 1)
    assert Claim.objects.get().exact is False


def test_another_id_revises_and_keeps_both_rows(grace: Api) -> None:
    grace.get("next/", topic="1")
    first = grace.judge("1", "a", 0).json()["judgment"]["id"]
    second = grace.judge("1", "a", 2).json()
    assert second["judgment"]["revision"] is True
    assert second["progress"]["judged"] == 1
    assert str(Judgment.objects.get(sequence=2).supersedes_id) == first


def test_an_id_of_somebody_else_is_refused(grace: Api, alan: Api) -> None:
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "grade": 1}
    assert grace.post("judgments/", act).status_code == 201
    refused = alan.post("judgments/", act)
    assert refused.status_code == 409
    assert refused.json()["code"] == "id_taken"


def test_a_page_that_was_made_for_somebody_else_records_nothing(campaign: Campaign, alan: Api) -> None:
    made_for = {name: str(User.objects.get(username=f"Small-{name}").id) for name in ("grace", "alan")}
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "grade": 1}
    place = alan.root + "judgments/"
    for name in (made_for["grace"], "nobody"):
        refused = alan.client.post(place, act, "application/json", headers={"X-Assessor": name})
        assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
    assert not Judgment.objects.exists()
    taken = alan.client.post(place, act, "application/json", headers={"X-Assessor": made_for["alan"]})
    assert taken.status_code == 201


def test_undo_withdraws_and_brings_the_document_back_as_often_as_one_likes(grace: Api) -> None:
    grace.get("next/", topic="1")
    grace.judge("1", "a", 1)
    second = Claim.objects.get().document.docno
    grace.judge("1", second, 1)
    undone = grace.judge("1", second, undo=True).json()
    assert undone["next"]["document"]["docno"] == second
    assert undone["progress"]["judged"] == 1
    undone = grace.judge("1", "a", undo=True).json()
    assert undone["next"]["document"]["docno"] == "a"
    assert undone["progress"]["judged"] == 0
    assert Judgment.objects.count() == 4
    assert grace.judge("1", "a", 2).json()["judgment"]["revision"] is False


def test_nothing_to_undo(grace: Api) -> None:
    refused = grace.judge("1", "a", undo=True)
    assert refused.status_code == 400
    assert refused.json()["code"] == "nothing_to_undo"
    assert not Judgment.objects.exists()


def test_cannot_judge_leaves_the_document_to_the_others(grace: Api, alan: Api) -> None:
    grace.get("next/", topic="1")
    grace.judge("1", "a", reason="unreadable")
    assert alan.get("next/", topic="1").json()["document"]["docno"] == "a"
    seen = _judge_through(grace, "1")
    assert "a" not in seen


def test_judge_later_sets_aside_and_brings_back(grace: Api) -> None:
    first = grace.get("next/", topic="1").json()["document"]["docno"]
    reply = grace.post("later/", {"topic": "1", "docno": first}).json()
    assert reply["next"]["document"]["docno"] != first
    assert reply["progress"]["postponed"] == 1
    back = grace.get("next/", topic="1", docno=first).json()
    assert back["document"]["docno"] == first
    assert grace.judge("1", first, 0).json()["progress"]["postponed"] == 0


def test_a_document_from_the_history_says_what_it_was_graded(grace: Api) -> None:
    grace.get("next/", topic="1")
    grace.judge("1", "a", 2)
    back = grace.get("next/", topic="1", docno="a").json()
    assert back["claim"]["revising"] == 2
    assert grace.get("next/", topic="1").json()["claim"]["revising"] == 2
    rows = grace.get("judgments/", topic="1").json()["results"]
    assert [(row["docno"], row["grade"]) for row in rows] == [("a", 2)]


def test_a_document_never_seen_cannot_be_called_up(grace: Api) -> None:
    assert grace.get("next/", topic="1", docno="j").status_code == 404


def test_everything_judged_is_204(grace: Api) -> None:
    assert len(_judge_through(grace, "1")) == 10
    assert grace.get("next/", topic="1").status_code == 204


def test_a_stale_claim_is_accepted_and_recorded(grace: Api, alan: Api) -> None:
    grace.get("next/", topic="1")
    Claim.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    assert alan.get("next/", topic="1").json()["document"]["docno"] == "a"
    assert grace.judge("1", "a", 1).status_code == 201
    assert Judgment.objects.get().stale_claim is True


def test_renewing_keeps_a_claim_alive(grace: Api, alan: Api) -> None:
    grace.get("next/", topic="1")
    before = Claim.objects.get().expires_at
    assert grace.post("claims/", {"topic": "1", "docno": "a"}).status_code == 200
    assert Claim.objects.get().expires_at > before
    assert alan.post("claims/", {"topic": "1", "docno": "a"}).status_code == 404


@pytest.mark.parametrize(
    ("act", "status", "code"),
    [
        ({"docno": "k", "grade": 1}, 400, "not_in_pool"),
        ({"docno": "nowhere", "grade": 1}, 400, "not_in_pool"),
        ({"docno": "a", "grade": 7}, 400, "grade_outside_scale"),
        ({"docno": "a", "grade": -2}, 400, "grade_outside_scale"),
        ({"docno": "a", "grade": 1, "reason": "other"}, 400, "invalid"),
        ({"docno": "a"}, 400, "invalid"),
        ({"docno": "a", "grade": "much"}, 400, "invalid"),
        ({"docno": "a", "reason": "too long"}, 400, "unknown_reason"),
        ({"docno": "a", "grade": 1, "rank": 3}, 400, "invalid"),
        ({"docno": "a", "grade": 1, "milliseconds": -1}, 400, "invalid"),
        ({"docno": "a", "grade": 1, "topic": "99"}, 404, "unknown_topic"),
        ({"docno": "a", "grade": 1, "id": "not-a-uuid"}, 400, "invalid"),
    ],
)
def test_what_is_wrong_is_refused_and_changes_nothing(
    grace: Api, act: dict[str, Any], status: int, code: str
) -> None:
    body = {"id": str(uuid.uuid4()), "topic": "1", **act}
    reply = grace.post("judgments/", body)
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("move", [campaign_services.pause, campaign_services.close])
def test_no_judging_unless_open(campaign: Campaign, grace: Api, move: Callable[..., None]) -> None:
    move(campaign=campaign)
    reply = grace.judge("1", "a", 1)
    assert (reply.status_code, reply.json()["code"]) == (409, "campaign_not_open")
    assert grace.get("next/", topic="1").status_code == 409


def test_nothing_is_set_aside_while_paused(campaign: Campaign, grace: Api) -> None:
    docno = grace.get("next/", topic="1").json()["docno"]
    campaign_services.pause(campaign=campaign)
    reply = grace.post("later/", {"topic": "1", "docno": docno})
    assert (reply.status_code, reply.json()["code"]) == (409, "campaign_not_open")
    assert not Postponement.objects.exists()
    assert Claim.objects.filter(document__docno=docno).exists()


def test_the_wrong_people(campaign: Campaign) -> None:
    make_campaign("Other")
    stranger = Api(campaign, "Other-grace")
    assert stranger.get("next/", topic="1").status_code == 404
    assert stranger.judge("1", "a", 1).status_code == 404
    stranger_client = signed_in("Other-grace")
    stranger_client.logout()
    assert stranger_client.get(stranger.root + "next/", {"topic": "1"}).status_code == 401


@pytest.mark.parametrize("path", ["next/", "judgments/", "later/", "claims/"])
def test_the_wrong_method(grace: Api, path: str) -> None:
    assert grace.client.put(grace.root + path).status_code == 405


def test_replies_tell_an_assessor_nothing_of_runs(grace: Api) -> None:
    replies = [grace.get("next/", topic="1"), grace.judge("1", "a", 1), grace.get("")]
    for word in ("run", "rank", "weight", "method", "exact", "lookahead"):
        assert not any(f'"{word}' in reply.content.decode() for reply in replies), word


def _judge_through(api: Api, topic: str) -> list[str]:
    """Judge whatever comes until nothing does."""
    seen: list[str] = []
    reply = api.get("next/", topic=topic)
    while reply.status_code == 200 and len(seen) < 50:
        docno = reply.json()["document"]["docno"]
        seen.append(docno)
        api.judge(topic, docno, 0)
        reply = api.get("next/", topic=topic)
    return seen


def _queue(campaign: Campaign, topic: str) -> list[Any]:
    from campaigns.models import Document, Priority
    from campaigns.models.packed import unpack_ids

    packed = Priority.objects.get(topic__campaign=campaign, topic__number=topic).documents
    rows = Document.objects.in_bulk(unpack_ids(packed).tolist())
    return [rows[document] for document in unpack_ids(packed).tolist()]
