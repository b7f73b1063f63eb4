"""Plans of judging from files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection
from evaluation.arrays import BoolArray
from selection.framework.interface import SelectionScope
from selection.pool import Pools, build_topic_pool
from selection.randomness import topic_key
from selection.simulation.planning import (
    FURTHER_JUDGMENTS,
    PlannedTrajectory,
    PlanTarget,
    planned_number,
    pool_sizes,
    simulated_trajectories,
    with_judgments,
)
from selection.specification import CampaignSpec
from selection.state import CampaignState


@dataclass(frozen=True)
class PlanningRequest:
    """`budget`: most judgments, those known included. `minutes` to develop a topic, `seconds` for a
    judgment."""

    methods: Sequence[str]
    ps: Sequence[float]
    targets: Sequence[PlanTarget]
    budget: int | None
    draws: int
    seed: int
    scope: SelectionScope
    minutes: float
    seconds: float

    def hours(self, judgments: float, topics: int) -> float:
        return (topics * self.minutes + judgments * self.seconds / 60) / 60


@dataclass(frozen=True, eq=False)
class MethodTrajectories:
    """The simulations of one method with one persistence."""

    method: str
    p: float
    trajectories: Sequence[PlannedTrajectory]


class Planner:
    """Plans for the topics of these files: they begin with what is judged in them, all else is simulated.
    `unbegun`: topics in which nothing is judged."""

    def __init__(
        self, campaign: JudgedCollection, grading: Grading, asked: PlanningRequest, contributing: BoolArray
    ) -> None:
        self._campaign, self._asked, self._contributing = campaign, asked, contributing
        self._pools = {p: self._made_pools(p) for p in asked.ps}
        self._now = self._fresh("A", asked.ps[0])
        self.judged = self.relevant = self.unbegun = 0
        for index, (topic, pool) in enumerate(zip(campaign.topics, self._now.pools, strict=True)):
            gains = topic.gains(grading)[pool.documents]
            self.unbegun += bool(np.isnan(gains).all())
            for document in np.flatnonzero(~np.isnan(gains)).tolist():
                self._now.judge(index, document, float(gains[document]))
                self.judged += 1
                self.relevant += bool(gains[document] > 0)

        budget = self.judged + FURTHER_JUDGMENTS if asked.budget is None else asked.budget
        if budget <= self.judged:
            raise ValueError(f"a maximum of {budget} judgments is not above the {self.judged} made")
        self.budget = budget

    def plans(self, progress: Callable[[], object] = lambda: None) -> Iterator[MethodTrajectories]:
        """In the order asked; `progress` is called after each simulation.

        Raises ValueError, naming the method, for one that refuses these runs.
        """
        asked = self._asked
        for p in asked.ps:
            for method in asked.methods:
                try:
                    yield MethodTrajectories(method, p, list(self._trajectories(method, p, progress)))
                except ValueError as error:
                    raise ValueError(f"{method}: {error}") from error

    def pool(self) -> list[dict[str, int]]:
        """Number of documents that pooling to each depth would have judged."""
        return [{"depth": depth, "documents": size} for depth, size in pool_sizes(self._now)]

    def _trajectories(
        self, method: str, p: float, progress: Callable[[], object]
    ) -> Iterator[PlannedTrajectory]:
        asked = self._asked
        for trajectory in simulated_trajectories(
            self._now,
            with_judgments(self._now, self._fresh(method, p)),
            budget=self.budget,
            seed=asked.seed,
            draws=asked.draws,
        ):
            yield trajectory
            progress()

    def _fresh(self, method: str, p: float) -> CampaignState:
        return CampaignState(
            self._pools[p],
            CampaignSpec(
                runs=len(self._campaign.runs),
                p=p,
                method=method,
                scope=self._asked.scope,
                contributing=self._contributing,
                seed=self._asked.seed,
                keys=[topic_key(topic.number) for topic in self._campaign.topics],
            ),
        )

    def _made_pools(self, p: float) -> Pools:
        pools = [build_topic_pool(topic.rankings, p, self._contributing) for topic in self._campaign.topics]
        return Pools.of(pools)


def target_lines(
    plans: Sequence[MethodTrajectories], asked: PlanningRequest, planner: Planner
) -> list[dict[str, Any]]:
    """For each target the judgments still to make: the median of the simulations, the lowest and the highest;
    None: more than the budget. Where the range is too wide to be stated, `tells` is False, and there is no
    number."""
    lines = []
    for target in asked.targets:
        for one in plans:
            plan = planned_number(target, one.trajectories, planner.budget)
            numbers = {"judgments": plan.median, "low": plan.low, "high": plan.high}
            if not plan.tells:
                numbers = dict.fromkeys(numbers)
            median = numbers["judgments"]
            hours = None if median is None else asked.hours(median, planner.unbegun)
            line = {"wanted": f"{target.kind} {target.wanted:g}", "method": one.method, "p": one.p}
            lines.append(line | numbers | {"hours": hours, "within": plan.reached, "tells": plan.tells})
    return lines


def budget_lines(
    plans: Sequence[MethodTrajectories], asked: PlanningRequest, planner: Planner
) -> list[dict[str, Any]]:
    """Results of the budget, or of judging everything: means of the simulations, and the judgments still to
    make until then."""
    lines = []
    for one in plans:
        still = float(np.mean([ahead.judged[-1] - ahead.judged[0] for ahead in one.trajectories]))
        tau = float(np.mean([trajectory.tau[-1] for trajectory in one.trajectories]))
        line = {"method": one.method, "p": one.p, "judgments": round(still)}
        line |= {"hours": asked.hours(still, planner.unbegun)}
        line |= {"residual": float(np.mean([trajectory.residual[-1] for trajectory in one.trajectories]))}
        lines.append(line | {"tau": None if np.isnan(tau) else tau})
    return lines
