"""Lists: pages that fit together forwards and backwards, filters, what each role sees."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import timedelta
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaigns.collection import assignments, run_changes
from campaigns.computing import worker
from campaigns.computing.tasks import recompute
from campaigns.judging import topic_development
from campaigns.log.judgments import sequence_before
from campaigns.models import Advice, Campaign, Judgment, TopicAssignment
from campaigns.people import invitations, members
from campaigns.quality.training import add_item
from campaigns.setup import campaigns
from campaigns.setup.examples import add_examples
from tests.campaigns.computing.test_fold import judge_at_random
from tests.campaigns.factories import Api, add_run, make_campaign, make_user
from tests.campaigns.stopping.stopping_look import predict_scores

pytestmark = pytest.mark.django_db

WIDE = {
    "x": {number: list("abcdefgh") for number in ("1", "2", "3", "10", "11")},
    "y": {"1": list("ijkl")},
    "z": {"2": list("mn")},
    "u": {"1": list("ab")},
    "v": {"3": list("ba")},
}
BASE = "/api/v1/campaigns/"
MEMBERS = ["Wide-ada", "Wide-alan", "Wide-bea", "Wide-cleo", "Wide-grace"]


@pytest.fixture(scope="module")
def made(module_rows: None) -> int:
    """Five of everything."""
    campaign = make_campaign("Wide", WIDE)
    ada = campaign.memberships.get(role="organiser").user
    for name in ("Wide-bea", "Wide-cleo"):
        make_user(name)
        members.add_member(campaign=campaign, username=name, role="assessor")
    topic = campaign.topics.get(number="1")
    for name in MEMBERS:
        assignments.assign(campaign=campaign, topics=[topic], username=name, organiser=ada)
    for docno in "abcde":
        add_item(campaign=campaign, topic="1", docno=docno, grade=1, reason="so")
    add_examples(campaign=campaign, docnos=list("abcde"), grade=1, reason="so")
    for number in range(4):
        topic = topic_development.revise(
            campaign=campaign,
            topic=campaign.topics.get(number="1"),
            author=ada,
            description=f"words {number}",
            narrative="",
            based_on=number + 1,
        )
    for _ in range(5):
        invitations.create(campaign=campaign, inviter=ada, role="assessor", link_of=str)
    for number in range(4):
        campaigns.create(organiser=ada, name=f"Other {number}")
    grace = Api(campaign, "Wide-grace")
    # Judgments of one grade alone predict nothing.
    for docno in "abcde":
        assert grace.judge("1", docno, int(docno < "e")).status_code == 201
    runs = [{"id": n, "run": f"r{n}", "base": 0.9 - n / 10, "residual": 0.1} for n in range(4)]
    found = [[0, 1, "", None], [0, 2, "", 0.7], [0, 3, "", None], [1, 2, "", None], [1, 3, "", None]]
    content = {"judged": 5, "best": "r0", "distinct": False, "rivals": 3, "runs": runs, "pairs": found}
    Advice.objects.create(
        campaign=campaign,
        content={**content, "forecast": None, "left_out": []},
        as_of=5,
        configuration=campaign.configuration,
    )
    recompute(campaign.id)
    predict_scores(campaign)
    return campaign.id


@pytest.fixture
def campaign(made: int) -> Campaign:
    # A copy in memory may hold rows that another test took back.
    worker.forget_copies()
    return Campaign.objects.get(id=made)


LISTS = {
    f"{BASE}": "slug",
    f"{BASE}wide/runs/": "run",
    f"{BASE}wide/topics/": "number",
    f"{BASE}wide/judgments/": "sequence",
    f"{BASE}wide/pairs/?versus=base": "other",
    f"{BASE}wide/predictions/": "other",
    f"{BASE}wide/priorities/?topic=2": "docno",
    f"{BASE}wide/training/items/": "docno",
    f"{BASE}wide/examples/": "docno",
    f"{BASE}wide/topics/1/revisions/": "revision",
    f"{BASE}wide/topics/1/assignments/": "username",
    f"{BASE}wide/members/": "username",
    f"{BASE}wide/invitations/": "id",
}
ASSESSORS = {f"{BASE}wide/topics/": "number", f"{BASE}wide/judgments/?topic=1": "docno"}
EVERY = [("ada", *item) for item in LISTS.items()] + [("grace", *item) for item in ASSESSORS.items()]


def at(path: str, **query: Any) -> str:
    words = "&".join(f"{name}={quote(str(value))}" for name, value in query.items())
    return f"{path}{'&' if '?' in path else '?'}{words}"


def pages(client: Any, address: str, way: str) -> list[Any]:
    found = []
    while address:
        page = client.get(address).json()
        found.append(page)
        address = page[way]
    return found


@pytest.mark.parametrize(("who", "path", "key"), EVERY)
def test_pages_fit_together_both_ways(campaign: Campaign, who: str, path: str, key: str) -> None:
    client = Api(campaign, f"Wide-{who}").client
    whole = client.get(path).json()
    assert (whole["next"], whole["previous"]) == (None, None)
    rows = whole["results"]
    assert len(rows) >= 5
    assert len({row[key] for row in rows}) >= 3
    for limit in (1, 2, len(rows) - 1, len(rows)):
        forwards = pages(client, at(path, limit=limit), "next")
        assert [row for page in forwards for row in page["results"]] == rows
        assert {len(page["results"]) for page in forwards[:-1]} <= {limit}
        back = pages(client, forwards[-1]["previous"] or "", "previous") if len(forwards) > 1 else []
        tail = forwards[-1]["results"]
        before = [row for page in reversed(back) for row in page["results"]]
        assert before + tail == rows
        # Where a page goes back, it also goes on.
        assert all(page["next"] for page in back)
        others = {name: value for name, value in whole.items() if name not in ("results", "next", "previous")}
        assert all(others.items() <= page.items() for page in forwards)


def cursor_of(said: str) -> str:
    return urlsafe_b64encode(said.encode()).decode().rstrip("=")


BAD = [
    "x", "====", "%%%", "ä", "zzzzz", "a" * 999, urlsafe_b64encode(b"log >\xff").decode(),
    *map(cursor_of, ("nonsense", "runs >1", "log >", "log 5", "log >-1", "log >٣", "log >" + "9" * 40)),
    *map(cursor_of, ("log ?1", "log >1 ", "log >\0")),
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_bad_cursors(campaign: Campaign, bad: str) -> None:
    reply = Api(campaign, "Wide-ada").get("judgments/", cursor=bad)
    assert (reply.status_code, reply.json()["code"]) == (400, "bad_cursor")
    assert reply.json()["errors"][0]["field"] == "cursor"


@pytest.mark.parametrize(("who", "path", "key"), EVERY)
def test_cursors_of_other_lists_and_bad_limits(campaign: Campaign, who: str, path: str, key: str) -> None:
    client = Api(campaign, f"Wide-{who}").client
    reply = client.get(at(path, cursor=cursor_of("elsewhere >1")))
    assert (reply.status_code, reply.json()["code"]) == (400, "bad_cursor")
    for limit in ("0", "-1", "many", "²", "1.5", "9" * 400, ""):
        reply = client.get(at(path, limit=limit))
        assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, "limit"), limit
    # More than a page holds is no error.
    assert client.get(at(path, limit=10**9)).json()["results"] == client.get(path).json()["results"]


def test_a_far_cursor_ends_the_list(campaign: Campaign) -> None:
    body = Api(campaign, "Wide-ada").get("judgments/", cursor=cursor_of("log >" + "9" * 18)).json()
    assert body == {"results": [], "next": None, "previous": None}


def test_what_comes_meanwhile_moves_no_row(campaign: Campaign) -> None:
    ada, grace = Api(campaign, "Wide-ada"), Api(campaign, "Wide-grace")
    log, own = ada.get("judgments/", limit=2).json(), grace.get("judgments/", topic="1", limit=2).json()
    assert [row["docno"] for row in log["results"]] == ["a", "b"]
    assert [row["docno"] for row in own["results"]] == ["e", "d"]
    grace.judge("1", "f", 2)
    rest = [row["docno"] for page in pages(ada.client, log["next"], "next") for row in page["results"]]
    assert rest == ["c", "d", "e", "f"]
    rest = [row["docno"] for page in pages(grace.client, own["next"], "next") for row in page["results"]]
    assert rest == ["c", "b", "a"]


def test_the_log_by_topic_person_time_and_place(campaign: Campaign) -> None:
    judge_at_random(campaign, 12, seed=7)
    ada = Api(campaign, "Wide-ada")
    every = ada.get("judgments/").json()["results"]
    acts = Judgment.objects.filter(campaign=campaign)
    assert (
        [row["sequence"] for row in every]
        == list(range(1, len(every) + 1))
        == list(range(1, acts.count() + 1))
    )
    assert {row["assessor"] for row in every} == {"Wide-grace", "Wide-alan"}
    ninth = acts.get(sequence=9)
    for query, kept in (
        ({"topic": "2"}, lambda row: row["topic"] == "2"),
        ({"assessor": "Wide-alan"}, lambda row: row["assessor"] == "Wide-alan"),
        ({"since": ninth.created.isoformat()}, lambda row: row["sequence"] >= 9),
        ({"since": "2026-01-01"}, lambda row: True),
        ({"after": 9}, lambda row: row["sequence"] > 9),
        ({"topic": "1", "assessor": "Wide-alan", "after": 6},
         lambda row: row["topic"] == "1" and row["assessor"] == "Wide-alan" and row["sequence"] > 6),
    ):  # fmt: skip
        expected = [row for row in every if kept(row)]
        assert ada.get("judgments/", **query).json()["results"] == expected
        address = at(f"{ada.root}judgments/", limit=2, **query)
        found = [row for page in pages(ada.client, address, "next") for row in page["results"]]
        assert found == expected


def test_the_log_since_a_time_where_times_are_not_quite_in_order(campaign: Campaign) -> None:
    judge_at_random(campaign, 60, seed=3)
    acts = Judgment.objects.filter(campaign=campaign).order_by("sequence")
    random, beginning = Random(5), timezone.now() - timedelta(days=30)
    for act in acts:
        minutes = act.sequence * 20 + random.uniform(-25, 25)
        acts.filter(id=act.id).update(created=beginning + timedelta(minutes=minutes))
    ada = Api(campaign, "Wide-ada")
    every = list(acts.values_list("sequence", "created"))
    assert sorted(every, key=lambda act: act[1]) != every
    for _, since in every:
        found = ada.get("judgments/", since=since.isoformat(), limit=100).json()["results"]
        assert [row["sequence"] for row in found] == [place for place, made in every if made >= since]
    late = timezone.now() + timedelta(days=1)
    assert ada.get("judgments/", since=late.isoformat()).json()["results"] == []
    # Little is looked at that was made before.
    for place, made in every:
        assert place - 9 <= sequence_before(campaign=campaign, moment=made) < place


def test_bad_filters_name_their_field(campaign: Campaign) -> None:
    make_campaign("Else")
    ada, grace = Api(campaign, "Wide-ada"), Api(campaign, "Wide-grace")
    for name, value in (
        ("since", "yesterday"), ("since", "2026-13-01"), ("after", "-1"), ("after", "x"), ("after", "9" * 30),
        ("assessor", "Else-ada"), ("assessor", "nobody"), ("colour", "red"),
    ):  # fmt: skip
        reply = ada.get("judgments/", **{name: value})
        assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, name), (name, value)
    assert ada.get("judgments/", assessor="Wide-bea").json()["results"] == []
    assert ada.get("judgments/", topic="77").status_code == 404
    assert grace.get("judgments/").json()["errors"][0]["field"] == "topic"
    for name, value in (("assessor", "Wide-grace"), ("since", "2026-01-01"), ("after", "1")):
        reply = grace.get("judgments/", topic="1", **{name: value})
        assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, name)


def test_runs_as_they_were_sent(campaign: Campaign) -> None:
    run_changes.withdraw(run=campaign.runs.get(tag="z"))
    run_changes.set_group(run=campaign.runs.get(tag="y"), group="ours")
    add_run(campaign, "late", {"1": list("abz"), "2": ["k"]}, contributes=False)
    rows = {row["run"]: row for row in Api(campaign, "Wide-ada").get("runs/").json()["results"]}
    assert list(rows) == [*WIDE, "late"]
    assert [(row["topics"], row["lines"]) for row in rows.values()] == [
        (5, 40),
        (1, 4),
        (1, 2),
        (1, 2),
        (1, 2),
        (2, 4),
    ]
    assert [run for run, row in rows.items() if row["withdrawn_at"]] == ["z"]
    assert [run for run, row in rows.items() if not row["contributes"]] == ["late"]
    assert [run for run, row in rows.items() if row["late"]] == ["late"]
    given = (rows["y"]["group"], rows["y"]["file"], rows["y"]["uploaded_by"])
    assert given == ("ours", "Wide.run", "Wide-ada")


def test_topics_for_organisers_and_for_assessors(campaign: Campaign) -> None:
    ada, grace, alan = (Api(campaign, f"Wide-{name}") for name in ("ada", "grace", "alan"))
    grace.judge("10", "a", 0)
    recompute(campaign.id)
    by_number = {row["number"]: row for row in ada.get("topics/").json()["results"]}
    assert list(by_number) == list(campaign.topics.order_by("position").values_list("number", flat=True))
    assert (by_number["1"]["judged"], by_number["1"]["relevant"], by_number["1"]["pool"]) == (5, 4, 12)
    assert (by_number["10"]["judged"], by_number["10"]["relevant"], by_number["10"]["remaining"]) == (1, 0, 7)
    offered = {row["number"]: row for row in grace.get("topics/").json()["results"]}
    assert [(number, row["judged"], row["assigned"]) for number, row in offered.items() if row["judged"]] == [
        ("1", 5, True), ("10", 1, False),
    ]  # fmt: skip
    assert set(offered["1"]) == {
        "number", "title", "description", "narrative", "further_fields", "closed", "assigned", "judged",
        "done",
    }  # fmt: skip
    assert all(not row["judged"] for row in alan.get("topics/").json()["results"])
    campaigns.change_settings(campaign=campaign, topic_choice="assigned")
    assert [row["number"] for row in grace.get("topics/").json()["results"]] == ["1"]


def test_who_may_read_the_lists(campaign: Campaign) -> None:
    stranger = Api(make_campaign("Else"), "Else-ada")
    for path in LISTS:
        if path == BASE:
            continue
        assert stranger.client.get(path).status_code == 404, path
        grace = Api(campaign, "Wide-grace").client.get(path).status_code
        theirs = "topics/?" in at(path) or "revisions" in path or "examples" in path
        expected = 200 if theirs else 403
        assert grace == (400 if path.endswith("judgments/") else expected), path
    assert Api(campaign, "Wide-grace").client.put(f"{BASE}wide/topics/").status_code == 405
    assert Api(campaign, "Wide-grace").upload("topics/", b"x", "t.tsv").status_code == 403


@pytest.mark.parametrize(("who", "path", "key"), EVERY)
def test_as_many_queries_for_many_rows_as_for_one(campaign: Campaign, who: str, path: str, key: str) -> None:
    client = Api(campaign, f"Wide-{who}").client
    # The first look counts what was judged, and keeps the counts.
    client.get(at(path))
    counts = []
    for limit in (1, 4):
        with CaptureQueriesContext(connection) as captured:
            assert len(client.get(at(path, limit=limit)).json()["results"]) == limit
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert TopicAssignment.objects.exists()
