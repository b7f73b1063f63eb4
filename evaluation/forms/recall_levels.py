"""Names of measures at levels of recall and multiples of R, and of geometric means."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.forms.form import NUMBER, Form, MeasureName, simple
from evaluation.measure import Formula, Measure, Rankings
from evaluation.measures.gains import cut, relevant_of
from evaluation.measures.incomplete_judgments import bpref
from evaluation.measures.precision import average_precision
from evaluation.measures.recall_levels import (
    eleven_point_precision,
    interpolated_precision,
    precision_at_multiple,
)
from evaluation.measures.sets import relative_precision


def _interpolated(asked: MeasureName) -> Measure:
    level = asked.level
    return Formula(
        f"IPrec@{level:g}", lambda topic: interpolated_precision(topic.gains, topic.relevant, level)
    )


def _at_multiple(asked: MeasureName) -> Measure:
    multiple = asked.number("mult", 1)
    if not 0 < multiple < np.inf:
        raise ValueError(f"mult = {multiple:g} is not above 0")
    return Formula(
        f"Rprec(mult={multiple:g})",
        lambda topic: precision_at_multiple(topic.gains, topic.relevant, multiple),
    )


def _relative(asked: MeasureName) -> Measure:
    k = asked.cut_off

    def formula(topic: Rankings) -> FloatArray:
        hits = cut(relevant_of(topic.gains), k).sum(axis=-1)
        return relative_precision(hits, np.array(k), topic.relevant)

    return Formula(f"RelP@{k}", formula)


def _geometric_ap(asked: MeasureName) -> Measure:
    return Formula(
        "GMAP", lambda topic: average_precision(topic.gains, topic.relevant), over_topics="geometric mean"
    )


def _geometric_bpref(asked: MeasureName) -> Measure:
    return Formula(
        "GMBpref",
        lambda topic: bpref(topic.gains, topic.relevant, topic.nonrelevant),
        over_topics="geometric mean",
    )


RECALL_LEVEL_FORMS = [
    Form("IPrec@0.1", ("IPrec",), _interpolated, "level", binary=True),
    Form(
        "11pt",
        ("11pt",),
        simple(lambda topic: eleven_point_precision(topic.gains, topic.relevant)),
        binary=True,
    ),
    Form("Rprec(mult=0.2)", ("Rprec",), _at_multiple, parameters={"mult": NUMBER}, binary=True),
    Form("RelP@10", ("RelP",), _relative, "must", binary=True),
    Form("GMAP", ("GMAP",), _geometric_ap, binary=True),
    Form("GMBpref", ("GMBpref",), _geometric_bpref, binary=True),
]
