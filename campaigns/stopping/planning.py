"""What judging will buy, by method and p: replays under relevance drawn from what is known of the runs."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from campaigns.collection.rankings import DocnoOrder
from campaigns.computing.arrays import CampaignArrays, load_campaign
from campaigns.computing.live import LiveCampaign
from campaigns.computing.topic_methods import make_state
from campaigns.core.background import yielding
from campaigns.models import Campaign
from selection.simulation.planning import Course, imagined_courses
from selection.state import CampaignState, Chosen


def courses(
    campaign: Campaign, method: str, p: float, budget: int, told: Callable[[int], object]
) -> list[Course]:
    """One for each draw; `told` is called after each."""
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    arrays = live.arrays if p == campaign.p else _arrays(live, campaign, p)
    # The replays read no rows: what they need is in memory by then.
    _ = campaign.collection
    for pools in (live.arrays.pools, arrays.pools):
        list(pools)

    def fresh() -> CampaignState:
        return _fresh(live, campaign, arrays, method, p)

    ahead, made = imagined_courses(live.state, fresh, budget=budget, seed=live.seed), list[Course]()
    while (course := yielding(next, ahead, None)) is not None:
        made.append(course)
        told(len(made))
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
