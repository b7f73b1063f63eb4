"""The pages of a run, of two runs, of an assessor and of a document: what they say is what is there."""

from __future__ import annotations

import html
import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.collection.run_changes import withdraw
from campaigns.computing import worker
from campaigns.computing.tasks import recompute
from campaigns.computing.worker import caught_up_copy
from campaigns.log.tallies import judged_in
from campaigns.models import Campaign, Run
from campaigns.results import pairs
from campaigns.results.curves import curves_of
from campaigns.results.pairs import order_by_base, pair_of
from campaigns.results.run_scores import most_open_documents, topic_score_ranges
from campaigns.results.score_ranges import score_ranges_of
from campaigns.stopping.advice import stopping_advice_of
from campaigns.stopping.advice_computation import write_advice
from evaluation.comparison.significance import p_values
from tests.campaigns.factories import THREE_RUNS, Api, Lists, add_run, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

ACTS = [("1", "a", 2), ("1", "h", 0), ("2", "k", 1), ("1", "b", 1), ("2", "l", 0)]


@pytest.fixture(scope="module")
def made(module_rows: None) -> int:
    campaign = make_campaign("Small")
    recompute(campaign.id)
    for topic, docno, grade in ACTS:
        Api(campaign, "Small-grace").judge(topic, docno, grade)
        recompute(campaign.id)
    return campaign.id


@pytest.fixture
def campaign(made: int) -> Campaign:
    # A copy in memory may hold rows that another test took back.
    worker.forget_copies()
    return Campaign.objects.get(id=made)


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def words(reply: Any) -> str:
    """What a reader sees, in one line."""
    assert reply.status_code == 200
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def test_a_runs_topics_come_widest_first(campaign: Campaign) -> None:
    run = campaign.runs.get(tag="y")
    lines = topic_score_ranges(campaign=campaign, run=run, judged=judged_in(campaign=campaign))
    # y ranks b a f g c and l n k: at p = 0.8 the judged b, a weigh 0.2 + 0.16; l and k 0.2 + 0.128.
    assert [(line.number, line.judged) for line in lines] == [("2", 2), ("1", 3)]
    assert [line.residual for line in lines] == pytest.approx([1 - 0.328, 1 - 0.36])
    assert [line.base for line in lines] == pytest.approx([0.064, 0.2 * 0.5 + 0.16])


def test_what_would_tell_most_about_a_run(campaign: Campaign) -> None:
    run = campaign.runs.get(tag="y")
    ranges = topic_score_ranges(campaign=campaign, run=run, judged={})
    found = most_open_documents(campaign=campaign, run=run, ranges=ranges, limit=3)
    assert [(row.number, row.docno, row.rank) for row in found] == [
        ("2", "n", 2),
        ("1", "f", 3),
        ("1", "g", 4),
    ]
    assert [row.could_add for row in found] == pytest.approx([0.08, 0.064, 0.0512])
    assert found[0].position == 1 or found[0].position == 2


def test_the_page_of_a_run(campaign: Campaign, ada: Client) -> None:
    run = campaign.runs.get(tag="x")
    said = words(ada.get(f"/campaigns/small/runs/{run.id}/"))
    assert "Score range" in said
    assert "mean over 2 topics" in said
    assert "title 1" in said
    page = ada.get(f"/campaigns/small/runs/{run.id}/").content.decode()
    for other in campaign.runs.exclude(id=run.id):
        assert f"/campaigns/small/pair/?one={run.id}&amp;other={other.id}" in page


def test_a_run_is_withdrawn_and_brought_back_on_its_page(campaign: Campaign, ada: Client) -> None:
    run = campaign.runs.get(tag="z")
    address = f"/campaigns/small/runs/{run.id}/"
    assert "is withdrawn" in words(ada.post(address, {"act": "withdraw"}, follow=True))
    assert Run.objects.get(id=run.id).withdrawn_at is not None
    assert "Withdrawn" in words(ada.get("/campaigns/small/"))
    assert ada.post(address, {"act": "withdraw"}).status_code == 409
    assert "takes part again" in words(ada.post(address, {"act": "bring_back"}, follow=True))
    assert "non-contributing" in words(ada.post(address, {"act": "only_score"}, follow=True))
    assert "of the group Athens" in words(ada.post(address, {"act": "group", "group": "Athens"}, follow=True))
    assert ada.post(address, {"act": "group", "group": "a\tb"}).status_code == 400
    assert ada.post(address, {"act": "burn"}).status_code == 400


def test_a_run_that_served_is_kept_and_the_page_says_the_way_out(campaign: Campaign, ada: Client) -> None:
    run = campaign.runs.get(tag="z")
    said = words(ada.post(f"/campaigns/small/runs/{run.id}/remove/", follow=True))
    assert "withdraw it instead" in said
    assert Run.objects.filter(id=run.id).exists()


def test_nobody_sees_the_run_of_another_campaign(campaign: Campaign, ada: Client) -> None:
    other = make_campaign("Other").runs.get(tag="x")
    assert ada.get(f"/campaigns/small/runs/{other.id}/").status_code == 404
    assert ada.get("/campaigns/small/pair/", {"one": other.id}).status_code == 404
    assert ada.get("/campaigns/small/curves/", {"run": other.id}).json()["runs"] == []
    address = f"/campaigns/small/runs/{campaign.runs.get(tag='x').id}/"
    assert signed_in("Small-grace").get(address).status_code == 403
    assert signed_in("Other-ada").post(address, {"act": "withdraw"}).status_code == 404


def test_curves_follow_the_judgments(campaign: Campaign) -> None:
    x, z = campaign.runs.get(tag="x"), campaign.runs.get(tag="z")
    curves = curves_of(campaign=campaign, runs=[z, x])
    assert curves.judged == [0, 1, 2, 3, 4, 5]
    assert [curve.run for curve in curves.runs] == ["z", "x"]
    of_x = curves.runs[1]
    # a at rank 1, then k and b at ranks 1 and 2 at half gain, each over two topics.
    assert of_x.base == pytest.approx([0, 0.1, 0.1, 0.15, 0.19, 0.19])
    now = {row.run: row for row in score_ranges_of(campaign=campaign)}
    for curve in curves.runs:
        last = now[curve.run]
        # In full: a base that is rounded twice may be shown too high.
        assert (curve.base[-1], curve.top[-1]) == (last.base, last.top)


def pair(campaign: Campaign, one: str, other: str) -> Any:
    rows = {row.run: row for row in score_ranges_of(campaign=campaign)}
    better, worse = order_by_base(rows[one], rows[other])
    return pair_of(campaign=campaign, better=better, worse=worse)


def test_two_runs_topic_by_topic_and_by_the_tests_of_2007(campaign: Campaign) -> None:
    found = pair(campaign, "z", "x")
    x = {line.number: line.better for line in found.topics}
    z = {line.number: line.worse for line in found.topics}
    base = np.array([[x[n][0] - z[n][0] for n in "12"]])
    top = np.array([[x[n][0] - sum(z[n]) for n in "12"]])
    by = {row.versus: row for row in found.tests}
    for versus, differences in (("base", base), ("top", top)):
        assert by[versus].difference == pytest.approx(differences.mean())
        assert by[versus].wilcoxon == pytest.approx(p_values(differences)[0])
        assert by[versus].t == pytest.approx(p_values(differences, "t")[0])
    assert by["base"].difference > by["projected"].difference > by["top"].difference


def test_a_pair_agrees_with_the_advice(campaign: Campaign) -> None:
    live = caught_up_copy(campaign.id)
    assert live is not None
    write_advice(live)
    advice = stopping_advice_of(campaign=campaign)
    assert advice is not None
    by_pair = {(row.run, row.other): row for row in advice.pairs}
    assert len(by_pair) == 3
    for one, other in combinations("xyz", 2):
        found = pair(campaign, one, other)
        row = by_pair.get((one, other)) or by_pair[other, one]
        assert found.decided == row.by


def test_what_would_part_two_runs(campaign: Campaign) -> None:
    found = pair(campaign, "x", "y")
    # x: a b c d e, y: b a f g c; x: k l m, y: l n k. Judged: a, b, h, k, l.
    assert [(row.number, row.docno, row.better_rank, row.worse_rank) for row in found.telling][:3] == [
        ("2", "n", None, 2),
        ("1", "f", None, 3),
        ("2", "m", 3, None),
    ]
    assert found.telling[0].shift == pytest.approx(0.08)


def test_of_many_topics_no_rankings_are_read(
    campaign: Campaign, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "MOST_PAIR_TOPICS", 1)
    assert pair(campaign, "x", "y").telling is None
    assert "Not shown for campaigns with many topics" in words(ada.get("/campaigns/small/pair/"))


def test_the_page_of_two_runs(campaign: Campaign, ada: Client) -> None:
    x, z = campaign.runs.get(tag="x"), campaign.runs.get(tag="z")
    said = words(ada.get("/campaigns/small/pair/", {"one": z.id, "other": x.id}))
    assert "Open: unjudged documents can still change the order." in said
    assert ada.get("/campaigns/small/pair/", {"one": x.id, "other": x.id}).status_code == 200
    assert ada.get("/campaigns/small/pair/", {"one": "nobody"}).status_code == 404
    assert ada.post("/campaigns/small/pair/").status_code == 405


def test_one_run_is_no_pair() -> None:
    make_campaign("Lonely", {"x": {"1": ["a"]}})
    assert "needs two runs" in words(signed_in("Lonely-ada").get("/campaigns/lonely/pair/"))


def test_the_page_of_an_assessor(campaign: Campaign, ada: Client) -> None:
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "c", reason="other")
    grace.judge("1", "a", 1)
    Api(campaign, "Small-alan").judge("1", "a", 0)
    said = words(ada.get("/campaigns/small/people/Small-grace/"))
    assert "Judgments 6 , 1 of them without a grade Time for one 1.2 s" in said
    assert "1 revised, 0 undone" in said
    # Grades 0 2 → two of five; of alan's one document all.
    assert "0 not relevant 2 40% 100%" in said
    assert "could not judge (other)" in said
    assert "has not judged anything" in words(ada.get("/campaigns/small/people/Small-ada/"))
    make_user("eve")
    assert ada.get("/campaigns/small/people/eve/").status_code == 404
    assert ada.get("/campaigns/small/people/nobody/").status_code == 404


def test_the_list_of_documents(campaign: Campaign, ada: Client) -> None:
    Api(campaign, "Small-alan").judge("1", "a", 0)
    said = words(ada.get("/campaigns/small/documents/"))
    assert "5 judged documents" in said
    assert "0, 2 differ" in said
    differing = words(ada.get("/campaigns/small/documents/", {"disputed": "yes"}))
    assert "1 judged document " in differing
    found = words(ada.get("/campaigns/small/documents/", {"docno": "k"}))
    assert "1 judged document " in found
    assert "In the collection k" in found
    for odd in ({"page": "7"}, {"page": "x"}, {"docno": "%"}, {"docno": "\\"}):
        assert ada.get("/campaigns/small/documents/", odd).status_code == 200


def test_the_page_of_a_document(campaign: Campaign, ada: Client) -> None:
    withdraw(run=campaign.runs.get(tag="z"))
    add_run(campaign, "w", {"2": ["q", "a"]})
    said = words(ada.get("/campaigns/small/document/", {"docno": "a", "all": ""}))
    assert "highly relevant" in said
    assert "Small-grace : 2 highly relevant" in said
    assert "3 runs rank it, from rank 1 1 x 2 y 2 z withdrawn" in said
    assert "1 run ranks it, at rank 2 2 w" in said
    # The rankings come by a request of their own.
    assert "3 runs rank it" not in words(ada.get("/campaigns/small/document/", {"docno": "a"}))
    alone = ada.get("/campaigns/small/document/", {"docno": "a"}, headers={"HX-Request": "true"})
    assert "3 runs rank it" in words(alone)
    assert ada.get("/campaigns/small/document/", {"docno": "nothing"}).status_code == 404


MANY: Lists = {
    tag: {number: [tag, "a", "b", f"{tag}{number}"] for number in ("1", "2", "3")} for tag in ("x", "y", "z")
}


@pytest.mark.parametrize("path", ["runs/RUN/", "pair/", "document/?docno=a&all", "curves/?run=RUN"])
def test_as_many_queries_for_many_as_for_few(path: str) -> None:
    counts = []
    for name, lists in (("few", {tag: {"1": THREE_RUNS[tag]["1"]} for tag in "xy"}), ("many", MANY)):
        campaign = make_campaign(name, lists)
        for topic in campaign.topics.all():
            Api(campaign, f"{name}-grace").judge(topic.number, "a", 1)
            recompute(campaign.id)
        client, run = signed_in(f"{name}-ada"), campaign.runs.earliest("id")
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/campaigns/{name}/{path.replace('RUN', str(run.id))}").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
