"""Many judgments in one request: each with its own outcome, as if it had been sent alone."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Claim, Judgment, LogHead, Postponement, Repeat, Topic
from campaigns.people import members
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


def act(docno: str, grade: int | None = None, topic: str = "1", **more: Any) -> dict[str, Any]:
    said = {} if grade is None else {"grade": grade}
    return {"id": str(uuid.uuid4()), "topic": topic, "docno": docno, **said, **more}


def sent(api: Api, rows: Any) -> list[dict[str, Any]]:
    reply = api.post("judgments/", rows)
    assert reply.status_code == 200, reply.content
    results = reply.json()["results"]
    assert isinstance(results, list)
    return results


def statuses(results: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(row["status"], row["problem"]["code"] if "problem" in row else "") for row in results]


def log() -> list[tuple[int, str, str, int | None, str, bool]]:
    names = ("sequence", "topic__number", "document__docno", "grade", "reason", "undo")
    return list(Judgment.objects.order_by("sequence").values_list(*names))


def test_a_batch_is_recorded_in_its_order(grace: Api) -> None:
    rows = [act("b", 2, milliseconds=900), act("k", 0, topic="2"), act("a", reason="unreadable")]
    results = sent(grace, rows)
    assert [row["id"] for row in results] == [row["id"] for row in rows]
    assert statuses(results) == [(201, "")] * 3
    assert results[0]["judgment"] | {"created": ""} == {
        "id": rows[0]["id"],
        "topic": "1",
        "docno": "b",
        "grade": 2,
        "reason": "",
        "undo": False,
        "revision": False,
        "created": "",
    }
    assert log() == [
        (1, "1", "b", 2, "", False),
        (2, "2", "k", 0, "", False),
        (3, "1", "a", None, "unreadable", False),
    ]
    assert LogHead.objects.get().length == 3
    assert Judgment.objects.get(sequence=1).milliseconds == 900
    times = list(Judgment.objects.order_by("sequence").values_list("created", flat=True))
    assert times == sorted(set(times))


def test_the_same_batch_again_gets_the_same_answers_and_changes_nothing(grace: Api) -> None:
    rows = [act("a", 1), act("nowhere", 1), act("a", 2), act("a", undo=True)]
    first, again = sent(grace, rows), sent(grace, rows)
    assert statuses(first) == [(201, ""), (400, "not_in_pool"), (201, ""), (201, "")]
    assert statuses(again) == [(200, ""), (400, "not_in_pool"), (200, ""), (200, "")]
    assert [row | {"status": 0} for row in again] == [row | {"status": 0} for row in first]
    assert len(log()) == 3


def test_one_bad_row_does_not_stop_the_others(campaign: Campaign, grace: Api) -> None:
    taken = act("f", 1)
    Api(campaign, "Small-alan").post("judgments/", taken)
    good = act("a", 1)
    wrong: list[tuple[Any, int, str, str]] = [
        (act("k", 1), 400, "not_in_pool", "docno"),
        (act("nowhere", 1), 400, "not_in_pool", "docno"),
        (act("a", 7), 400, "grade_outside_scale", "grade"),
        (act("a", 1, reason="other"), 400, "invalid", ""),
        (act("a", reason="too long"), 400, "unknown_reason", "reason"),
        (act("a", 1, rank=3), 400, "invalid", "rank"),
        (act("a", 1, topic="99"), 404, "unknown_topic", "topic"),
        (act("b", undo=True), 400, "nothing_to_undo", "docno"),
        (act("a", 1) | {"id": "not-a-uuid"}, 400, "invalid", "id"),
        (act("b", 1) | {"id": taken["id"]}, 409, "id_taken", "id"),
        ({}, 400, "invalid", "id"),
        (17, 400, "invalid", ""),
        (None, 400, "invalid", ""),
        ([act("b", 1)], 400, "invalid", ""),
        ("text", 400, "invalid", ""),
    ]
    results = sent(grace, [*(row for row, *_ in wrong), good])
    assert statuses(results) == [*((status, code) for _, status, code, _ in wrong), (201, "")]
    for (row, _, code, field), outcome in zip(wrong, results, strict=False):
        assert field in [each["field"] for each in outcome["problem"]["errors"]], (row, code)
        assert outcome["id"] == (row.get("id") if isinstance(row, dict) else None)
    assert [row[2] for row in log()] == ["f", "a"]


def test_ids_twice_in_one_batch(grace: Api) -> None:
    twice, late = act("a", 1), act("a", 7)
    results = sent(grace, [twice, twice, late, late | {"grade": 2}, twice | {"docno": "nowhere"}])
    assert [row["status"] for row in results] == [201, 200, 400, 201, 200]
    assert results[0]["judgment"] == results[1]["judgment"] == results[4]["judgment"]
    assert [(row[2], row[3]) for row in log()] == [("a", 1), ("a", 2)]


def test_the_second_word_on_a_document_revises_the_first(grace: Api) -> None:
    rows = [act("a", 0), act("a", 2), act("a", undo=True), act("a", 1)]
    results = sent(grace, rows)
    assert [row["judgment"]["revision"] for row in results] == [False, True, False, False]
    found = Judgment.objects.order_by("sequence").values_list("supersedes_id", flat=True)
    assert [None if each is None else str(each) for each in found] == [None, *(row["id"] for row in rows[:3])]
    assert grace.get("next/", topic="1").json()["progress"]["judged"] == 1


def test_the_claim_is_let_go_and_nothing_is_claimed_instead(grace: Api) -> None:
    served = grace.get("next/", topic="1").json()["docno"]
    results = sent(grace, [act(served, 1), act("b" if served != "b" else "a", 1)])
    assert statuses(results) == [(201, ""), (201, "")]
    assert not Claim.objects.exists()
    rows = Judgment.objects.order_by("sequence").values_list("method", "stale_claim")
    assert list(rows) == [("C", False), ("", True)]


def test_what_was_set_aside_is_taken_up(grace: Api) -> None:
    first = grace.get("next/", topic="1").json()["docno"]
    grace.post("later/", {"topic": "1", "docno": first})
    sent(grace, [act(first, 1)])
    assert not Postponement.objects.exists()


def test_a_thousand_and_no_more(grace: Api) -> None:
    over = grace.post("judgments/", [act("a", n % 3) for n in range(1001)])
    assert (over.status_code, over.json()["code"]) == (413, "too_many")
    assert "1,000" in over.json()["detail"]
    assert log() == []
    assert statuses(sent(grace, [act("a", n % 3) for n in range(1000)])) == [(201, "")] * 1000
    assert [row[0] for row in log()] == list(range(1, 1001))


def test_none_at_all(grace: Api) -> None:
    assert sent(grace, []) == []


@pytest.mark.parametrize("body", ["3", '"x"', "null", "true", "[{]", '{"judgments": []}'])
def test_other_bodies_are_refused(grace: Api, body: str) -> None:
    reply = grace.post("judgments/", body)
    assert reply.status_code == 400
    assert reply.json()["code"] in ("invalid", "parse_error")


@pytest.mark.parametrize("move", [campaign_services.pause, campaign_services.close])
def test_what_came_before_a_closing_is_answered_still(
    campaign: Campaign, grace: Api, move: Callable[..., None]
) -> None:
    known = act("a", 1)
    [first] = sent(grace, [known])
    move(campaign=campaign)
    again, fresh = sent(grace, [known, act("b", 1)])
    assert again == first | {"status": 200}
    assert statuses([fresh]) == [(409, "campaign_not_open")]
    assert len(log()) == 1


def test_a_closed_topic_takes_what_others_than_the_closer_had_begun(campaign: Campaign, grace: Api) -> None:
    alan = Api(campaign, "Small-alan")
    sent(grace, [act("a", 1)])
    ada = User.objects.get(username="Small-ada")
    Topic.objects.filter(number="1").update(closed_at=timezone.now(), closed_by=ada)
    assert statuses(sent(grace, [act("b", 1), act("k", 1, topic="2")])) == [(201, ""), (201, "")]
    mixed = sent(alan, [act("b", 1), act("k", 1, topic="2")])
    assert statuses(mixed) == [(409, "topic_closed"), (201, "")]


def test_who_is_paused_may_send_what_they_had_judged(campaign: Campaign, grace: Api) -> None:
    members.pause_member(campaign=campaign, username="Small-grace")
    assert statuses(sent(grace, [act("a", 1)])) == [(201, "")]


def test_training_comes_first_for_every_row(campaign: Campaign, grace: Api) -> None:
    Campaign.objects.update(training_required=True)
    rows = [act("a", 1), act("k", 1, topic="2")]
    assert statuses(sent(grace, rows)) == [(409, "training_first")] * 2
    assert log() == []


def test_the_wrong_people(campaign: Campaign) -> None:
    make_campaign("Other")
    assert Api(campaign, "Other-grace").post("judgments/", [act("a", 1)]).status_code == 404
    stranger_client = signed_in("Other-grace")
    stranger_client.logout()
    body, path = [act("a", 1)], f"/api/v1/campaigns/{campaign.slug}/judgments/"
    assert stranger_client.post(path, body, content_type="application/json").status_code == 401
    assert log() == []


@pytest.fixture
def repeated() -> tuple[Api, str]:
    """An assessor with a repeated document on screen, and that document."""
    docnos = [f"d{n:02}" for n in range(60)]
    campaign = make_campaign(lists={"x": {"1": docnos}}, repeat_share=0.5)
    recompute(campaign.id)
    grace = Api(campaign, "Small-grace")
    docno = grace.get("next/", topic="1").json()["docno"]
    while docno not in {row[2] for row in log()}:
        docno = grace.judge("1", docno, 1).json()["next"]["docno"]
    return grace, docno


def answers() -> list[tuple[int | None, bool]]:
    return list(Repeat.objects.order_by("created").values_list("grade", "undo"))


def test_a_repeat_in_a_batch_changes_no_grade(repeated: tuple[Api, str]) -> None:
    grace, docno = repeated
    before = log()
    results = sent(grace, [act(docno, 0), act(docno, undo=True), act(docno, 2, revision=False)])
    assert [row["status"] for row in results] == [201] * 3
    assert not any(row["judgment"]["revision"] for row in results)
    assert log() == before
    assert answers() == [(0, False), (None, True), (2, False)]


def test_an_undo_takes_back_the_last_word_be_it_of_the_log_or_beside_it(repeated: tuple[Api, str]) -> None:
    grace, docno = repeated
    before = len(log())
    results = sent(grace, [act(docno, 0), act(docno, 2, revision=True), act(docno, undo=True)])
    assert [row["judgment"]["revision"] for row in results] == [False, True, False]
    assert answers() == [(0, False)]
    assert [(row[3], row[5]) for row in log()[before:]] == [(2, False), (None, True)]


def test_the_worker_follows(campaign: Campaign, grace: Api) -> None:
    sent(grace, [act(docno, 1) for docno in "abcde"])
    recompute(campaign.id)
    assert grace.get("next/", topic="1").json()["docno"] in set("fghij")
    campaign.refresh_from_db()
    assert (campaign.computed.judged, campaign.computed.relevant) == (5, 5)
    last = campaign.events.filter(kind="intervals").latest("id")
    assert last.data["as_of"] == 5
    assert campaign.events.filter(kind="judgment").count() == 5


def test_an_expired_claim_of_somebody_else_is_left_alone(campaign: Campaign, grace: Api) -> None:
    served = Api(campaign, "Small-alan").get("next/", topic="1").json()["docno"]
    Claim.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    assert statuses(sent(grace, [act(served, 1)])) == [(201, "")]
    assert Claim.objects.get().document.docno == served
