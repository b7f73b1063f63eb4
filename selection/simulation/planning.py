"""Plans of further judging: trajectories of simulated campaigns from the judgments made on, and the points at
which they reach a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.weights import rank_weights
from selection.pool import Pools
from selection.simulation.forecast import low_median_high
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience
from selection.simulation.relevance.relevance_model import RelevanceRates
from selection.state import CampaignState


@dataclass(frozen=True, eq=False)
class PlannedTrajectory:
    """After each of some numbers of judgments (points,): the mean residual of all runs, and Kendall's tau-b
    between the runs by base and by their score were everything judged; NaN where all are equal. It ends
    where the method has no more to ask."""

    judged: IntArray
    residual: FloatArray
    tau: FloatArray


def trajectory_of(
    state: CampaignState,
    gains: Callable[[int], FloatArray],
    *,
    budget: int,
    points: int = 40,
    judged: int | None = None,
    compared: IntArray | None = None,
) -> PlannedTrajectory:
    """Let the state's method ask and drawn relevance answer.

    Parameters
    ----------
    state : CampaignState
        With the judgments made so far; is judged further.
    gains : callable
        Of a topic: gains (documents,) in [0, 1] by pool index. Called once for each topic.
    budget : int
        Most judgments, those made so far included.
    points : int
        How many numbers of judgments are looked at, evenly spaced, beside the present one.
    judged : int, optional
        Judgments made so far, where some are of documents outside the pools; by default those of the state.
    compared : int array (k,), optional
        Indices of the runs that the residual is a mean of, and tau is between; by default all.

    Raises
    ------
    ValueError
        If budget or points is below 1.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.array([7, 9]), np.array([9])], 0.5, both)
    >>> from selection.specification import CampaignSpec
    >>> spec = CampaignSpec(runs=2, p=0.5, method="A", scope="campaign", contributing=both)
    >>> state = CampaignState([pool], spec)
    >>> trajectory = trajectory_of(state, lambda topic: np.ones(2), budget=2, points=2)
    >>> trajectory.judged.tolist(), trajectory.residual.tolist()
    ([0, 1, 2], [1.0, 0.625, 0.375])
    """
    for name, value in {"budget": budget, "points": points}.items():
        if value < 1:
            raise ValueError(f"{name} = {value} is below 1")
    runs = slice(None) if compared is None else compared
    judged = judged_documents(state) if judged is None else judged
    relevant: dict[int, dict[int, float]] = {}

    def made_once(topic: int) -> FloatArray:
        made = gains(topic)
        at = np.flatnonzero(made)
        relevant[topic] = dict(zip(at.tolist(), made[at].tolist(), strict=True))
        return made

    final = complete_scores(state.pools, state.setting.runs, state.setting.p, made_once)
    asked = set(np.linspace(judged, max(budget, judged), points + 1).round().astype(int).tolist())
    rows: list[tuple[int, float, float]] = []
    while True:
        choice = state.best() if judged < budget else None
        if judged in asked or choice is None:
            base, residual = (of[runs] for of in state.mean_bounds())
            rows.append((judged, float(residual.mean()), tau_b(base, final[runs])))
        if choice is None:
            break
        state.judge(choice.topic, choice.document, relevant[choice.topic].get(choice.document, 0.0))
        judged += 1
    table = np.array(rows).reshape(-1, 3)
    return PlannedTrajectory(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])


def judged_documents(state: CampaignState) -> int:
    """Number of documents of the pools with a gain."""
    return sum(len(state.setting.judgments.judged_in(topic)) for topic in range(len(state.pools)))


def with_judgments(now: CampaignState, fresh: CampaignState) -> CampaignState:
    """`fresh`, judged as `now` is; its pools hold the same documents, perhaps in another order."""
    for topic, pool in enumerate(now.pools):
        known = now.setting.judgments.gains_of(topic)
        at = np.flatnonzero(~np.isnan(known))
        ids = fresh.pools[topic].documents
        order = np.argsort(ids)
        places = order[np.searchsorted(ids[order], pool.documents[at])]
        for place, gain in zip(places.tolist(), known[at].tolist(), strict=True):
            fresh.judge(topic, place, gain)
    return fresh


def complete_scores(pools: Pools, runs: int, p: float, gains: Callable[[int], FloatArray]) -> FloatArray:
    """float64 (runs,), RBP as a mean over topics were every ranked document judged."""
    total = np.zeros(runs)
    for scores in complete_topic_scores(pools, runs, p, gains):
        total += scores
    return total / max(len(pools), 1)


def complete_topic_scores(
    pools: Pools, runs: int, p: float, gains: Callable[[int], FloatArray]
) -> list[FloatArray]:
    """float64 (runs,) for each topic, RBP were every ranked document judged."""
    weights = rank_weights(p, pools.depth)
    scores: list[FloatArray] = []
    for topic, pool in enumerate(pools):
        earned = np.repeat(gains(topic), np.diff(pool.start)) * weights[pool.rank - 1]
        scores.append(np.bincount(pool.run, earned, runs).astype(np.float64))
    return scores


def tau_b(one: FloatArray, other: FloatArray) -> float:
    """Kendall's tau-b of scores (runs,) at 12 decimals; NaN where either has all its values equal."""
    # scipy's kendalltau differs in the last bit and takes eight times as long; trajectories call this often.
    signs = [np.sign(np.subtract.outer(x, x)) for x in (np.round(one, 12), np.round(other, 12))]
    pairs = [float((sign**2).sum()) for sign in signs]
    if not all(pairs):
        return float("nan")
    return float((signs[0] * signs[1]).sum() / np.sqrt(pairs[0] * pairs[1]))


POOL_DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def pool_sizes(state: CampaignState) -> list[tuple[int, int]]:
    """Depth, and how many documents of all topics a contributing run ranks so deep or higher; no deeper
    than anything is ranked."""
    deepest = state.pools.depth
    depths = [depth for depth in POOL_DEPTHS if depth < deepest] + [deepest]
    counts = np.zeros(len(depths), dtype=np.int64)
    for pool in state.pools:
        rank = np.where(state.setting.contributing[pool.run], pool.rank, deepest + 1)
        if len(pool):
            best = np.minimum.reduceat(np.r_[rank, deepest + 1], pool.start[:-1])
            best[np.diff(pool.start) == 0] = deepest + 1
            counts += [int(np.count_nonzero(best <= depth)) for depth in depths]
    return list(zip(depths, counts.tolist(), strict=True))


Gains = Callable[[int], FloatArray]
# Simulations of a plan: the least number of which the least and the greatest hold 80%.
PLAN_DRAWS = 9
# A plan reaches so many judgments beyond those made, unless another maximum is asked for.
FURTHER_JUDGMENTS = 1000


def simulated_trajectories(
    now: CampaignState,
    begun: CampaignState,
    *,
    budget: int,
    seed: int,
    draws: int = PLAN_DRAWS,
    experience: Experience = NO_EXPERIENCE,
    judged: int | None = None,
    compared: IntArray | None = None,
) -> Iterator[PlannedTrajectory]:
    """Simulate trajectories of a campaign from its judgments on, one after the other.

    Parameters
    ----------
    now : CampaignState
        The campaign as it stands: the rates of relevance are fitted to its judgments, and what is judged
        keeps its gain. Is not changed.
    begun : CampaignState
        The same runs, topics and documents, by the method that is to be tried, with the judgments made
        (`with_judgments`); of another persistence, its pools are in another order. Is not changed.
    budget, seed, draws : int
        Most judgments, those made included; the seed; how many trajectories. The same seed makes the same
        documents relevant, whatever the method and the persistence.
    experience : Experience
        What finished campaigns showed.
    judged, compared
        As for `trajectory_of`.
    """
    rates = RelevanceRates(now.setting, experience)
    for draw in range(draws):
        state = begun.copy()
        gains = simulated_gains(now, state.pools, rates, (seed, draw))
        yield trajectory_of(state, gains, budget=budget, judged=judged, compared=compared)


def simulated_gains(now: CampaignState, pools: Pools, rates: RelevanceRates, seeds: tuple[int, int]) -> Gains:
    """Function that gives one draw's gains (documents,) of a topic, in [0, 1] by index in `pools`."""
    setting = now.setting
    effects = rates.drawn(np.random.default_rng(seeds))

    def of(topic: int) -> FloatArray:
        key = setting.keys[topic] if setting.keys else topic
        drawn = rates.gains(topic, effects, np.random.default_rng((*seeds, key)))
        known = setting.judgments.gains_of(topic)
        gains = np.where(np.isnan(known), drawn, known)
        if pools is setting.pools:
            return gains
        ids, wanted = setting.pools[topic].documents, pools[topic].documents
        order = np.argsort(ids)
        return np.asarray(gains[order[np.searchsorted(ids[order], wanted)]])

    return of


@dataclass(frozen=True)
class PlanTarget:
    """A mean residual that is not above `wanted`, or a tau not below it."""

    kind: Literal["residual", "tau"]
    wanted: float

    def reached(self, trajectory: PlannedTrajectory) -> float | None:
        """After how many judgments beyond those that the trajectory begins with."""
        values = trajectory.tau if self.kind == "tau" else trajectory.residual
        number = judgments_until(trajectory, values, self.wanted, rising=self.kind == "tau")
        return None if number is None else number - float(trajectory.judged[0])


def judgments_until(
    trajectory: PlannedTrajectory, values: FloatArray, wanted: float, *, rising: bool
) -> float | None:
    """Judgments until a trajectory reaches `wanted` and stays, interpolated between its points; None if
    never.

    Examples
    --------
    >>> from selection.simulation.planning import PlannedTrajectory
    >>> residual, tau = np.array([1.0, 0.5, 0.25]), np.array([np.nan, 0.6, 0.8])
    >>> trajectory = PlannedTrajectory(np.array([0, 10, 20]), residual, tau)
    >>> judgments_until(trajectory, trajectory.residual, 0.375, rising=False)
    15.0
    """
    gap = np.nan_to_num((values - wanted) * (1 if rising else -1), nan=-np.inf)
    below = np.flatnonzero(gap < 0)
    at = int(below[-1]) + 1 if len(below) else 0
    if at == len(values):
        return None
    if at == 0 or not np.isfinite(gap[at - 1]):
        return float(trajectory.judged[at])
    share = -gap[at - 1] / (gap[at] - gap[at - 1])
    return float(trajectory.judged[at - 1] + share * (trajectory.judged[at] - trajectory.judged[at - 1]))


# A range of which the high end is more than so many times the low end says nothing that helps to decide.
WIDEST_RANGE = 10


@dataclass(frozen=True)
class PlannedNumber:
    """Judgments still to make until a target: the median of the simulations, and the ends that
    `low_median_high` gives; None: more than `budget`, which are also still to make. `reached` is the share of
    simulations that got there."""

    median: int | None
    low: int | None
    high: int | None
    budget: int
    reached: float

    @property
    def tells(self) -> bool:
        """True if the range is narrow enough to be stated: within a factor of `WIDEST_RANGE`."""
        high = self.budget if self.high is None else self.high
        return self.low is None or high <= WIDEST_RANGE * max(self.low, 1)


def planned_number(
    target: PlanTarget, trajectories: Sequence[PlannedTrajectory], budget: int
) -> PlannedNumber:
    """Judgments until simulated trajectories, each of at most `budget` judgments including those made before,
    reach a target.

    Raises
    ------
    ValueError
        If there are no trajectories.

    Examples
    --------
    >>> from selection.simulation.planning import PlanTarget, PlannedTrajectory
    >>> early = PlannedTrajectory(np.array([0, 10]), np.array([1.0, 0.5]), np.array([np.nan, 0.9]))
    >>> never = PlannedTrajectory(np.array([0, 10]), np.array([1.0, 0.8]), np.array([np.nan, 0.2]))
    >>> found = planned_number(PlanTarget("residual", 0.5), [early, early, never], budget=10)
    >>> found.median, found.low, found.high, found.tells
    (10, 10, None, True)
    """
    reached = [target.reached(trajectory) for trajectory in trajectories]
    ends = low_median_high([np.inf if value is None else float(np.ceil(value)) for value in reached])
    low, median, high = (None if np.isinf(value) else int(value) for value in ends)
    still = budget - int(trajectories[0].judged[0])
    return PlannedNumber(median, low, high, still, sum(value is not None for value in reached) / len(reached))
