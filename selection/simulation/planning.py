"""What judging will buy: a campaign held in simulated futures from its first judgment on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.weights import rank_weights
from selection.pools import Pools
from selection.state import CampaignState


@dataclass(frozen=True, eq=False)
class Course:
    """After each of some numbers of judgments (points,): the mean residual of all runs, and Kendall's tau-b
    between the runs by base and by their score were everything judged; NaN where all are equal. It ends
    where the method has no more to ask."""

    judged: IntArray
    residual: FloatArray
    tau: FloatArray


def course_of(
    state: CampaignState,
    gains: Callable[[int], FloatArray],
    *,
    budget: int,
    points: int = 40,
) -> Course:
    """Let the state's method ask and drawn relevance answer.

    Parameters
    ----------
    state : CampaignState
        Without judgments; is judged.
    gains : callable
        Of a topic: gains (documents,) in [0, 1] by pool index. Called once for each topic.
    budget : int
        Judgments at the most.
    points : int
        How many numbers of judgments are looked at, evenly spaced, beside 0.

    Raises
    ------
    ValueError
        If budget or points is below 1.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.array([7, 9]), np.array([9])], 0.5, both)
    >>> state = CampaignState([pool], runs=2, p=0.5, method="A", scope="campaign", contributing=both)
    >>> course = course_of(state, lambda topic: np.ones(2), budget=2, points=2)
    >>> course.judged.tolist(), course.residual.tolist()
    ([0, 1, 2], [1.0, 0.625, 0.375])
    """
    for name, value in {"budget": budget, "points": points}.items():
        if value < 1:
            raise ValueError(f"{name} = {value} is below 1")
    relevant: dict[int, dict[int, float]] = {}

    def made_once(topic: int) -> FloatArray:
        made = gains(topic)
        at = np.flatnonzero(made)
        relevant[topic] = dict(zip(at.tolist(), made[at].tolist(), strict=True))
        return made

    final = complete_scores(state.pools, state.setting.runs, state.setting.p, made_once)
    asked = sorted(set(np.linspace(0, budget, points + 1).round().astype(int).tolist()))
    rows: list[tuple[int, float, float]] = []
    judged = 0
    while True:
        choice = state.best() if judged < budget else None
        if judged in asked or choice is None:
            base, residual = state.mean_bounds()
            rows.append((judged, float(residual.mean()), tau_b(base, final)))
        if choice is None:
            break
        state.judge(choice.topic, choice.document, relevant[choice.topic].get(choice.document, 0.0))
        judged += 1
    table = np.array(rows).reshape(-1, 3)
    return Course(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])


def complete_scores(pools: Pools, runs: int, p: float, gains: Callable[[int], FloatArray]) -> FloatArray:
    """float64 (runs,), RBP as a mean over topics were every ranked document judged."""
    total, weights = np.zeros(runs), rank_weights(p, pools.depth)
    for topic, pool in enumerate(pools):
        earned = np.repeat(gains(topic), np.diff(pool.start)) * weights[pool.rank - 1]
        total += np.bincount(pool.run, earned, runs)
    return total / max(len(pools), 1)


def tau_b(one: FloatArray, other: FloatArray) -> float:
    """Kendall's tau-b, at 12 decimals; NaN where either has all its values equal."""
    signs = [np.sign(np.subtract.outer(x, x)) for x in (np.round(one, 12), np.round(other, 12))]
    pairs = [float((sign**2).sum()) for sign in signs]
    if not all(pairs):
        return float("nan")
    return float((signs[0] * signs[1]).sum() / np.sqrt(pairs[0] * pairs[1]))


DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def pool_sizes(state: CampaignState) -> list[tuple[int, int]]:
    """Depth, and how many documents of all topics a contributing run ranks so deep or higher; no deeper
    than anything is ranked."""
    deepest = state.pools.depth
    depths = [depth for depth in DEPTHS if depth < deepest] + [deepest]
    counts = np.zeros(len(depths), dtype=np.int64)
    for pool in state.pools:
        rank = np.where(state.setting.contributing[pool.run], pool.rank, deepest + 1)
        if len(pool):
            best = np.minimum.reduceat(np.r_[rank, deepest + 1], pool.start[:-1])
            best[np.diff(pool.start) == 0] = deepest + 1
            counts += [int(np.count_nonzero(best <= depth)) for depth in depths]
    return list(zip(depths, counts.tolist(), strict=True))
