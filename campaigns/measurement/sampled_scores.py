"""Scores estimated from the random sample that a campaign serves, as one of a measure's statements."""

from __future__ import annotations

from dataclasses import astuple

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
from evaluation.arrays import FloatArray
from evaluation.measure import Measure


def sampled_estimate(
    measure: Measure, plain: MeasureScores, stored: StoredCollection, p: float
) -> tuple[Estimate, dict[str, FloatArray]]:
    """The estimate, cut to the certain bounds of `plain`, and the matrices of its pairs: the row's run less
    the column's, half the width of the interval on these topics, and on topics like these."""
    estimates = sampled_estimates(
        stored.drawn_by(sample=True), measure, stored.grading, p=p, contributing=stored.contributing
    )
    pairs = _matrices(estimates)
    early = estimates.too_early
    runs = estimates.runs
    # The bounds are those of all topics.
    if plain.has_bounds and len(estimates.topics) == len(stored.topics):
        runs = tuple(map(_within, runs, plain.base, plain.top))
    columns = {
        name: column([getattr(run, name) for run in runs])
        for name in ("score", "low", "high", "topics_low", "topics_high")
    }
    return (
        Estimate(
            "sampled",
            Method.SAMPLE.value,
            len(estimates.topics),
            **columns,
            approximate=estimates.approximate,
            early="" if early is None else early.of,
            early_count=0.0 if early is None else early.count,
            early_needed=0.0 if early is None else early.needed,
            left_out=tuple(estimates.left_out),
            pairs=tuple(pairs),
            planned=tuple(map(astuple, estimates.planned)),
        ),
        pairs,
    )


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
