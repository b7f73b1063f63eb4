"""Final scores predicted from a judged collection, as a site predicts them from its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.pair_probabilities import (
    decided_by_difference,
    decided_by_ranges,
    leading_runs,
    pair_probabilities,
)
from campaigns.scoring.scored_topics import TopicChoice
from campaigns.scoring.selection_state import Selection, SelectionPlan
from evaluation.arrays import FloatArray
from selection.pool import identical_runs
from selection.simulation.prediction import predict
from selection.simulation.relevance.judged_relevance import JudgedRelevance

_ONE_SIDED = {
    "all_relevant": "all {judged} judged documents that runs rank are relevant",
    "none_relevant": "none of the {judged} judged documents that runs rank is relevant",
}


@dataclass(frozen=True, eq=False)
class PredictedScores:
    """Mean RBP over topics, were every ranked document judged, (runs,) each; `better` (runs, runs): the
    probability that the row's run has the higher score. `early`: too early for probabilities."""

    base: FloatArray
    residual: FloatArray
    expected: FloatArray
    low: FloatArray
    high: FloatArray
    best: FloatArray
    better: NDArray[np.floating]
    early: bool


def predicted_scores(
    collection: JudgedCollection, grading: Grading, *, p: float, seed: int, topics: TopicChoice
) -> PredictedScores:
    """Predict the means over all topics, or over those with a judgment.

    Raises ValueError for fewer than two runs, and for judgments that no model can be fitted to.
    """
    if len(collection.runs) < 2:
        raise ValueError("a prediction compares two runs or more, and there is one")
    every = np.ones(len(collection.runs), dtype=np.bool_)
    # The method chooses nothing here.
    state = Selection(collection, grading, SelectionPlan("A", p, seed=seed), every).state
    relevance = JudgedRelevance.of(state.setting)
    begun = [topic for topic in range(len(state.pools)) if state.setting.judgments.judged_in(topic)]
    if not begun:
        raise ValueError("no judged document is ranked by a run, so nothing can be predicted")
    if relevance.one_sided and not relevance.few:
        raise ValueError(
            f"{_ONE_SIDED[relevance.one_sided].format(judged=relevance.judged)}: judge others, too"
        )
    scopes = [list(range(len(state.pools))), begun]
    scope = scopes[topics == "judged"]
    prediction = predict(state, seed=seed, scopes=scopes)[topics == "judged"]
    base, residual = state.base[scope].mean(axis=0), state.residual[scope].mean(axis=0)
    decided = decided_by_ranges(base, residual)
    at = leading_runs(state.mean_bounds()[0], prediction.expected)
    decided[np.ix_(at, at)] |= decided_by_difference(state, at, scope)
    best = prediction.best.copy()
    for group in identical_runs(state.pools, len(every), range(len(every))):
        # Draws in which identical runs are first count for each of them in part.
        best[list(group)] = min(sum(best[list(group)].tolist()), 1.0)
    early = prediction.early or bool(relevance.one_sided)
    better = pair_probabilities(prediction.better, decided)
    return PredictedScores(
        base, residual, prediction.expected, prediction.low, prediction.high, best, better, early
    )
