"""Judgments that are all of one kind, or almost: nothing is predicted from them, and every page says why."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.models import Campaign, Outlook
from campaigns.predictions.standings import standings_of
from campaigns.stopping import planner
from selection.pool import build_topic_pool
from selection.simulation.relevance.judged_relevance import FEW, LEAST_NOT_RELEVANT, JudgedRelevance
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.campaigns.factories import Api, Lists, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import look, predict_scores

LISTS: Lists = {
    f"r{run}": {"1": [f"d{rank + run}" for rank in range(12)], "2": ["a", "b"]} for run in range(4)
}


def judged(grades: list[int]) -> Campaign:
    campaign = make_campaign("Small", LISTS)
    grace = Api(campaign, "Small-grace")
    for place, grade in enumerate(grades):
        assert grace.judge("1", f"d{place}", grade).status_code == 201
    predict_scores(campaign)
    look(campaign)
    return campaign


def shown(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("grade", "reason", "words"),
    [
        (2, "all_relevant", "All 8 judgments are relevant: nothing can be predicted."),
        (0, "none_relevant", "None of the 8 judgments is relevant: nothing can be predicted."),
    ],
)
def test_every_page_says_that_nothing_can_be_predicted(grade: int, reason: str, words: str) -> None:
    campaign = judged([grade] * 8)
    ada, api = signed_in("Small-ada"), Api(campaign, "Small-ada")
    run = campaign.runs.get(tag="r0").id
    for address in ("", "overview/", "runs/", "pair/?run=r0&run=r3"):
        assert words in shown(ada.get(f"/campaigns/small/{address}").content.decode()), address
    assert "nothing can be predicted" in shown(ada.get(f"/campaigns/small/runs/{run}/").content.decode())
    predicted = api.get("predictions/").json()
    assert (predicted["reason"], predicted["runs"], predicted["results"]) == (reason, [], [])
    pairs = api.get("pairs/").json()
    assert (pairs["no_forecast"], pairs["next_pair"], pairs["one_best"]) == (reason, None, None)
    planner.request_plan(campaign=campaign, methods=["A"], ps=[0.8], budget=20)
    assert planner.step(campaign.id) is False
    assert Outlook.objects.get(campaign=campaign).content["wrong"] == {"code": reason}
    verdict = standings_of(campaign=campaign).verdict
    assert (verdict.kind, verdict.run) == ("unpredicted", "")


@pytest.mark.django_db
def test_a_few_judgments_of_one_kind_are_too_early() -> None:
    campaign = judged([2] * (FEW - 1))
    assert standings_of(campaign=campaign).verdict.kind == "early"
    assert Api(campaign, "Small-ada").get("pairs/").json()["no_forecast"] == ""


@pytest.mark.django_db
def test_judgments_of_both_kinds_are_predicted_from() -> None:
    campaign = judged([2, 0, 2, 2, 2, 2])
    assert standings_of(campaign=campaign).prediction is not None


@given(st.lists(st.booleans(), min_size=1, max_size=120))
def test_kinds_are_counted_over_all_topics(relevant: list[bool]) -> None:
    both = np.array([True])
    pools = [build_topic_pool([np.arange(60)], 0.8, both) for _ in range(2)]
    state = CampaignState(
        pools,
        CampaignSpec(runs=1, p=0.8, method="A", scope="topic", contributing=both),
    )
    for place, one in enumerate(relevant):
        state.judge(place % 2, place // 2, 0.5 * one)
    found = JudgedRelevance.of(state.setting)
    assert (found.judged, found.relevant) == (len(relevant), sum(relevant))
    others = relevant.count(False)
    assert (found.one_sided == "none_relevant") is (others == len(relevant))
    assert (found.one_sided == "all_relevant") is (others < LEAST_NOT_RELEVANT * len(relevant))
