"""Names of measures of a run's documents as a set, and of counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.forms.form import NUMBER, Form, MeasureName, found_in, lengths_of, simple
from evaluation.measure import Formula, Measure, Rankings
from evaluation.measures.incomplete_judgments import unjudged_share
from evaluation.measures.sets import (
    relative_precision,
    set_average_precision,
    set_f,
    set_precision,
    set_recall,
    utility,
)


def _f(asked: MeasureName) -> Measure:
    beta = asked.number("beta", 1)
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta = {beta:g} is negative or not finite")
    return Formula(
        asked.called("" if beta == 1 else f"beta={beta:g}"),
        lambda topic: set_f(found_in(topic), lengths_of(topic), topic.relevant, beta),
    )


def _utility(asked: MeasureName) -> Measure:
    weights = asked.number("found", 1), asked.number("wrong", -1), asked.number("missed", 0)
    if not np.isfinite(weights).all():
        raise ValueError(f"{asked.name} takes finite weights")
    given = [
        f"{name}={asked.number(name, 0):g}"
        for name in ("found", "wrong", "missed")
        if name in asked.parameters
    ]
    return Formula(
        asked.called(*given),
        lambda topic: utility(found_in(topic), lengths_of(topic), topic.relevant, weights),
    )


def _precision(asked: MeasureName) -> Measure:
    if "relative" in asked.parameters:
        return _relative_precision
    return Formula("SetP", lambda topic: set_precision(found_in(topic), lengths_of(topic)))


_relative_precision = Formula(
    "SetRelP", lambda topic: relative_precision(found_in(topic), lengths_of(topic), topic.relevant)
)


def _retrieved(asked: MeasureName) -> Measure:
    """NumRet, or its form with `rel`: retrieved documents with that grade or a higher one, as in
    ir_measures."""
    if "rel" in asked.parameters:
        return _relevant_retrieved
    return Formula("NumRet", lambda topic: lengths_of(topic).astype(np.float64), over_topics="sum")


_relevant_retrieved = Formula(
    "NumRelRet", lambda topic: found_in(topic).astype(np.float64), over_topics="sum"
)


def _unjudged(asked: MeasureName) -> Measure:
    k = asked.cut_off
    return Formula(f"Unjudged@{k}", lambda topic: unjudged_share(topic.gains, lengths_of(topic), k))


def _count(counted: Callable[[Rankings], FloatArray]) -> Callable[[MeasureName], Measure]:
    """Summed over topics."""
    return lambda asked: Formula(asked.name, counted, over_topics="sum")


def _same_for_all(topic: Rankings, count: int) -> FloatArray:
    return np.full(len(topic.gains), float(count))


def _wrong(topic: Rankings) -> FloatArray:
    return np.asarray((topic.gains == 0).sum(axis=-1), dtype=np.float64)


SET_FORMS = [
    Form("SetP", ("SetP",), _precision, parameters={"relative": "[Tt]rue"}, binary=True),
    Form("SetR", ("SetR",), simple(lambda topic: set_recall(found_in(topic), topic.relevant)), binary=True),
    Form("SetF, SetF(beta=0.5)", ("SetF",), _f, parameters={"beta": NUMBER}, binary=True),
    Form(
        "SetAP",
        ("SetAP",),
        simple(lambda topic: set_average_precision(found_in(topic), lengths_of(topic), topic.relevant)),
        binary=True,
    ),
    Form("SetRelP", ("SetRelP",), lambda asked: _relative_precision, binary=True),
    Form(
        "Utility, Utility(found=1,wrong=-1,missed=-0.5)",
        ("Utility",),
        _utility,
        parameters={"found": NUMBER, "wrong": NUMBER, "missed": NUMBER},
        binary=True,
    ),
    Form("Unjudged@10", ("Unjudged",), _unjudged, "must"),
    Form("NumQ", ("NumQ",), _count(lambda topic: _same_for_all(topic, 1))),
    Form("NumRet", ("NumRet",), _retrieved, binary=True),
    Form("NumRel", ("NumRel",), _count(lambda topic: _same_for_all(topic, topic.relevant)), binary=True),
    Form("NumRelRet", ("NumRelRet",), lambda asked: _relevant_retrieved, binary=True),
    Form("NumNonrelRet", ("NumNonrelRet",), _count(_wrong), binary=True),
]
