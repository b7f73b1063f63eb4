"""Whether the planner comes true: on campaigns held again, whose outcome is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import IntArray
from selection.calibration import Outcome
from selection.forecast import Forecast
from selection.imagined import DRAWS, imagined_courses
from selection.past_campaigns import Known, Setting, Topic, draw_setting, known_campaign
from selection.planning import Course, course_of
from selection.state import CampaignState
from selection.wishes import Wish, median_and_ends

METHODS = ("pooling", "A", "C", "maxmean")
BUDGET = 1500


WISHES = (
    *(Wish("residual", wanted) for wanted in (0.3, 0.2, 0.1, 0.05)),
    *(Wish("tau", wanted) for wanted in (0.7, 0.8, 0.9)),
)


@dataclass(frozen=True, kw_only=True)
class PlanCase(Outcome):
    """`known`: the judgments by which it was planned."""

    setting: Setting
    known: int
    method: str
    wish: Wish


def plan_cases(campaign: Known, *, seed: int, draws: int = DRAWS, budget: int = BUDGET) -> list[PlanCase]:
    """What is planned before the first judgment, and once the setting's judgments are made, for each method
    and wish; and what came of it. Nothing once everything is judged."""
    setting, made = campaign.setting, list[PlanCase]()
    now = campaign.moment()
    if now is None:
        return made
    for method in METHODS:
        truth = course_of(campaign.state(method), campaign.gains, budget=budget)
        for known, state in ((0, campaign.state()), (setting.judged, now)):
            courses = list(_imagined(campaign, state, method, seed=seed, draws=draws, budget=budget))
            made += [
                PlanCase(
                    forecast=_planned(wish, courses, budget),
                    true=_whole(wish.reached(truth)),
                    setting=setting,
                    known=known,
                    method=method,
                    wish=wish,
                )
                for wish in WISHES
            ]
    return made


def _imagined(
    campaign: Known, now: CampaignState, method: str, *, seed: int, draws: int, budget: int
) -> Iterator[Course]:
    return imagined_courses(now, lambda: campaign.state(method), budget=budget, seed=seed, draws=draws)


def _planned(wish: Wish, courses: Sequence[Course], budget: int) -> Forecast:
    reached = [wish.reached(course) for course in courses]
    low, median, high = median_and_ends(reached)
    passed = float(np.mean([one is not None for one in reached]))
    return Forecast(median, low, high, budget, len(courses), passed, 0.0)


def _whole(reached: float | None) -> int | None:
    return None if reached is None else int(np.ceil(reached))


def drawn_plans(
    topics: Sequence[Topic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    draws: int = DRAWS,
    budget: int = BUDGET,
    progress: Callable[[int], object] = lambda made: None,
) -> Iterator[PlanCase]:
    """Of so many campaigns drawn among these runs and topics; the same seed, the same cases."""
    generator = np.random.default_rng(seed)
    for number in range(campaigns):
        campaign = known_campaign(topics, draw_setting(generator, *among))
        yield from plan_cases(campaign, seed=seed + number, draws=draws, budget=budget)
        progress(number + 1)
