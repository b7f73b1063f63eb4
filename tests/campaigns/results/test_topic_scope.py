"""All topics or only judged ones: the same choice everywhere, with exact means and clear refusals."""

from __future__ import annotations

import csv
import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign, Interval
from campaigns.results.score_ranges import score_ranges_of
from campaigns.results.topic_rows import topics_of
from campaigns.results.topic_scope import scope_counts
from campaigns.setup.campaigns import change_settings
from campaigns.topic_offers.offers import standings
from evaluation.measures.bounds import projected_score
from tests.campaigns.factories import THREE_RUNS, Api, make_campaign, signed_in
from tests.campaigns.figures.test_figures import numbers
from tests.campaigns.stopping.stopping_look import look, predict_scores

# Topic 3 is ranked by all, and has no judgment.
LISTS = {tag: {**topics, "3": ["p", "q", "r"]} for tag, topics in THREE_RUNS.items()}


@pytest.fixture
def campaign(db: None) -> Campaign:
    campaign = make_campaign("Small", LISTS, min_judgments=3)
    grace = Api(campaign, "Small-grace")
    for topic, docno, grade in (("1", "a", 2), ("1", "b", 0), ("1", "h", 0), ("2", "k", 1)):
        assert grace.judge(topic, docno, grade).status_code == 201
    look(campaign)
    predict_scores(campaign)
    return campaign


def by_hand(campaign: Campaign) -> dict[str, tuple[float, float, float]]:
    """Base, top and projection: means over topics 1 and 2."""
    found = {}
    for run in campaign.runs.all():
        cells = Interval.objects.filter(run=run, topic__number__in=("1", "2"))
        pairs = list(cells.values_list("base", "residual"))
        assert len(pairs) == 2
        projected = [projected_score(base, residual) for base, residual in pairs if residual < 1]
        found[run.tag] = (
            sum(base for base, _ in pairs) / 2,
            sum(base + residual for base, residual in pairs) / 2,
            sum(projected) / len(projected),
        )
    return found


def test_judged_means_are_those_over_the_topics_with_a_judgment(campaign: Campaign) -> None:
    rows = score_ranges_of(campaign=campaign, topics="judged")
    found = {row.run: (row.base, row.top, row.projected) for row in rows}
    assert found == {tag: pytest.approx(figures, abs=1e-12) for tag, figures in by_hand(campaign).items()}
    every = {row.run: row for row in score_ranges_of(campaign=campaign)}
    assert all(every[row.run].residual > row.residual for row in rows)


def test_the_api_states_the_scope_and_uses_it(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    said = ada.get("intervals/", topics="judged").json()
    assert (said["topics"], said["topic_count"]) == ("judged", 2)
    figures = by_hand(campaign)
    assert {run["run"]: run["base"] for run in said["runs"]} == {
        tag: pytest.approx(base, abs=1e-12) for tag, (base, _, _) in figures.items()
    }
    usual = ada.get("intervals/").json()
    assert (usual["topics"], usual["topic_count"]) == ("all", 3)
    pairs = ada.get("pairs/", topics="judged").json()
    assert (pairs["topics"], pairs["k"], len(pairs["results"])) == ("judged", 3, 3)
    first = pairs["results"][0]
    bases = {tag: base for tag, (base, _, _) in figures.items()}
    assert first["difference"] == pytest.approx(bases[first["run"]] - bases[first["other"]], abs=1e-12)
    assert {pair["forecast"] for pair in pairs["results"]} == {None}


def test_scores_and_figures_follow_the_scope(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    path = "/campaigns/small/exports/scores-csv/"
    reply: Any = ada.get(path, {"topics": "judged"})
    assert 'filename="small.judged-topics.scores.csv"' in reply.headers["Content-Disposition"]
    rows = list(csv.DictReader(b"".join(reply.streaming_content).decode().splitlines()))
    assert {row["topic"] for row in rows} == {"1", "2", "judged"}
    means = {row["run"]: float(row["base"]) for row in rows if row["topic"] == "judged"}
    assert means == {tag: pytest.approx(base) for tag, (base, _, _) in by_hand(campaign).items()}
    drawn = numbers(campaign, "intervals", "judged")
    assert {row["run"]: row["base"] for row in drawn["runs"]} == means


def test_judged_means_by_a_pair_page(campaign: Campaign) -> None:
    page = signed_in("Small-ada").get("/campaigns/small/pair/?topics=judged").content.decode()
    assert "title 1" in page
    assert "title 3" not in page
    assert "title 3" in signed_in("Small-ada").get("/campaigns/small/pair/").content.decode()


@pytest.mark.parametrize(
    "path",
    [
        "/campaigns/small/",
        "/campaigns/small/pair/",
        "/campaigns/small/exports/scores-csv/",
        "/campaigns/small/exports/figures/intervals.svg",
        "/api/v1/campaigns/small/intervals/",
        "/api/v1/campaigns/small/pairs/",
        "/api/v1/campaigns/small/predictions/",
        "/api/v1/campaigns/small/exports/scores-csv/",
    ],
)
def test_another_scope_is_refused(campaign: Campaign, path: str) -> None:
    assert signed_in("Small-ada").get(path, {"topics": "some"}).status_code == 400


@pytest.mark.parametrize(
    ("path", "given"),
    [("intervals/", {"topic": "1"}), ("exports/qrels/", {})],
)
def test_a_scope_that_cannot_be_is_refused(campaign: Campaign, path: str, given: dict[str, str]) -> None:
    reply = Api(campaign, "Small-ada").get(path, topics="judged", **given)
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == "topics"


def test_what_counts_as_judged(campaign: Campaign) -> None:
    Api(campaign, "Small-ada").post("topics/1/close/")
    counts = scope_counts(campaign=campaign)
    assert (counts.all, counts.judged, counts.minimum, counts.closed) == (3, 2, 1, 1)


def test_minimum_of_a_topic_is_its_pool_where_that_is_smaller(campaign: Campaign) -> None:
    pools = {row.number: row.pool for row in topics_of(campaign=campaign)}
    assert pools["3"] == 3
    change_settings(campaign=campaign, min_judgments=4)
    campaign.refresh_from_db()
    minimums = {row.number: row.minimum for row in topics_of(campaign=campaign)}
    assert minimums == {number: min(4, pool or 0) for number, pool in pools.items()}
    page = signed_in("Small-ada").get(f"/campaigns/{campaign.slug}/").content.decode()
    words = " ".join(re.sub("<[^>]+>", " ", page).split())
    assert f"Judged of the topics’ minimums ? 4 of {sum(minimums.values())} " in words
    # All of topic 3 is its minimum.
    grace = Api(campaign, "Small-grace")
    before = scope_counts(campaign=campaign).minimum
    for docno in ("p", "q", "r"):
        assert grace.judge("3", docno, 0).json()["progress"]["minimum"] == 3
    assert scope_counts(campaign=campaign).minimum == before + 1
    own = {
        topic.number: topic
        for topic in standings(user=User.objects.get(username="Small-grace").id, campaigns=[campaign])
    }
    assert (own["3"].minimum, own["3"].finished) == (3, True)


def test_without_a_judgment_every_score_is_open(db: None) -> None:
    campaign = make_campaign("Fresh", LISTS)
    look(campaign)
    rows = score_ranges_of(campaign=campaign, topics="judged")
    assert {(row.base, row.top) for row in rows} == {(0.0, 1.0)}
    assert Api(campaign, "Fresh-ada").get("pairs/", topics="judged").json()["results"] == []
