"""What the judgments say about stopping, computed from a worker's copy of the campaign."""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import numpy as np

from campaigns.live import LiveCampaign
from campaigns.models import Run
from evaluation.arrays import FloatArray, IntArray
from evaluation.mtc_pairs import confidences
from evaluation.relevance import smoothed_relevance
from evaluation.stopping import by_differences, by_intervals, leaders, top_is_distinct
from evaluation.stopping_shared import shared_weight
from evaluation.weights import exact_rank_weights
from selection.confident import judged_rankings
from selection.forecast import forecast
from selection.methods import registered
from selection.pools import ROOM
from selection.state import CampaignState
from selection.stopping import StopTest, TopDistinct, TopPairs

BEST = 10
# Of more topics than that, or of more than a worker keeps in memory, only what the means tell.
MOST_TOPICS = 500
EXPENSIVE = ("difference", "confidence", "forecast")

# Futures simulated for a forecast. They look as far ahead as there is time for: each look tries twice as
# far as the last one if that was too near and quick, half as far if it took too long.
DRAWS = 20
FIRST_HORIZON = 200
HORIZONS = range(50, 20_001)
FORECAST_SECONDS = 6.0

Content = dict[str, Any]


def advise(live: LiveCampaign, horizon: int = FIRST_HORIZON) -> Content:
    """In the shape that `services/advice.py` reads."""
    base, residual = live.state.mean_bounds()
    tags = dict(Run.objects.filter(id__in=live.arrays.runs).values_list("id", "tag"))
    names = [tags[run] for run in live.arrays.runs]
    among = live.arrays.taking_part
    here = np.array(among, dtype=np.int64)
    content: Content = {"judged": live.judged, "best": "", "distinct": False, "rivals": 0}
    content |= {"runs": [], "pairs": [], "forecast": None, "left_out": [], "further": False}
    if len(here):
        content["best"] = names[here[base[here].argmax()]]
    if len(here) < 2 or not live.judged:
        return content
    chosen = here[leaders(base[here], residual[here], min(BEST, len(here)))]
    large, distinct = is_large(live), top_is_distinct(base[here], residual[here])
    pairs = _pairs(live.state, chosen, large)
    left_out = set(EXPENSIVE) if large else {"forecast"} if _reads_documents(live) else set()
    if "forecast" not in left_out and not (distinct and all(by for _, _, by, _ in pairs)):
        content |= _forecast(
            live, TopPairs(len(chosen), among=among) if distinct else TopDistinct(among), horizon
        )
    return content | {
        "best": names[chosen[0]],
        "distinct": distinct,
        "rivals": int(np.count_nonzero((base + residual)[here] >= base[chosen[0]])) - 1,
        "runs": [
            {"run": names[run], "base": float(base[run]), "residual": float(residual[run])} for run in chosen
        ],
        "pairs": pairs,
        "left_out": [part for part in EXPENSIVE if part in left_out],
    }


def is_large(live: LiveCampaign) -> bool:
    return len(live.arrays.topics) > MOST_TOPICS or int(live.state.pools.capacities.sum()) > ROOM


def _reads_documents(live: LiveCampaign) -> bool:
    """Whether a method learns from texts as it goes: its futures cannot be run through in seconds."""
    return any(registered(chosen.method).unranked for chosen in live.plan.chosen)


def _forecast(live: LiveCampaign, test: StopTest, horizon: int) -> Content:
    left = sum(map(live.state.setting.judgments.open_in, range(len(live.state.pools))))
    horizon = min(horizon, max(left, 1))
    began = time.monotonic()
    every = 1 if isinstance(test, TopDistinct) else 5
    [found] = forecast(live.state, [test], horizon=horizon, draws=DRAWS, test_every=every, seed=live.seed)
    took = time.monotonic() - began
    near = found.median is None and horizon < left
    further = horizon * 2 if near and took < FORECAST_SECONDS / 2 else horizon
    further = horizon // 2 if took > FORECAST_SECONDS else further
    said: Content = {"median": found.median, "low": found.low, "high": found.high, "horizon": horizon}
    said |= {"until": "top" if isinstance(test, TopDistinct) else "pairs", "never": found.exhausted > 0.5}
    further = min(further, HORIZONS[-1])
    return {"forecast": said, "next_horizon": max(further, HORIZONS[0]), "further": further > horizon}


def _pairs(state: CampaignState, chosen: IntArray, large: bool) -> list[list[Any]]:
    """[upper, lower, decided by what, confidence or None], by place among the chosen."""
    base, residual = (means[chosen] for means in state.mean_bounds())
    surely = by_intervals(base, residual).better
    better = surely if large else by_differences(base, residual, _shared(state, chosen)).better
    sure = None if large else _confidence(state, chosen)
    return [
        [
            upper,
            lower,
            "intervals" if surely[upper, lower] else "difference" if better[upper, lower] else "",
            None if sure is None else float(sure[upper, lower]),
        ]
        for upper, lower in combinations(range(len(chosen)), 2)
    ]


def _shared(state: CampaignState, chosen: IntArray) -> FloatArray:
    weights = exact_rank_weights(state.setting.p, state.pools.depth)
    total = np.zeros((len(chosen), len(chosen)))
    for topic, pool in enumerate(state.pools):
        judged = ~np.isnan(state.setting.judgments.gains_of(topic))
        total += shared_weight(pool.start, pool.run, pool.rank, judged, weights, chosen)
    return total / len(state.pools)


def _confidence(state: CampaignState, chosen: IntArray) -> FloatArray:
    """That the row's run has the higher mean average precision, each topic's unjudged documents being
    relevant as often as its judged ones."""
    runs = tuple(chosen.tolist())
    topics = []
    for topic in range(len(state.pools)):
        rankings, judged = judged_rankings(state.setting, topic, runs)
        topics.append((rankings, smoothed_relevance(judged)))
    return confidences(topics).confidence
