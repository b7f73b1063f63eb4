"""Plans tried on campaigns whose outcome is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from selection.calibration.coverage import Trial
from selection.calibration.past_campaigns import KnownCampaign, PastTopic, TrialSetting, known_campaign
from selection.calibration.trials import (
    PLAN_TARGETS,
    PLANNED_METHODS,
    PlanCase,
    drawn_plans,
    plan_cases,
    plan_coverage,
)
from selection.simulation.planning import PlannedNumber, PlanTarget, trajectory_of, with_judgments

RUNS, TOPICS = 4, 5


@pytest.fixture
def topics() -> list[PastTopic]:
    rng = np.random.default_rng(3)
    made = []
    for _ in range(TOPICS):
        relevant = rng.random(40) < 0.3
        noise = [rng.normal(size=40) * (0.4 + 0.3 * run) for run in range(RUNS)]
        rankings = [np.argsort(spread - relevant)[:8].astype(np.int32) for spread in noise]
        made.append(PastTopic(rankings, np.where(relevant, 1.0, np.nan)))
    return made


def known(topics: list[PastTopic], judged: int) -> KnownCampaign:
    setting = TrialSetting(tuple(range(RUNS)), tuple(range(TOPICS)), 0.7, "A", "campaign", judged)
    return known_campaign(topics, setting)


def test_before_and_after_for_each_method_and_wish(topics: list[PastTopic]) -> None:
    campaign = known(topics, 12)
    cases = plan_cases(campaign, seed=1, draws=3, budget=60)
    asked = {(case.known, case.method, case.target) for case in cases}
    state = campaign.moment()
    assert state is not None
    for judged, now in ((0, campaign.state()), (12, state)):
        for method in PLANNED_METHODS:
            begun = with_judgments(now, campaign.state(method))
            course = trajectory_of(begun, campaign.gains, budget=60)
            assert course.judged[0] == judged
            reached = {target: target.reached(course) for target in PLAN_TARGETS}
            # What is reached already is not asked.
            assert {target for target in PLAN_TARGETS if (judged, method, target) in asked} == {
                target for target in PLAN_TARGETS if reached[target] != 0
            }
            for case in cases:
                if (case.known, case.method) == (judged, method):
                    of_target = reached[case.target]
                    assert case.true == (None if of_target is None else np.ceil(of_target))
    for case in cases:
        # The order of A hangs on no judgment, and so do its residuals.
        if case.method in ("pooling", "A") and case.target.kind == "residual":
            assert case.forecast.low == case.forecast.median == case.forecast.high == case.true


def test_where_all_is_judged_plans_are_true(topics: list[PastTopic]) -> None:
    every = sum(len(pool) for pool in known(topics, 1).pools)
    cases = [case for case in plan_cases(known(topics, every), seed=1, draws=2, budget=200) if case.known]
    # All else is reached already.
    assert {(case.forecast.median, case.true) for case in cases} == {(None, None)}
    assert {case.side for case in cases} == {0}
    # More than there is to judge: only before the first.
    assert {case.known for case in plan_cases(known(topics, every + 1), seed=1, draws=2)} == {0}


def test_the_same_seed_makes_the_same_cases(topics: list[PastTopic]) -> None:
    among, progress_calls = (np.arange(RUNS), np.arange(TOPICS)), list[int]()
    made = [
        list(drawn_plans(topics, among, campaigns=2, seed=seed, draws=2, progress=progress_calls.append))
        for seed in (1, 1, 2)
    ]
    assert made[0] == made[1] != made[2]
    assert progress_calls == [1, 2] * 3


def case(method: str, planned: int | None, true: int | None, wanted: float = 0.8) -> PlanCase:
    setting = TrialSetting((0, 1), (0,), 0.5, "A", "campaign", 3)
    forecast = PlannedNumber(planned, planned, planned, 1000, 1.0)
    return PlanCase(
        forecast=forecast,
        true=true,
        setting=setting,
        known=0,
        method=method,
        target=PlanTarget("tau", wanted),
    )


def test_rows_count_the_plans_that_tell() -> None:
    cases = [case("A", 30, 60), case("C", 40, 40)]
    wide = replace(case("pooling", 50, 50), forecast=PlannedNumber(50, 5, 51, 1000, 1.0))
    [row] = plan_coverage([*cases, wide], Trial(collection="made", family="", seen=False))
    assert (row.regime, row.cases, row.campaigns) == ("before any judgment", 2, 1)
    assert (row.covered, row.ratio) == (0.5, 0.75)
    assert row.stated == pytest.approx(2 / 3)
