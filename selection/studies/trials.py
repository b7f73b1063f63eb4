"""Whether the planner comes true: on campaigns held again, whose outcome is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.simulation.forecast import Forecast
from selection.simulation.imagined import DRAWS, imagined_courses
from selection.simulation.planning import Course, course_of
from selection.simulation.wishes import Wish, median_and_ends
from selection.state import CampaignState
from selection.studies.calibration import Outcome
from selection.studies.past_campaigns import Known, Setting, Topic, draw_setting, known_campaign

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
    """What is planned before the first judgment and, where there are so many to make, once the setting's
    judgments are made, for each method and wish; and what came of it."""
    setting, made = campaign.setting, list[PlanCase]()
    moments = ((0, campaign.state()), (setting.judged, campaign.moment()))
    for method in METHODS:
        truth = course_of(campaign.state(method), campaign.gains, budget=budget)
        for known, state in moments:
            if state is None:
                continue
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


@dataclass(frozen=True)
class Choices:
    """Of the methods, the one that was planned to need the fewest judgments: `best` is the share of wishes
    for which it did, or a twentieth more at the most, and `cost` the median of what it needed / what the
    best method did. `pairs` is the share of pairs of methods of which the one was planned to need fewer that
    did, where they differed by more than a tenth."""

    best: float | None
    cost: float | None
    pairs: float | None


def choices_of(cases: Sequence[PlanCase]) -> Choices:
    """Of the same kind of wish and known as much. Where none of the methods got there, there is no choice."""
    groups: dict[tuple[Setting, int, Wish], list[PlanCase]] = {}
    for case in cases:
        groups.setdefault((case.setting, case.known, case.wish), []).append(case)
    costs, right = list[float](), list[bool]()
    for group in groups.values():
        planned = np.array([_number(case.forecast.median) for case in group])
        true = np.maximum([_number(case.true) for case in group], 1)
        if np.isfinite(planned.min()) and np.isfinite(true.min()):
            costs.append(float(true[planned.argmin()] / true.min()))
        right += _order_right(planned, true)
    return Choices(
        float(np.mean(np.array(costs) <= 1.05)) if costs else None,
        float(np.median(costs)) if costs else None,
        float(np.mean(right)) if right else None,
    )


def _order_right(planned: FloatArray, true: FloatArray) -> list[bool]:
    """Of each pair that differs; never and never do not."""
    return [
        bool((true[one] < true[other]) == (planned[one] < planned[other]))
        for one, other in combinations(range(len(true)), 2)
        if max(true[one], true[other]) > 1.1 * min(true[one], true[other]) and planned[one] != planned[other]
    ]


def _number(value: int | None) -> float:
    return np.inf if value is None else float(value)
