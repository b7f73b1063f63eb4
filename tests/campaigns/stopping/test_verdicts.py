"""What the worker's look at stopping tells webhooks: each finding once, in the transaction that stores it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.models import Advice, Campaign, Delivery
from campaigns.notifications import webhooks
from campaigns.stopping import verdicts
from campaigns.stopping.advice_computation import write_advice
from campaigns.stopping.advice_content import AdviceContent, AdvisedPair, AdvisedRun, DecisionBasis
from tests.campaigns.factories import Api, Lists, make_campaign

pytestmark = pytest.mark.django_db

# x and y differ in one document only; what else they rank cancels.
LISTS: Lists = {
    "x": {"1": ["a", "c", "d", "e"]},
    "y": {"1": ["b", "c", "d", "e"]},
    "z": {"1": ["f", "g"]},
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", LISTS, p=0.5)
    ada = User.objects.get(username="Small-ada")
    for events in (["pair.decided"], ["campaign.may_stop"]):
        webhooks.add(campaign=campaign, user=ada, url="https://hooks.example.org/", events=events)
    return campaign


def look(campaign: Campaign) -> None:
    live = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
    worker.bring_up_to_date(live)
    write_advice(live)


def judge(campaign: Campaign, docno: str, grade: int) -> list[Any]:
    """The events stored after a judgment and the worker's look at it."""
    known = set(Delivery.objects.values_list("id", flat=True))
    assert Api(campaign, "Small-grace").judge("1", docno, grade).status_code == 201
    look(campaign)
    rows = Delivery.objects.exclude(id__in=known).order_by("id")
    return [json.loads(row.body) for row in rows]


def pairs(news: list[Any]) -> list[tuple[str, str]]:
    rows = [one["data"]["pair"] for one in news if one["type"] == "pair.decided"]
    return [(row["run"], row["other"]) for row in rows]


def kinds(news: list[Any]) -> list[str]:
    return [one["type"] for one in news]


def test_pairs_are_told_when_they_are_decided_and_that_it_may_stop_when_the_best_is_settled(
    campaign: Campaign,
) -> None:
    look(campaign)
    assert not Delivery.objects.exists()
    assert judge(campaign, "a", 2) == []
    news = judge(campaign, "b", 0)
    assert pairs(news) == [("x", "y")]
    (pair,) = news
    assert pair["campaign"] == "small"
    assert pair["data"]["versus"] == "base"
    assert pair["data"]["as_of"] == 2
    by_api = Api(campaign, "Small-ada").get("pairs/").json()["results"]
    (same,) = [row for row in by_api if row["decided"]]
    assert same["confidence"] == 1
    del same["forecast"], same["topic_count"]
    assert pair["data"]["pair"] == same
    assert judge(campaign, "f", 0) == []
    assert pairs(judge(campaign, "g", 0)) == [("x", "z")]
    news = judge(campaign, "c", 0)
    assert kinds(news) == ["campaign.may_stop"]
    assert news[0]["data"] == {"as_of": 5, "judged": 5, "best": "x", "k": 3, "decided": 2, "pairs": 3}
    # Nothing of that is said again.
    look(campaign)
    assert judge(campaign, "d", 0) == []
    every = [json.loads(row.body) for row in Delivery.objects.order_by("id")]
    assert len(pairs(every)) == len(set(pairs(every)))
    assert kinds(every).count("campaign.may_stop") == 1


def test_what_was_undone_and_comes_again_is_told_again(campaign: Campaign) -> None:
    for docno, grade in (("a", 2), ("b", 0), ("f", 0), ("g", 0)):
        judge(campaign, docno, grade)
    settled = judge(campaign, "c", 0)
    assert "campaign.may_stop" in kinds(settled)
    assert judge(campaign, "a", 0) == []
    assert "campaign.may_stop" in kinds(judge(campaign, "a", 2))


def test_the_other_way_round_is_news(campaign: Campaign) -> None:
    judge(campaign, "a", 2)
    assert pairs(judge(campaign, "b", 0)) == [("x", "y")]
    grace = Api(campaign, "Small-grace")
    assert grace.judge("1", "a", 0).status_code == 201
    assert ("y", "x") in pairs(judge(campaign, "b", 2))


def advice(**pairs: DecisionBasis) -> AdviceContent:
    """As it is stored and read again; a pair is named by the two runs' places."""
    runs = tuple(AdvisedRun(id, f"r{id}", 0.5, 0.1, 0.6) for id in (7, 8, 9))
    rows = tuple(AdvisedPair(int(name[1]), int(name[2]), by) for name, by in pairs.items())
    return AdviceContent(judged=1, distinct=True, runs=runs, pairs=rows)


def as_stored(content: AdviceContent, news: verdicts.News) -> AdviceContent:
    stored = replace(content, announced=news.announced)
    return AdviceContent.from_json(json.loads(json.dumps(stored.to_json())))


def test_a_pair_that_leaves_the_best_and_comes_back_is_no_news() -> None:
    before = AdviceContent()
    for content, decided in (
        (advice(p01="intervals", p02=""), [(7, 8)]),
        (advice(p02="difference"), [(7, 9)]),
        (advice(p01="intervals", p02=""), []),
        (advice(p01="intervals", p02="difference"), [(7, 9)]),
    ):
        found = verdicts.news(before, content)
        assert found.decided == decided
        before = as_stored(content, found)


def test_what_was_known_before_there_were_webhooks_is_no_news() -> None:
    found = verdicts.news(advice(p01="intervals"), advice(p01="intervals"))
    assert (found.decided, found.may_stop) == ([], False)


def test_rows_of_older_versions_are_read() -> None:
    """Without ids, forecasts of pairs, or what webhooks know; MTC's confidence is not read any more."""
    row = {"judged": 3, "best": "x", "distinct": False, "rivals": 1, "forecast": None, "left_out": []}
    row |= {"runs": [{"run": "x", "base": 0.5, "residual": 0.1}, {"run": "y", "base": 0.4, "residual": 0.1}]}
    read = AdviceContent.from_json(row | {"pairs": [[0, 1, "intervals", 0.9]]})
    assert read.pairs == (AdvisedPair(0, 1, "intervals"),)
    assert read.pairs[0].to_json() == [0, 1, "intervals", None, None]
    assert verdicts.news(read, advice(p01="intervals")).decided == [(7, 8)]


def test_what_is_told_and_what_is_stored_stand_and_fall_together(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    for docno, grade in (("a", 2), ("b", 0), ("f", 0)):
        judge(campaign, docno, grade)
    Api(campaign, "Small-grace").judge("1", "g", 0)
    before = Advice.objects.values().get()
    stored = Delivery.objects.count()
    tell = verdicts.publish_news

    def fail_behind(**options: Any) -> None:
        tell(**options)
        assert Delivery.objects.count() > stored
        raise RuntimeError("the worker dies here")

    monkeypatch.setattr(verdicts, "publish_news", fail_behind)
    with pytest.raises(RuntimeError):
        look(campaign)
    assert Advice.objects.values().get() == before
    assert Delivery.objects.count() == stored
    monkeypatch.undo()
    look(campaign)
    assert Delivery.objects.count() > stored
