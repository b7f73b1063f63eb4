from __future__ import annotations

import math
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign
from campaigns.results.queues import explain_document
from campaigns.setup import campaigns as services
from selection.registry import METHODS
from tests.campaigns.computing.test_fold import judge_at_random
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    recompute(campaign.id)
    return campaign


def test_the_queue_and_why(campaign: Campaign) -> None:
    judge_at_random(campaign, 6, seed=2)
    recompute(campaign.id)
    body = Api(campaign, "Small-ada").get("priorities/", topic="1").json()
    assert set(body) == {
        "topic", "method", "as_of", "configuration_current", "remaining", "results", "next",
        "previous", "alternatives",
    }  # fmt: skip
    assert (body["topic"], body["method"], body["configuration_current"]) == ("1", "C", True)
    assert body["remaining"] == len(body["results"])
    topic = campaign.topics.get(number="1")
    for position, row in enumerate(body["results"], start=1):
        found = explain_document(campaign=campaign, topic=topic, docno=row["docno"])
        assert (row["position"], row["method"], row["inclusion"]) == (position, "C", None)
        assert math.isclose(row["weight"], found.weight, rel_tol=1e-9)
        assert row["runs"] == [{"run": b.run, "rank": b.rank, "share": b.share} for b in found.behind]
        assert math.isclose(sum(run["share"] for run in row["runs"]), row["weight"], rel_tol=1e-9)
    alternatives = {row["method"]: row["docno"] for row in body["alternatives"]}
    assert set(alternatives) == set(METHODS) - {"C"}
    assert alternatives["cal"] is None
    judged = set(campaign.judgments.filter(topic=topic, undo=False).values_list("document__docno", flat=True))
    assert not judged & {docno for method, docno in alternatives.items() if docno and method != "statap"}


def test_alternation_says_who_serves_what_and_how_probably(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, method="mtc+statap", options={"size": 4})
    recompute(campaign.id)
    queue = Api(campaign, "Small-ada").get("priorities/", topic="1").json()["results"]
    assert {row["method"] for row in queue} <= {"mtc", "statap"}
    assert "statap" in {row["method"] for row in queue}
    assert all(0 < row["inclusion"] <= 1 for row in queue if row["method"] == "statap")


def test_a_stale_queue_says_so(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, p=0.6)
    body = Api(campaign, "Small-ada").get("priorities/", topic="1").json()
    assert body["configuration_current"] is False


def test_nothing_is_left(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for docno in "klmn":
        grace.judge("2", docno, 1)
    recompute(campaign.id)
    body = Api(campaign, "Small-ada").get("priorities/", topic="2").json()
    assert (body["remaining"], body["results"], body["alternatives"]) == (0, [], [])


def test_the_limit(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    assert len(ada.get("priorities/", topic="1", limit=2).json()["results"]) == 2
    assert ada.get("priorities/", topic="1", limit=100_000).status_code == 200
    for limit in ("0", "-1", "many", "²", "9" * 5000, ""):
        reply = ada.get("priorities/", topic="1", limit=limit)
        assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, "limit"), limit


def test_at_most_256_at_once_and_20_if_nothing_is_said() -> None:
    campaign = make_campaign("Long", {"x": {"1": [f"d{number:03}" for number in range(300)]}})
    recompute(campaign.id)
    ada = Api(campaign, "Long-ada")
    assert len(ada.get("priorities/", topic="1").json()["results"]) == 20
    assert len(ada.get("priorities/", topic="1", limit=1000).json()["results"]) == 256


def test_who_may_ask(campaign: Campaign) -> None:
    make_campaign("Other")
    for name, status in (("Small-grace", 403), ("Other-ada", 404)):
        assert Api(campaign, name).get("priorities/", topic="1").status_code == status
    ada = Api(campaign, "Small-ada")
    assert ada.get("priorities/").json()["errors"][0]["field"] == "topic"
    assert ada.get("priorities/", topic="77").status_code == 404
    assert ada.get("priorities/", topic="\x00").status_code == 400
    assert ada.post("priorities/", {}).status_code == 405


def test_a_draft_has_no_queue_yet() -> None:
    campaign = make_campaign("Fresh", opened=False)
    body = Api(campaign, "Fresh-ada").get("priorities/", topic="1").json()
    assert (body["as_of"], body["configuration_current"], body["results"]) == (0, False, [])


def test_as_many_queries_for_a_long_queue_of_many_runs() -> None:
    counts = []
    sizes: tuple[tuple[str, Any], ...] = (
        ("one", {"x": {"1": list("ab")}}),
        ("three", {tag: {"1": list("abcdefgh"), "2": list("cd")} for tag in "xyz"}),
    )
    for name, lists in sizes:
        campaign = make_campaign(name, lists)
        recompute(campaign.id)
        ada = Api(campaign, f"{name}-ada")
        with CaptureQueriesContext(connection) as captured:
            assert ada.get("priorities/", topic="1").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
