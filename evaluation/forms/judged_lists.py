"""Measures of rankings without their unjudged documents, `judged_only=True` in ir_measures' names."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measure import DerivedMeasure, Rankings, Scores


@dataclass(frozen=True)
class JudgedOnlyMeasure(DerivedMeasure):
    """A measure of each run's judged documents alone, those below an unjudged one moved up."""

    @property
    def name(self) -> str:
        return self.named_with("judged_only=True")

    def scores(self, topic: Rankings) -> Scores:
        judged = ~np.isnan(topic.gains)
        # Judged documents first, each kind in its order.
        order = np.argsort(~judged, axis=-1, kind="stable")
        graded = topic.graded
        if graded is not None:
            graded = replace(graded, grades=_ordered(graded.grades, order))
        moved = replace(
            topic,
            gains=_ordered(topic.gains, order),
            pooled=None,
            lengths=judged.sum(axis=-1),
            graded=graded,
        )
        return self.measure.scores(moved)


def _ordered(ranked: FloatArray, order: IntArray) -> FloatArray:
    return np.take_along_axis(ranked, order, axis=-1)
