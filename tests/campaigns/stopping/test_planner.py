"""The planner: its questions, the replays step by step, and their results."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from campaigns.collection.run_changes import withdraw
from campaigns.computing.live import LiveCampaign
from campaigns.computing.tasks import recompute
from campaigns.core.database import ALL_CAMPAIGNS, Space, try_campaign_lock
from campaigns.core.decimals import score
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Outlook
from campaigns.results.score_ranges import score_ranges_of
from campaigns.stopping import planner
from campaigns.stopping import planner as replays
from campaigns.stopping.advice_content import PlanContent, PlanStart
from campaigns.stopping.outlook import PlannerLine, PlannerTargets, outlook_of
from campaigns.stopping.planner import trajectories
from selection.simulation import planning
from selection.simulation.planning import PLAN_DRAWS, judgments_until, simulated_gains
from selection.simulation.relevance.relevance_model import RelevanceRates
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

TARGETS = PlannerTargets(residual=0.5, tau=0.5, topic_minutes=6, minutes=0.5)
PAGE = "/campaigns/small/planner/"
ASKED: dict[str, Any] = {"methods": ["pooling", "C"], "p": "0.8", "budget": "12"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", opened=False)


def all_steps(campaign: Campaign) -> int:
    steps = 1
    while planner.step(campaign.id):
        steps += 1
    return steps


def test_from_asking_to_the_figures(campaign: Campaign) -> None:
    assert outlook_of(campaign=campaign, targets=TARGETS) is None
    planner.request_plan(campaign=campaign, methods=["pooling", "C"], ps=[0.5, 0.8], budget=12)
    waiting = outlook_of(campaign=campaign, targets=TARGETS)
    assert waiting is not None
    assert (waiting.running, waiting.percent, waiting.lines) == (True, 0, [])
    assert all_steps(campaign) == 4
    found = outlook_of(campaign=campaign, targets=TARGETS)
    assert found is not None
    assert (found.running, found.percent, found.current, found.budget) == (False, 100, True, 12)
    assert [(line.label, line.p) for line in found.lines] == [
        ("Pooling", 0.5), ("Method C", 0.5), ("Pooling", 0.8), ("Method C", 0.8)
    ]  # fmt: skip
    made = trajectories(campaign, "C", 0.5, 12, lambda draw: None)
    line = found.lines[1]
    assert line.residuals == pytest.approx(np.mean([one.residual for one in made], axis=0))
    reached = sorted(judgments_until(one, one.residual, 0.5, rising=False) or 0 for one in made)
    assert line.residual.number.median == int(np.ceil(reached[PLAN_DRAWS // 2]))
    assert line.residual.hours == pytest.approx((2 * 6 + line.residual.number.median * 0.5) / 60)
    # Nothing was judged.
    assert not campaign.judgments.exists()


def test_relevance_is_the_same_whatever_p_orders_the_pool(campaign: Campaign) -> None:
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    other = replays._arrays(live, campaign, 0.3)
    rates = RelevanceRates(live.state.setting)
    one, another = (
        {
            (topic, int(document)): gain
            for topic in range(len(live.plan.topics))
            for document, gain in zip(
                arrays.pools[topic].documents,
                simulated_gains(live.state, arrays.pools, rates, (1, 0))(topic),
                strict=True,
            )
        }
        for arrays in (live.arrays, other)
    )
    assert one == another
    assert set(one.values()) == {0.0, 1.0}


def test_what_is_judged_keeps_its_gain() -> None:
    campaign = make_campaign("Small")
    grace = Api(campaign, "Small-grace")
    for docno, grade in (("a", 1), ("b", 0)):
        assert grace.judge("1", docno, grade).status_code == 201
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    known = live.state.setting.judgments.gains_of(0)
    rates = RelevanceRates(live.state.setting)
    for draw in range(5):
        gains = simulated_gains(live.state, live.arrays.pools, rates, (1, draw))(0)
        assert gains[~np.isnan(known)].tolist() == known[~np.isnan(known)].tolist()
    assert sorted(known[~np.isnan(known)].tolist()) == [0.0, 0.5]


def test_one_long_look_at_a_time_and_what_falls_silent_is_taken_up(campaign: Campaign) -> None:
    planner.request_plan(campaign=campaign, methods=["A"], ps=[0.8], budget=5)
    assert planner.unfinished_plans() == []
    long_ago = timezone.now() - timedelta(minutes=1)
    Outlook.objects.update(updated=long_ago)
    assert planner.unfinished_plans() == [campaign.id]
    all_steps(campaign)
    Outlook.objects.update(updated=long_ago)
    assert planner.unfinished_plans() == []
    with try_campaign_lock(Space.ADVICE, ALL_CAMPAIGNS) as alone:
        assert alone
    assert not planner.step(campaign.id)


def test_another_question_lets_the_first_go(campaign: Campaign) -> None:
    planner.request_plan(campaign=campaign, methods=["A", "B"], ps=[0.8], budget=5)
    assert planner.step(campaign.id)
    planner.request_plan(campaign=campaign, methods=["pooling"], ps=[0.8], budget=6)
    all_steps(campaign)
    content = PlanContent.from_json(Outlook.objects.get().content)
    assert content.request.lines == (("pooling", 0.8),)
    assert [len(found) for found in content.trajectories] == [PLAN_DRAWS]
    assert content.trajectories[0][0].judged[-1] == 6


@pytest.mark.parametrize(
    ("methods", "ps", "budget", "field"),
    [
        (["cal"], [0.8], 5, "methods"),
        ([], [0.8], 5, "methods"),
        (["A", "B", "C"], [0.5, 0.8, 0.9], 5, "methods"),
        (["A"], [1.0], 5, "p"),
        (["A"], [0.8], 0, "budget"),
        (["A"], [0.8], 10_001, "budget"),
    ],
)
def test_what_cannot_be_asked(
    campaign: Campaign, methods: list[str], ps: list[float], budget: int, field: str
) -> None:
    with pytest.raises(Refusal) as refused:
        planner.request_plan(campaign=campaign, methods=methods, ps=ps, budget=budget)
    assert refused.value.field == field
    assert not Outlook.objects.exists()


def test_a_campaign_too_large_says_so(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "is_large", lambda live: True)
    planner.request_plan(campaign=campaign, methods=["A"], ps=[0.8], budget=5)
    assert all_steps(campaign) == 1
    assert "too large to be replayed" in words(signed_in("Small-ada").get(PAGE))


def words(reply: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def test_the_page(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    assert "Choose methods and a budget" in words(ada.get(PAGE))
    asked = ada.post(PAGE, ASKED)
    assert (asked.status_code, asked["Location"]) == (302, PAGE)
    assert "Replaying: 0%" in words(ada.get(PAGE))
    all_steps(campaign)
    page = ada.get(PAGE, {"residual": "0.5", "tau": "0.2", "topic_minutes": "6", "minutes": "0.5"})
    assert "Replaying" not in words(page)
    assert "Residual 0.5 Hours τ 0.2 Hours" in words(page)
    assert page.content.count(b"<polyline") == 4
    assert "To depth 1 2 5" in words(page)
    assert "Beyond the 0 documents judged, 12 at most: medians of nine simulations" in words(page)
    # Pooling's residual hangs on no judgment.
    cells = re.findall(r"<td.*?</td>", page.content.decode().split("Pooling</th>")[1], re.DOTALL)
    assert " to " not in cells[1]
    fragment = ada.get(PAGE + "found/")
    assert b"<html" not in fragment.content
    with CaptureQueriesContext(connection) as before:
        ada.get(PAGE)
    ada.post(PAGE, {**ASKED, "methods": ["pooling", "A", "B", "C"], "p": "0.5 0.8"})
    all_steps(campaign)
    with CaptureQueriesContext(connection) as after:
        ada.get(PAGE)
    assert len(before) == len(after)


@pytest.fixture
def judged() -> Campaign:
    """Three documents of topic 1, one of them judged twice, and a run that takes no part."""
    campaign = make_campaign("Small")
    grace = Api(campaign, "Small-grace")
    for docno, grade in (("a", 2), ("b", 0), ("h", 1), ("a", 1)):
        assert grace.judge("1", docno, grade).status_code == 201
    withdraw(run=campaign.runs.get(tag="z"))
    recompute(campaign.id)
    campaign.refresh_from_db()
    return campaign


def test_a_plan_begins_with_the_present_figures(judged: Campaign) -> None:
    planner.request_plan(campaign=judged, methods=["pooling", "C"], ps=[judged.p], budget=8)
    assert planner.step(judged.id)
    # What is judged between two lines is in neither.
    assert Api(judged, "Small-grace").judge("2", "k", 1).status_code == 201
    all_steps(judged)
    found = outlook_of(campaign=judged, targets=TARGETS)
    assert found is not None
    assert found.start == PlanStart(as_of=4, judged=3, unbegun=1)
    assert (found.since, found.still) == (1, 5)
    ranges = score_ranges_of(campaign=judged)
    present = np.mean([row.top - row.base for row in ranges if row.run != "z"])
    for line in found.lines:
        assert line.judged[0] == 3
        assert line.residuals[0] == pytest.approx(present)
        assert line.end[0] == 8
        assert line.residual.number.median is None or line.residual.number.median <= 5


def test_judgments_and_hours_are_those_still_to_make(judged: Campaign) -> None:
    planner.request_plan(campaign=judged, methods=["pooling"], ps=[judged.p], budget=9)
    all_steps(judged)

    def planned(residual: float) -> PlannerLine:
        found = outlook_of(campaign=judged, targets=replace(TARGETS, residual=residual))
        assert found is not None
        return found.lines[0]

    means = planned(0.5).residuals
    line = planned(means[3])
    assert line.judged[3] == 6
    assert line.residual.number.median == 3
    # One topic has no judgment.
    assert line.residual.hours == pytest.approx((6 + 3 * 0.5) / 60)
    # What is reached already takes no judgment.
    assert planned(means[0]).residual.number.median == 0


def test_where_the_maximum_does_not_reach_a_target_the_page_says_what_it_does(judged: Campaign) -> None:
    ada = signed_in("Small-ada")
    assert ada.get(PAGE).context["ask"].initial["budget"] == 1003
    refused = ada.post(PAGE, ASKED | {"budget": "3"})
    assert refused.status_code == 400
    assert "the maximum is 4 to 10,003, judgments already made included" in words(refused)
    assert ada.post(PAGE, ASKED | {"methods": ["pooling"], "budget": "5"}).status_code == 302
    all_steps(judged)
    found = outlook_of(campaign=judged, targets=TARGETS)
    assert found is not None
    _, residual, _ = found.lines[0].end
    shown = words(ada.get(PAGE, {"residual": "0.01"}))
    assert "log entry 4" in shown
    assert "Beyond the 3 documents judged, 2 at most" in shown
    assert f"more ({score(residual)} after 2)" in shown
    assert "since this plan" not in shown
    assert Api(judged, "Small-grace").judge("2", "k", 1).status_code == 201
    assert "1 log entry has come since this plan" in words(ada.get(PAGE))


def test_plans_of_an_older_version_have_no_figures(campaign: Campaign) -> None:
    planner.request_plan(campaign=campaign, methods=["A"], ps=[0.8], budget=5)
    all_steps(campaign)
    row = Outlook.objects.get()
    del row.content["start"]
    row.save()
    found = outlook_of(campaign=campaign, targets=TARGETS)
    assert found is not None
    assert (found.lines, found.current) == ([], False)


def test_too_wide_a_range_is_not_shown(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    planner.request_plan(campaign=campaign, methods=["C"], ps=[0.8], budget=12)
    all_steps(campaign)
    ada = signed_in("Small-ada")
    assert not re.search(r"Method C 0\.8 not yet known", words(ada.get(PAGE, {"residual": "0.8"})))
    monkeypatch.setattr(planning, "WIDEST_RANGE", 0.5)
    shown = words(ada.get(PAGE, {"residual": "0.8"}))
    assert re.search(r"Method C 0\.8 not yet known", shown)
    assert "the high end is more than ten times the low end" in shown


@pytest.mark.parametrize(
    "wrong", [{"methods": ["best"]}, {"methods": []}, {"p": "1.5"}, {"p": "x"}, {"p": ""}, {"budget": "0"}]
)
def test_a_wrong_question_changes_nothing(campaign: Campaign, wrong: dict[str, Any]) -> None:
    reply = signed_in("Small-ada").post(PAGE, ASKED | wrong)
    assert reply.status_code == 400
    assert b"errorlist" in reply.content
    assert not Outlook.objects.exists()


@pytest.mark.parametrize("wrong", ["nan", "-1", "x", ""])
def test_a_wrong_wish_is_told(campaign: Campaign, wrong: str) -> None:
    assert signed_in("Small-ada").get(PAGE, {"minutes": wrong}).status_code == 400


def test_who_may_plan_and_how(campaign: Campaign) -> None:
    make_campaign("Other", opened=False)
    for path in (PAGE, PAGE + "found/"):
        assert signed_in("Other-ada").get(path).status_code == 404
        assert signed_in("Small-grace").get(path).status_code == 403
        assert signed_in("Small-ada").put(path).status_code == 405
    assert signed_in("Small-ada").post(PAGE + "found/").status_code == 405
    assert signed_in("Other-ada").post(PAGE, ASKED).status_code == 404
    assert not Outlook.objects.exists()


def test_without_runs_it_says_what_to_do() -> None:
    campaign = make_campaign("Bare", {}, opened=False)
    assert "It needs topics and runs" in words(signed_in("Bare-ada").get("/campaigns/bare/planner/"))
    with pytest.raises(Refusal, match="needs topics and runs"):
        planner.request_plan(campaign=campaign, methods=["A"], ps=[0.8], budget=5)


@pytest.mark.parametrize(
    ("wrong", "english", "german"),
    [
        ({"code": "too_large"}, "too large to be replayed", "zu groß, um hier"),
        (
            {"code": "method_refused", "method": "A", "said": "no rank"},
            "Method A cannot be tried on these runs: no rank",
            "lässt sich an diesen Runs nicht erproben: no rank",
        ),
        ("As it was stored once.", "As it was stored once.", "As it was stored once."),
    ],
)
def test_what_went_wrong_is_told_in_the_readers_language(
    campaign: Campaign, wrong: Any, english: str, german: str
) -> None:
    content = {"lines": [["A", 0.8]], "budget": 10, "found": [], "pool": [], "wrong": wrong}
    Outlook.objects.create(campaign=campaign, state="failed", content=content, configuration=1)
    ada = signed_in("Small-ada")
    with translation.override("en"):
        assert english in ada.get(PAGE).content.decode()
        assert german in ada.get(PAGE, headers={"accept-language": "de"}).content.decode()
