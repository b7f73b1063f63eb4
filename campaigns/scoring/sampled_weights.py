"""Measures as weights of ranks and gains of grades, as estimates from samples read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.formats.qrels import Grade
from campaigns.scoring.judged_collection import JudgedCollection
from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.inclusion import drawn_depth
from evaluation.forms.form import MeasureName
from evaluation.graded_measures import DCG, CumulatedFormula
from evaluation.measure import RBP, Formula, Measure, WeightedMeasure
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.weights import rank_weights

Kind = Literal["weights", "ndcg", "ap"]


@dataclass(frozen=True, eq=False)
class Gained:
    """A measure's parts.

    weights : float64 (depth,), what gain 1 adds at each rank; ranks below it have no weight
    gain : the gain of a grade, in [0, 1]; levels : all gains above 0 of grades that were given, ascending
    full : the score of a ranking whose every document has gain 1
    persistence : of RBP without a cut-off, whose weight goes on below every ranking; else 0
    """

    kind: Kind
    weights: FloatArray
    gain: Callable[[Grade], float]
    levels: FloatArray
    full: float = 1.0
    persistence: float = 0.0

    def at(self, ranks: IntArray) -> FloatArray:
        """Weight of each rank, 0 for rank 0."""
        padded = np.concatenate([[0.0], self.weights, [0.0]])
        return np.asarray(padded[np.minimum(ranks, len(padded) - 1)])

    def outside(self, ranks: IntArray, lengths: IntArray, depth: int) -> FloatArray:
        """Share of each run's weight, (runs,), that is not on documents at these ranks (runs, documents).

        A ranking that ends above `depth` has nothing below its end; of others, the rest counts as outside.
        """
        reached = np.concatenate([[0.0], np.cumsum(self.weights)])
        ranked = reached[np.minimum(lengths, len(self.weights))]
        rest = np.where(lengths >= depth, self.persistence**lengths if self.persistence else 0.0, 0.0)
        total = max(float(reached[-1]), self.persistence, np.finfo(np.float64).tiny)
        return np.asarray(np.maximum(ranked + rest - self.at(ranks).sum(axis=1), 0.0) / total)

    def depth_effect(self, p: float) -> float:
        """Ratio of two variances, were documents of all ranks as likely relevant: by a sample drawn for RBP
        with this persistence, and by one drawn for these weights.

        References
        ----------
        Kish 1992, Weighting for unequal Pi.
        """
        depth = min(len(self.weights), drawn_depth(p))
        own, sizes = self.weights[:depth], rank_weights(p, depth)
        return float((own**2 / sizes).sum() * sizes.sum() / own.sum() ** 2)


def is_estimable(measure: Measure) -> bool:
    """True if `sampled_estimates` takes the measure."""
    return _kind(measure) is not None


def _kind(measure: Measure) -> Kind | None:
    if isinstance(measure, RBP):
        return None if measure.ties_shared else "weights"
    if isinstance(measure, DCG | WeightedMeasure):
        return None if measure.weighting.tail else "weights"
    name = MeasureName.read(measure.name)
    if isinstance(measure, CumulatedFormula) and name is not None and name.name == "nDCG" and name.k:
        return "ndcg"
    return "ap" if isinstance(measure, Formula) and measure.name == "AP" else None


def measured_by(measure: Measure, grading: Grading, collection: JudgedCollection) -> Gained:
    """The measure's parts; ValueError if no estimate from a sample is known for it."""
    kind = _kind(measure)
    drawn = {one.grade for topic in collection.topics for one in (topic.drawn or {}).values()}
    if kind is None:
        raise ValueError(f"{measure.name} cannot be estimated from a sample")
    if kind == "ap":
        return Gained(kind, np.zeros(0), lambda grade: float(grading.gain(grade) > 0), np.ones(1))
    if isinstance(measure, RBP):
        depth = measure.k or max(_longest(collection), 1)
        endless = 0.0 if measure.k else measure.p
        return Gained(kind, rank_weights(measure.p, depth), grading.gain, np.ones(1), 1.0, endless)
    if isinstance(measure, WeightedMeasure):
        weights = measure.weighting.weights / measure.weighting.scale
        gain = (lambda grade: float(grading.gain(grade) > 0)) if measure.binary else grading.gain
        return Gained(kind, weights, gain, np.ones(1), float(weights.sum()))
    assert isinstance(measure, DCG | CumulatedFormula)
    highest = max([1.0 if grading.gains is None else 0.0, *map(_raw(measure, grading), drawn)])
    scale = highest or 1.0

    def gain_of(grade: Grade) -> float:
        return _raw(measure, grading)(grade) / scale

    levels = np.array(sorted({gain_of(grade) for grade in drawn} - {0.0}) or [1.0])
    if isinstance(measure, DCG):
        weights = measure.weighting.weights / measure.weighting.scale * scale
        return Gained(kind, weights, gain_of, levels, float(weights.sum()))
    name = MeasureName.read(measure.name)
    assert name is not None
    return Gained(kind, discounts(name.cut_off, None), gain_of, levels)


def _raw(measure: DCG | CumulatedFormula, grading: Grading) -> Callable[[Grade], float]:
    """The gain that a measure of cumulated gain makes of a grade."""
    rule = measure.rule
    if grading.gains is not None and not rule.reads_grades:
        return grading.gain
    return lambda grade: float(rule.gains(np.array(float(grade))))


def _longest(collection: JudgedCollection) -> int:
    rankings = (ranking for topic in collection.topics for ranking in topic.rankings if ranking is not None)
    return max(map(len, rankings), default=0)
