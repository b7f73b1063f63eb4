"""What judging will buy, by method and p: replays under relevance drawn from what is known of the runs."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from campaigns.arrays import CampaignArrays, DocnoOrder, load_campaign
from campaigns.live import LiveCampaign
from campaigns.models import Campaign
from campaigns.plan import make_state
from campaigns.yielding import yielding
from evaluation.arrays import FloatArray
from selection.planning import Course, course_of
from selection.relevance_rates import RelevanceRates
from selection.state import CampaignState, Chosen

DRAWS = 5
Gains = Callable[[int], FloatArray]


def courses(
    campaign: Campaign, method: str, p: float, budget: int, told: Callable[[int], object]
) -> list[Course]:
    """One for each draw; `told` is called after each."""
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    arrays = live.arrays if p == campaign.p else _arrays(live, campaign, p)
    rates, made = RelevanceRates(live.state.setting), []
    # The replays read no rows: what they need is in memory by then.
    for pools in (live.arrays.pools, arrays.pools):
        list(pools)
    for draw in range(DRAWS):
        gains = _gains(live, rates, arrays, (live.seed, draw))
        fresh = _fresh(live, campaign, arrays, method, p)
        made.append(yielding(course_of, fresh, gains, budget=budget))
        told(draw + 1)
    return made


def _arrays(live: LiveCampaign, campaign: Campaign, p: float) -> CampaignArrays:
    other = copy(campaign)
    other.p = p
    return load_campaign(other, topics=live.plan.topics, sort_key=DocnoOrder(campaign.collection_id))


def _fresh(
    live: LiveCampaign, campaign: Campaign, arrays: CampaignArrays, method: str, p: float
) -> CampaignState:
    """The campaign before its first judgment, by one method in all topics."""
    other = copy(campaign)
    other.p, other.method = p, method
    other.options = campaign.options if method == campaign.method else {}
    chosen = (Chosen(method, other.options),) * len(live.plan.topics)
    return make_state(other, replace(live.plan, chosen=chosen, samples={}, texts=None), arrays)


def _gains(
    live: LiveCampaign, rates: RelevanceRates, arrays: CampaignArrays, seeds: tuple[int, int]
) -> Gains:
    """Of a draw: what is judged keeps its gain. The same documents are relevant for every method and p."""
    effects = rates.drawn(np.random.default_rng(seeds))

    def of(topic: int) -> FloatArray:
        drawn = rates.gains(topic, effects, np.random.default_rng((*seeds, live.plan.topics[topic])))
        known = live.state.setting.judgments.gains_of(topic)
        gains = np.where(np.isnan(known), drawn, known)
        if arrays is live.arrays:
            return gains
        ids = live.arrays.pools[topic].documents
        order = np.argsort(ids)
        return np.asarray(gains[order[np.searchsorted(ids[order], arrays.pools[topic].documents)]])

    return of


def as_rows(course: Course) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {
        "judged": course.judged.tolist(),
        "residual": course.residual.tolist(),
        "tau": [None if np.isnan(tau) else tau for tau in course.tau.tolist()],
    }


def from_rows(row: dict[str, Any]) -> Course:
    tau = np.array([np.nan if value is None else value for value in row["tau"]], dtype=np.float64)
    return Course(np.array(row["judged"], dtype=np.int64), np.array(row["residual"]), tau)
