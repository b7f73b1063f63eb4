"""Names of measures of readers (INST, INSQ, BPM, two persistences), of their residuals, of compatibility and
of standardised scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.forms.form import NUMBER, Form, MeasureName
from evaluation.forms.graded_averages import CumulatedLists
from evaluation.graded_measures import CumulatedGains, GainRule
from evaluation.measure import (
    DerivedMeasure,
    Formula,
    GradedRankings,
    Measure,
    Need,
    Rankings,
    Scores,
    WeightedMeasure,
)
from evaluation.measures.adaptive_readers import (
    bejeweled_player,
    check_highest,
    check_persistences,
    check_target,
    inst,
    two_persistences,
)
from evaluation.measures.bounds import READ_DEPTH, insq_weighting
from evaluation.measures.compatibility import compatibility
from evaluation.measures.standardisation import standardised

GRADE = r"\d{1,2}"


@dataclass(frozen=True)
class ScaledMeasure(DerivedMeasure):
    """A measure whose gains are grades over the highest of the scale, at most 1."""

    highest: int

    reads_gains = False

    @property
    def needs(self) -> Need:
        return "graded"

    @property
    def name(self) -> str:
        return self.named_with(f"max_rel={self.highest}")

    def scores(self, topic: Rankings) -> Scores:
        if topic.graded is None:
            return Scores(np.full(len(topic.gains), np.nan))
        return self.measure.scores(self.scaled(topic, topic.graded))

    def scaled(self, topic: Rankings, graded: GradedRankings) -> Rankings:
        gains, judged = (np.clip(grades / self.highest, 0, 1) for grades in (graded.grades, graded.judged))
        return replace(topic, gains=gains, judged=judged)


@dataclass(frozen=True)
class StandardisedMeasure(DerivedMeasure):
    """A measure's scores among those of all runs of the topic."""

    def __post_init__(self) -> None:
        if self.measure.aggregation != "mean":
            raise ValueError(f"{self.measure.name} is no mean over topics, and cannot be standardised")

    @property
    def name(self) -> str:
        return f"Std({self.measure.name})"

    def scores(self, topic: Rankings) -> Scores:
        return Scores(standardised(self.measure.scores(topic).score))


@dataclass(frozen=True)
class ResidualMeasure(DerivedMeasure):
    """Residual of a measure, as in cwl_eval: the rise of its score if every unjudged document, and every rank
    from a run's end to `READ_DEPTH`, has gain 1 instead of 0.

    The score can leave this range if the measure can fall when a document's gain rises.
    """

    def __post_init__(self) -> None:
        name = self.measure.name
        if name == "AP":
            raise ValueError("cwl_eval's AP is AP* here: its residual is Residual(AP*)")
        if name not in ("RR", "AP*") and not name.startswith(("INST(", "INSQ(", "BPM(")):
            raise ValueError(f"cwl_eval has no residual of {name}, but of RR, AP*, INST, INSQ and BPM")

    @property
    def name(self) -> str:
        return f"Residual({self.measure.name})"

    def scores(self, topic: Rankings) -> Scores:
        inner = self.measure
        if isinstance(inner, ScaledMeasure):
            if topic.graded is None:
                return inner.scores(topic)
            topic, inner = inner.scaled(topic, topic.graded), inner.measure
        best = np.ones((len(topic.gains), READ_DEPTH))
        shown = topic.gains[:, :READ_DEPTH]
        best[:, : shown.shape[1]] = np.where(np.isnan(shown), 1.0, shown)
        read = [replace(topic, gains=gains, lengths=None) for gains in (best, np.nan_to_num(shown))]
        high, low = (inner.scores(each).score for each in read)
        return Scores(high - low)


def _of_reader(name: str, formula: Callable[[FloatArray], FloatArray]) -> Measure:
    return Formula(name, lambda topic: formula(topic.gains), graded=True)


def _scaled(measure: Measure, asked: MeasureName) -> Measure:
    if "max_rel" not in asked.parameters:
        return measure
    return ScaledMeasure(measure, check_highest(int(asked.parameters["max_rel"])))


def _inst(asked: MeasureName) -> Measure:
    target = check_target(asked.number("T", 1))
    return _scaled(_of_reader(f"INST(T={target:g})", lambda gains: inst(gains, target)), asked)


def _insq(asked: MeasureName) -> Measure:
    target = check_target(asked.number("T", 1))
    return _scaled(WeightedMeasure(f"INSQ(T={target:g})", insq_weighting(target)), asked)


def _bejeweled(asked: MeasureName) -> Measure:
    target, k = asked.number("T", 1), asked.cut_off
    if not 0 < target < np.inf:
        raise ValueError(f"T = {target:g} is not above 0")
    return _scaled(
        _of_reader(f"BPM(T={target:g})@{k}", lambda gains: bejeweled_player(gains, target, k)), asked
    )


def _two_persistences(asked: MeasureName) -> Measure:
    if not {"p1", "p2"} <= asked.parameters.keys():
        raise ValueError("RBP with two persistences takes both p1 and p2")
    relevant, other = asked.number("p1", 0), asked.number("p2", 0)
    check_persistences(relevant, other)
    return _of_reader(
        f"RBP(p1={relevant:g},p2={other:g})", lambda gains: two_persistences(gains, relevant, other)
    )


def _compatibility(asked: MeasureName) -> Measure:
    p = asked.number("p", 0.95)
    if not 0 < p < 1:
        raise ValueError(f"p = {p:g} is not inside (0, 1)")

    def formula(gains: CumulatedGains, lengths: IntArray) -> FloatArray:
        lists = zip(gains.ranked, lengths, strict=True)
        return np.array([compatibility(ranked[:length], gains.judged, p) for ranked, length in lists])

    return CumulatedLists(f"Compat(p={p:g})", GainRule(), formula)


READER_FORMS = [
    Form("INST(T=2), INST(T=2,max_rel=3)", ("INST",), _inst, parameters={"T": NUMBER, "max_rel": GRADE}),
    Form("INSQ(T=2), INSQ(T=2,max_rel=3)", ("INSQ",), _insq, parameters={"T": NUMBER, "max_rel": GRADE}),
    Form(
        "BPM(T=1)@10, BPM(T=1,max_rel=3)@10",
        ("BPM",),
        _bejeweled,
        "must",
        {"T": NUMBER, "max_rel": GRADE},
    ),
    Form(
        "RBP(p1=0.5,p2=0.8)",
        ("RBP",),
        _two_persistences,
        parameters={"p1": NUMBER, "p2": NUMBER},
        binary=True,
    ),
    Form("Compat(p=0.95)", ("Compat",), _compatibility, parameters={"p": NUMBER}),
]
