"""The next step by the state of a campaign, and by what is predicted."""

from __future__ import annotations

import pytest

from campaigns.computing.tasks import recompute
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Campaign
from campaigns.overview.next_step import NextStep
from campaigns.overview.parts import overview_of, overview_version
from campaigns.setup.campaigns import close, open_campaign, pause
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import look, predict_scores

pytestmark = pytest.mark.django_db


def step_of(campaign: Campaign) -> NextStep:
    step = overview_of(Campaign.objects.get(id=campaign.id), "all").next_step
    assert step is not None
    return step


def test_a_campaign_is_led_from_set_up_to_its_results() -> None:
    campaign = make_campaign("Small", opened=False)
    assert step_of(campaign) == NextStep("set_up")
    open_campaign(campaign=campaign)
    recompute(campaign.id)
    assert step_of(campaign).kind == "judge"
    pause(campaign=campaign)
    assert step_of(campaign) == NextStep("resume")
    close(campaign=campaign)
    assert step_of(campaign) == NextStep("publish")
    page = signed_in("Small-ada").get("/campaigns/small/").content.decode()
    assert "The campaign is closed: download the qrels and the scores." in page
    assert "/campaigns/small/exports/" in page.split('class="next"')[1].split("</div>")[0]


def test_nobody_judges_until_a_person_is_added_or_has_judged() -> None:
    campaign = make_campaign("Small")
    recompute(campaign.id)
    people = campaign.memberships.filter(role="assessor")
    people.delete()
    before = overview_version(campaign)
    assert step_of(campaign) == NextStep("invite")
    assert Api(campaign, "Small-ada").judge("1", "a", 1).status_code == 201
    assert step_of(campaign).kind == "judge"
    assert overview_version(campaign) != before


def test_the_topic_that_leaves_most_open_is_next() -> None:
    campaign = make_campaign(
        "Small", {f"r{run}": {"1": ["a", f"b{run}"], "2": ["c", f"d{run}"]} for run in range(4)}
    )
    for docno in ("a", "b0", "b1"):
        assert Api(campaign, "Small-grace").judge("1", docno, 1).status_code == 201
    recompute(campaign.id)
    step = step_of(campaign)
    assert step.topic is not None
    assert step.topic.number == "2"
    assert step.residual == pytest.approx(1)
    page = signed_in("Small-ada").get("/campaigns/small/").content.decode()
    assert "/judge/small/2/" in page.split('class="next"')[1].split("</div>")[0]


def test_once_all_is_judged_the_campaign_can_be_closed() -> None:
    campaign = make_campaign("Small", {"x": {"1": ["a"]}, "y": {"1": ["b"]}})
    for docno, grade in (("a", 2), ("b", 0)):
        assert Api(campaign, "Small-grace").judge("1", docno, grade).status_code == 201
    recompute(campaign.id)
    assert step_of(campaign).kind == "close"


def test_the_pair_is_the_one_that_the_forecast_is_about() -> None:
    lists = {
        f"r{run}": {topic: [f"d{(run * 5 + rank * (run + 1)) % 40}" for rank in range(8)] for topic in "123"}
        for run in range(12)
    }
    lists = {
        tag: {topic: list(dict.fromkeys(docs)) for topic, docs in by.items()} for tag, by in lists.items()
    }
    campaign = make_campaign("Small", lists, budget=100)
    for topic in "12":
        for place, docno in enumerate(sorted({docno for run in lists.values() for docno in run[topic]})[:20]):
            assert Api(campaign, "Small-grace").judge(topic, docno, place % 3).status_code == 201
    predict_scores(campaign)
    look(campaign)
    read = overview_of(campaign, "all")
    step = read.next_step
    assert step is not None
    assert step.pair == read.every.next_pairs[0]
    assert read.advice is not None
    assert step.effort == read.advice.next_pair


def test_a_campaign_of_another_measure_is_not_decided_by_rbp() -> None:
    campaign = make_campaign("Small", {"x": {"1": ["a"]}, "y": {"1": ["b"], "2": ["c"]}}, measures="AP")
    for topic, docno, grade in (("1", "a", 2), ("1", "b", 0)):
        assert Api(campaign, "Small-grace").judge(topic, docno, grade).status_code == 201
    recompute(campaign.id)
    write_measured(Campaign.objects.get(id=campaign.id))
    read = overview_of(Campaign.objects.get(id=campaign.id), "all")
    assert read.measured is not None
    step = read.next_step
    assert step is not None
    assert (step.kind, step.decided, step.pair) == ("judge", False, None)
