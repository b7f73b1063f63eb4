"""Results of the planner, for its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Outlook
from campaigns.models.campaign import Method
from campaigns.stopping.advice_content import PlanContent, PlanProblem, PlanStart
from campaigns.stopping.planner import FINISHED_STATES
from evaluation.arrays import FloatArray
from selection.simulation.planning import PlannedNumber, PlannedTrajectory, PlanTarget, planned_number


@dataclass(frozen=True)
class PlannerTargets:
    """`topic_minutes` to develop a topic, `minutes` for a judgment."""

    residual: float
    tau: float
    topic_minutes: float
    minutes: float


@dataclass(frozen=True)
class PlannedEffort:
    """`hours` of the median, the development of topics without a judgment included; None where there is no
    median."""

    number: PlannedNumber
    hours: float | None


@dataclass(frozen=True, eq=False)
class PlannerLine:
    """One method with one p. `judged`, those of the start included, and the means of `residuals` and `taus`
    make its curves; the last of each is where it ends."""

    label: str
    p: float
    residual: PlannedEffort
    tau: PlannedEffort
    judged: list[int]
    residuals: list[float]
    taus: list[float | None]

    @property
    def still(self) -> int:
        """Judgments from its first point to its last."""
        return self.judged[-1] - self.judged[0]

    @property
    def end(self) -> tuple[int, float, float | None]:
        return self.judged[-1], self.residuals[-1], self.taus[-1]


@dataclass(frozen=True, eq=False)
class PlannerOutlook:
    """`percent` of the replays made; `current`: whether of the present runs and settings. `budget`: most
    judgments, those of the `start` included; `since`: log entries that came after it."""

    running: bool
    percent: int
    current: bool
    wrong: str
    budget: int
    pool: list[tuple[int, int]]
    lines: list[PlannerLine]
    start: PlanStart | None
    since: int

    @property
    def still(self) -> int:
        """Judgments from the start to the maximum."""
        # Judgments may have come before it began.
        return max(self.budget - (self.start.judged if self.start else 0), 1)


def outlook_of(*, campaign: Campaign, targets: PlannerTargets) -> PlannerOutlook | None:
    """None where nothing was asked for."""
    row = Outlook.objects.filter(campaign=campaign).first()
    if row is None:
        return None
    content = PlanContent.from_json(row.content)
    start, budget = content.start, content.request.budget
    return PlannerOutlook(
        running=row.state not in FINISHED_STATES,
        percent=int(100 * row.done / max(row.total, 1)),
        current=row.configuration == campaign.configuration and bool(start or not content.trajectories),
        wrong=_in_words(content.problem),
        budget=budget,
        pool=list(content.pool),
        lines=[
            _line(method, p, courses, targets, start.unbegun, budget)
            for (method, p), courses in zip(content.request.lines, content.trajectories, strict=False)
            if courses and start
        ],
        start=start,
        since=length_of(campaign=campaign) - start.as_of if start else 0,
    )


def _in_words(problem: PlanProblem | None) -> str:
    """In the reader's language, but for what was stored as a sentence."""
    if problem is None:
        return ""
    if problem.code == "too_large":
        return gettext("This campaign is too large to be replayed here.")
    if problem.code == "all_relevant":
        return gettext("All judgments, or almost all, are relevant: nothing can be simulated from them.")
    if problem.code == "none_relevant":
        return gettext("No judgment is relevant: nothing can be simulated from them.")
    if not problem.code:
        return problem.said
    names = {"method": Method(problem.method).label, "said": problem.said}
    return gettext("%(method)s cannot be tried on these runs: %(said)s") % names


def _line(
    method: str,
    p: float,
    courses: Sequence[PlannedTrajectory],
    targets: PlannerTargets,
    unbegun: int,
    budget: int,
) -> PlannerLine:
    points = min(len(course.judged) for course in courses)
    residual, tau = (
        _reach(planned_number(target, courses, budget), targets, unbegun)
        for target in (PlanTarget("residual", targets.residual), PlanTarget("tau", targets.tau))
    )
    return PlannerLine(
        str(Method(method).label),
        p,
        residual,
        tau,
        courses[0].judged[:points].tolist(),
        np.mean([course.residual[:points] for course in courses], axis=0).tolist(),
        _means([course.tau[:points] for course in courses]),
    )


def _means(courses: list[FloatArray]) -> list[float | None]:
    """Means of trajectories; None where one of them has no tau yet."""
    return [None if np.isnan(mean) else float(mean) for mean in np.mean(courses, axis=0)]


def _reach(number: PlannedNumber, targets: PlannerTargets, unbegun: int) -> PlannedEffort:
    if number.median is None:
        return PlannedEffort(number, None)
    return PlannedEffort(number, (unbegun * targets.topic_minutes + number.median * targets.minutes) / 60)
