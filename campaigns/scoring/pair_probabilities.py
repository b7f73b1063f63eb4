"""Probabilities of the order of two runs: drawn, but 0 or 1 where it is certain whatever is unjudged."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.comparison.pair_decisions import by_differences, by_score_ranges, leaders, shared_weight
from evaluation.measures.weights import exact_rank_weights
from selection.simulation.prediction import DRAWS
from selection.state import CampaignState

# What happens in no draw, or in all, is still possible while the pair is open.
LEAST = 0.5 / DRAWS
# As many as the stop advice and the pages of pairs look at.
LEADING = 10


def pair_probabilities(better: NDArray[np.floating], decided: BoolArray) -> NDArray[np.floating]:
    """Probabilities (runs, runs) that the row's run has the higher score.

    Parameters
    ----------
    better : float (runs, runs), shares of draws, as of `Prediction`
    decided : bool (runs, runs), where the row's run is certainly better

    >>> drawn, decided = np.array([[0.5, 1.0], [0.0, 0.5]]), np.zeros((2, 2), dtype=np.bool_)
    >>> pair_probabilities(drawn, decided).round(4).tolist()
    [[0.5, 0.9987], [0.0013, 0.5]]
    """
    open_ = better.clip(LEAST, 1 - LEAST)
    open_[decided], open_[decided.T] = 1.0, 0.0
    return open_


def leading_runs(base: FloatArray, expected: FloatArray) -> IntArray:
    """Runs among which pairs are decided by their differences: the first by base and by expected score, both
    (runs,)."""
    most = min(LEADING, len(base))
    return np.union1d(leaders(base, most), np.argsort(-expected, kind="stable")[:most])


def decided_by_ranges(base: FloatArray, residual: FloatArray) -> BoolArray:
    """(runs, runs): whether the row's run has the higher mean whatever is unjudged; arguments (runs,)."""
    return by_score_ranges(base, residual).better


def decided_by_difference(
    state: CampaignState, chosen: IntArray, topics: Collection[int] | None = None
) -> BoolArray:
    """(chosen, chosen): whether the row's run has the higher score whatever is unjudged; of means over these
    topics, by default over all."""
    topics = range(len(state.pools)) if topics is None else topics
    at = np.ix_(np.fromiter(topics, dtype=np.int64), chosen)
    base, residual = state.base[at].mean(axis=0), state.residual[at].mean(axis=0)
    return by_differences(base, residual, _shared(state, chosen, topics)).better


def _shared(state: CampaignState, chosen: IntArray, topics: Collection[int]) -> FloatArray:
    weights = exact_rank_weights(state.setting.p, state.pools.depth)
    total = np.zeros((len(chosen), len(chosen)))
    for topic in topics:
        pool = state.pools[topic]
        judged = ~np.isnan(state.setting.judgments.gains_of(topic))
        total += shared_weight(pool.start, pool.run, pool.rank, judged, weights, chosen)
    return total / len(topics)
