from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign, Judgment
from campaigns.quality import disputes
from campaigns.quality.dispute_weights import WEIGHT_UNIT, dispute_weights, weights_in_runs
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/adjudicate/"


@pytest.fixture
def campaign() -> Campaign:
    """On b people differ by two grades, on a by one, on c not at all."""
    campaign = make_campaign(overlap_share=1.0)
    for name, given in (("grace", {"a": 0, "b": 2, "c": 1}), ("alan", {"a": 1, "b": 0, "c": 1})):
        for docno, grade in given.items():
            Api(campaign, f"Small-{name}").judge("1", docno, grade)
    return campaign


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def wish(docno: str, **more: Any) -> dict[str, Any]:
    return {"act": "decide", "id": uuid.uuid4(), "topic": "1", "docno": docno, "grade": 1, **more}


def text_of(client: Client, query: str = "") -> str:
    reply = client.get(PAGE + query)
    assert reply.status_code == 200
    return " ".join(re.sub(r"<[^>]*>", " ", reply.content.decode()).split())


def test_names_come_with_the_decision(ada: Client, campaign: Campaign) -> None:
    before = text_of(ada)
    assert "Number 1 of 2 that wait" in before
    assert "grace" not in before
    assert "alan" not in before
    reply = ada.post(PAGE, wish("b"), follow=True)
    assert b"b is decided: 1." in reply.content
    after = text_of(ada)
    assert "Number 1 of 1 that wait" in after
    assert "Small-alan 0 , Small-grace 2" in after


@pytest.mark.parametrize("act", ["fly", ""])
def test_unknown_act_decides_nothing(ada: Client, act: str) -> None:
    reply = ada.post(PAGE, wish("b") | {"act": act}, follow=True)
    assert f"There is no action “{act}” here." in reply.content.decode()
    assert "Number 1 of 2 that wait" in text_of(ada)


def test_one_can_go_on_to_the_next_and_decide_there(ada: Client) -> None:
    assert 'value="b"' in ada.get(PAGE).content.decode()
    assert 'name="docno" value="a"' in ada.get(PAGE + "?place=1").content.decode()
    assert 'name="docno" value="a"' in ada.get(PAGE + "?place=99").content.decode()
    assert 'name="docno" value="b"' in ada.get(PAGE + "?place=x").content.decode()
    assert ada.post(PAGE, wish("a", place=1)).headers["Location"] == f"{PAGE}?place=1"


@pytest.mark.parametrize("at_once", [1, 2])
def test_latest_decisions_do_not_depend_on_judgments_after_them(
    at_once: int, ada: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disputes, "LATEST_DECISIONS", 1)
    monkeypatch.setattr(disputes, "LOOKED_THROUGH", at_once)
    ada.post(PAGE, wish("a"))
    ada.post(PAGE, wish("b"))
    assert Api(campaign, "Small-grace").judge("1", "a", 2).status_code == 201
    [latest] = disputes.latest_decisions(campaign=campaign)
    assert latest.act.document.docno == "b"


def test_stored_weights_are_sums_over_the_runs(campaign: Campaign) -> None:
    places = disputes.undecided_places(campaign=campaign)
    _, rows = weights_in_runs(campaign=campaign, places=list(places))
    sums = {place: round(float(row.sum()) * WEIGHT_UNIT) for place, row in rows.items()}
    assert len(sums) == 2
    assert all(sums.values())
    assert dispute_weights(campaign=campaign, places=places, every=True) == sums


def test_a_decision_is_taken_back_and_made_again(ada: Client, campaign: Campaign) -> None:
    ada.post(PAGE, wish("b"))
    first = Judgment.objects.get(adjudication=True)
    assert f'name="seen" value="{first.id}"' in ada.get(PAGE + "?topic=1&docno=b").content.decode()
    ada.post(PAGE, wish("b", grade=2, seen=first.id))
    reply = ada.post(PAGE, {"act": "take back", "id": uuid.uuid4(), "topic": "1", "docno": "b"})
    assert reply.headers["Location"] == f"{PAGE}?topic=1&docno=b"
    acts = Judgment.objects.filter(adjudication=True).order_by("sequence")
    assert [(act.grade, act.undo) for act in acts] == [(1, False), (2, False), (None, True)]
    assert "Number 1 of 2" in text_of(ada)
    history_page = ada.get("/campaigns/small/history/").content.decode()
    for words in ("decided <a", "again: 2", "undid the decision on"):
        assert words in history_page


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"id": "17"}, "id is no UUID"),
        ({"grade": "two"}, "“two” is no grade"),
        ({"grade": 9}, "9 is not a grade here: 0, 1, 2"),
        ({"docno": "c"}, "There is no disagreement on c in topic 1"),
        ({"seen": str(uuid.uuid4())}, "has since been decided differently"),
        ({"act": "take back"}, "You have not decided b"),
    ],
)
def test_what_is_refused_is_told_and_changes_nothing(ada: Client, more: dict[str, Any], said: str) -> None:
    reply = ada.post(PAGE, wish(**{"docno": "b", **more}), follow=True)
    assert said in reply.content.decode()
    assert not Judgment.objects.filter(adjudication=True).exists()


def test_a_document_nobody_differs_on_has_no_page(ada: Client) -> None:
    assert ada.get(PAGE + "?topic=1&docno=c").status_code == 404
    assert ada.get(PAGE + "?topic=1&docno=%00").status_code == 400


def test_who_may_not(campaign: Campaign) -> None:
    make_user("stranger")
    assert signed_in("Small-grace").get(PAGE).status_code == 403
    assert signed_in("Small-grace").post(PAGE, wish("b")).status_code == 403
    assert signed_in("stranger").get(PAGE).status_code == 404
    assert Client().get(PAGE).status_code == 302
    assert signed_in("Small-ada").put(PAGE).status_code == 405


def test_who_judged_it_is_told_that_somebody_else_decides(ada: Client, campaign: Campaign) -> None:
    for docno in "ab":
        Api(campaign, "Small-ada").judge("1", docno, 1)
    assert "You also judged 2 documents with disagreements" in text_of(ada)
    assert "You judged this document yourself" in text_of(ada, "?topic=1&docno=b")


def test_the_page_says_what_to_do_where_nothing_waits(ada: Client) -> None:
    make_campaign("Empty")
    reply = signed_in("Empty-ada").get("/campaigns/empty/adjudicate/").content.decode()
    assert "There are no disagreements." in reply
    assert "Set an overlap" in reply


def test_another_policy_is_said(ada: Client, campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, policy="majority")
    assert "With the current policy, your decision counts as just one more grade." in text_of(ada)


def test_the_number_of_queries_does_not_grow(ada: Client, campaign: Campaign) -> None:
    counts = []
    # A first look counts the whole log; later ones add what came since.
    text_of(ada)
    for docno, new in (("b", "d"), ("a", "e")):
        ada.post(PAGE, wish(docno))
        Api(campaign, "Small-grace").judge("1", new, 0)
        Api(campaign, "Small-alan").judge("1", new, 2)
        with CaptureQueriesContext(connection) as queries:
            text_of(ada)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_policy_of_an_export_is_chosen_and_in_its_name(ada: Client, campaign: Campaign) -> None:
    ada.post(PAGE, wish("b"))
    Api(campaign, "Small-grace").judge("1", "b", 2)
    grades = {}
    for policy in ("adjudicated", "latest", "majority", "mean"):
        reply = ada.get(f"/campaigns/small/exports/qrels/?policy={policy}")
        assert f'"small.{policy}.qrels.txt"' in reply.headers["Content-Disposition"]
        api = ada.get(f"/api/v1/campaigns/small/qrels/?policy={policy}")
        lines = b"".join(reply).decode()
        assert b"".join(api).decode() == lines
        grades[policy] = re.findall(r"^1 0 b (\d)$", lines, re.MULTILINE)
    assert grades == {"adjudicated": ["1"], "latest": ["2"], "majority": ["2"], "mean": ["1"]}
    assert "adjudicated.qrels<" in ada.get("/campaigns/small/exports/").content.decode()
    assert ada.get("/campaigns/small/exports/qrels/?policy=loudest").status_code == 404
    refused = ada.get("/api/v1/campaigns/small/qrels/?policy=loudest")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "policy"
