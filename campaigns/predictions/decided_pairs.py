"""Pairs of the best runs that are decided whatever is unjudged, and the limits of this background work."""

from __future__ import annotations

from contextlib import AbstractContextManager

import numpy as np

from campaigns.computing.live import LiveCampaign
from campaigns.core.database import ALL_CAMPAIGNS, Space, try_campaign_lock
from campaigns.predictions.prediction import present_predictions, read_prediction
from evaluation.arrays import IntArray
from evaluation.comparison.pair_decisions import leaders
from selection.pool import POOL_CACHE_SIZE
from selection.registry import method_entry

ADVICE_RUNS = 10
# Of more topics than that, or of more than a worker keeps in memory, only what the means decide.
MOST_ADVICE_TOPICS = 500


def advised_runs(live: LiveCampaign) -> IntArray:
    """Indices of the best runs, at least two of which take part, by descending base: those of the highest
    predicted scores, as the overview shows them, or of the highest bases before there is a prediction."""
    base, _ = live.state.mean_bounds()
    predicted = predicted_runs(live)
    here = np.array(predicted[:ADVICE_RUNS] or live.arrays.taking_part, dtype=np.int64)
    return here[leaders(base[here], min(ADVICE_RUNS, len(here)))]


def predicted_runs(live: LiveCampaign) -> list[int]:
    """Distinct runs by index, of the highest expected score first; none unless two or more are predicted."""
    rows = present_predictions(live.campaign_id, live.configuration)
    row = rows.first()
    prediction = None if row is None else read_prediction(row, "all")
    index = {run: at for at, run in enumerate(live.arrays.runs)}
    runs = [index[run.id] for run in prediction.distinct if run.id in index] if prediction else []
    return runs if len(runs) > 1 else []


def is_large(live: LiveCampaign) -> bool:
    return (
        len(live.arrays.topics) > MOST_ADVICE_TOPICS
        or int(live.state.pools.capacities.sum()) > POOL_CACHE_SIZE
    )


def reads_documents(live: LiveCampaign) -> bool:
    """True if a method learns from texts as it goes: its simulations take longer than seconds."""
    return any(method_entry(chosen.method).unranked for chosen in live.plan.chosen)


def try_background_lock() -> AbstractContextManager[bool]:
    """Lock against other forecasts and plans, for any campaign, until the end; yields true if it was free.
    Several at once would keep every worker process from the judgments."""
    return try_campaign_lock(Space.ADVICE, ALL_CAMPAIGNS)
