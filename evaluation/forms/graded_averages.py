"""Names of trec_eval's averages of nDCG and of its gain measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evaluation.arrays import FloatArray, IntArray
from evaluation.forms.form import Form, MeasureName, lengths_of, simple
from evaluation.graded_measures import CumulatedFormula, CumulatedGains, CumulatedMeasure, GainRule
from evaluation.measure import Measure, Rankings, Scores
from evaluation.measures.graded_averages import (
    binary_gain,
    ndcg_at_levels,
    ndcg_at_relevant,
    normalised_gain,
)


@dataclass(frozen=True)
class CumulatedLists(CumulatedMeasure):
    """A measure of gains without a highest value that reads the lengths of runs."""

    label: str
    rule: GainRule
    formula: Callable[[CumulatedGains, IntArray], FloatArray] = field(compare=False)

    def scored(self, gains: CumulatedGains, topic: Rankings) -> Scores:
        return Scores(self.formula(gains, lengths_of(topic)))


def _at_levels(asked: MeasureName) -> Measure:
    return CumulatedLists(
        "Rndcg", GainRule(), lambda gains, lengths: ndcg_at_levels(gains.ranked, gains.judged, lengths)
    )


def _of_grades(formula: Callable[[FloatArray, FloatArray], FloatArray]) -> Callable[[MeasureName], Measure]:
    return lambda asked: CumulatedFormula(
        asked.name, GainRule(), lambda gains: formula(gains.ranked, gains.judged)
    )


GRADED_AVERAGE_FORMS = [
    Form("Rndcg", ("Rndcg",), _at_levels),
    Form("ndcg_rel", ("ndcg_rel",), _of_grades(ndcg_at_relevant)),
    Form("G", ("G",), _of_grades(normalised_gain)),
    Form("binG", ("binG",), simple(lambda topic: binary_gain(topic.gains, topic.relevant)), binary=True),
]
