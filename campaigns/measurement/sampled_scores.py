"""Estimates from the random sample that a campaign serves, as one of a measure's statements."""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import Any

import numpy as np

from campaigns.measurement.measured_scores import (
    DIFFERENCE,
    HALF_WIDTH,
    TOPICS_HALF_WIDTH,
    Estimate,
    MeasureScores,
    column,
)
from campaigns.measurement.stored_collection import StoredCollection
from campaigns.models.campaign import Method
from campaigns.scoring.sampled_estimates import RunEstimate, SampledEstimates, sampled_estimates
from campaigns.scoring.statap_pairs import statap_pairs
from evaluation.arrays import FloatArray
from evaluation.estimation.corrected import TooEarly
from evaluation.measure import Measure

# The estimate of average precision by a statAP sample.
STAT_AP = "statAP"


def sampled_estimate(
    measure: Measure, plain: MeasureScores, stored: StoredCollection, p: float
) -> tuple[Estimate, dict[str, FloatArray]]:
    """The estimate, cut to the certain bounds of `plain`, and the matrices of its pairs: the row's run less
    the column's, half the width of the interval on these topics, and on topics like these."""
    estimates = sampled_estimates(
        stored.drawn_by(sample=True), measure, stored.grading, p=p, contributing=stored.contributing
    )
    pairs = _matrices(estimates)
    runs = estimates.runs
    # The bounds are those of all topics.
    if plain.has_bounds and len(estimates.topics) == len(stored.topics):
        runs = tuple(map(_within, runs, plain.base, plain.top))
    columns: dict[str, Any] = {
        name: column([getattr(run, name) for run in runs])
        for name in ("score", "low", "high", "topics_low", "topics_high")
    }
    estimate = Estimate(
        "sampled",
        Method.SAMPLE.value,
        len(estimates.topics),
        **columns,
        approximate=estimates.approximate,
        left_out=tuple(estimates.left_out),
        pairs=tuple(pairs),
        planned=tuple(map(astuple, estimates.planned)),
    )
    return _while_early(estimate, estimates.too_early), pairs


def _while_early(estimate: Estimate, early: TooEarly | None) -> Estimate:
    if early is None:
        return estimate
    return replace(estimate, early=early.of, early_count=early.count, early_needed=early.needed)


def sampled_pairs(estimate: Estimate, stored: StoredCollection) -> tuple[Estimate, dict[str, FloatArray]]:
    """The estimate by statAP, and the matrices of its pairs, if its sample states intervals of them."""
    half_widths, early = statap_pairs(stored.drawn_by(sample=False), stored.grading)
    if half_widths is None:
        return _while_early(estimate, early), {}
    scores = np.array(estimate.score, dtype=np.float64)
    pairs = {DIFFERENCE: scores[:, None] - scores, HALF_WIDTH: half_widths}
    return replace(estimate, pairs=tuple(pairs)), pairs


def _within(run: RunEstimate, base: float | None, top: float | None) -> RunEstimate:
    return run if base is None or top is None else run.within(base, top)


def _matrices(estimates: SampledEstimates) -> dict[str, FloatArray]:
    pairs = estimates.intervals
    if pairs is None:
        return {}
    return {
        DIFFERENCE: pairs.difference,
        HALF_WIDTH: pairs.half_width,
        TOPICS_HALF_WIDTH: pairs.topics_half_width,
    }
