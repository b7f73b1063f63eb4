"""Measures by the names that the community uses for them, as ir_measures writes them; each is a row of the
table `FORMS`. `evaluation.other_names` has the names of other programs."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.estimation.mtc import topic_moments
from evaluation.estimation.statap import (
    stat_ap_with_variance,
    stat_precision,
    stat_precision_variance,
    stat_r_precision,
    stat_relevant_variance,
)
from evaluation.estimation.statap_interval import sampling_error
from evaluation.estimation.statndcg import stat_ndcg
from evaluation.estimation.strata import STRATIFIED_DEPTH, stratified_ap, stratified_ndcg
from evaluation.forms.diversity import DIVERSITY_FORMS
from evaluation.forms.form import JUDGED_ONLY, NUMBER, Form, MeasureName, simple
from evaluation.forms.graded_averages import GRADED_AVERAGE_FORMS
from evaluation.forms.judged_lists import JudgedOnlyMeasure
from evaluation.forms.readers import GRADE, READER_FORMS, ResidualMeasure, StandardisedMeasure
from evaluation.forms.recall_levels import RECALL_LEVEL_FORMS
from evaluation.forms.sets import SET_FORMS
from evaluation.graded_measures import DCG, CumulatedFormula, GainRule
from evaluation.measure import (
    RBP,
    DrawnRankings,
    ExpectedReciprocalRank,
    FieldMeasure,
    Formula,
    GradedMeasure,
    Measure,
    Rankings,
    Scores,
    StratifiedRankings,
    WeightedMeasure,
)
from evaluation.measures.adaptive_readers import HIGHEST_GRADE, check_highest
from evaluation.measures.bounds import dcg_weighting, precision_weighting
from evaluation.measures.cumulated_gain import check_beta, ndcg, q_measure
from evaluation.measures.gains import cut
from evaluation.measures.incomplete_judgments import bpref, inferred_ap, judged_share
from evaluation.measures.precision import (
    average_precision,
    average_precision_of_retrieved,
    r_precision,
    recall_at,
    reciprocal_rank,
    success_at,
    sum_of_precisions,
)
from evaluation.name_suggestions import nearest_name, or_all
from evaluation.other_names import OTHER_NAMES, usual_name


def _rbp(asked: MeasureName) -> Measure:
    shared = "ties" in asked.parameters
    if shared and "rel" in asked.parameters:
        raise ValueError("RBP takes rel or ties=shared, not both")
    if shared and JUDGED_ONLY in asked.parameters:
        raise ValueError("RBP takes judged_only or ties=shared, not both")
    return RBP(asked.number("p", 0.8), shared, asked.k)


def _precision(asked: MeasureName) -> Measure:
    k = asked.cut_off
    return WeightedMeasure(f"P@{k}", precision_weighting(k), binary=True)


def _success(asked: MeasureName) -> Measure:
    k = asked.cut_off
    return Formula(f"Success@{k}", lambda topic: success_at(topic.gains, k))


def _recall(asked: MeasureName) -> Measure:
    k = asked.cut_off
    return Formula(f"R@{k}", lambda topic: recall_at(topic.gains, topic.relevant, k))


def _average_precision(asked: MeasureName) -> Measure:
    return Formula(asked.called(), lambda topic: average_precision(topic.gains, topic.relevant, asked.k))


def _reciprocal_rank(asked: MeasureName) -> Measure:
    damping = asked.number("damping", 0)
    if not damping >= 0:
        raise ValueError(f"damping = {damping:g} is negative")
    name = asked.called(f"damping={damping:g}" if "damping" in asked.parameters else "")
    return Formula(name, lambda topic: reciprocal_rank(cut(topic.gains, asked.k), damping=damping))


def _ndcg(asked: MeasureName) -> Measure:
    if {"gains", "dcg"} <= asked.parameters.keys():
        raise ValueError(f"{asked.name} takes gains or dcg, not both")
    rule = GainRule("gains" in asked.parameters or asked.parameters.get("dcg") == "exp-log2")
    return CumulatedFormula(
        asked.called("gains=exp" if rule.exponential else ""),
        rule,
        lambda gains: ndcg(gains.ranked, gains.judged, asked.k),
    )


def _dcg(asked: MeasureName) -> Measure:
    highest = int(asked.parameters["max_rel"]) if "max_rel" in asked.parameters else None
    rule = GainRule("gains" in asked.parameters, None if highest is None else check_highest(highest))
    base = _discount_base(asked)
    name = asked.called(
        _discount_name(base),
        "gains=exp" if rule.exponential else "",
        "" if highest is None else f"max_rel={highest}",
    )
    return DCG(name, rule, dcg_weighting(asked.cut_off, base))


def _sdcg(asked: MeasureName) -> Measure:
    base = _discount_base(asked)
    weighting = dcg_weighting(asked.cut_off, base, scaled=True)
    return WeightedMeasure(asked.called(_discount_name(base)), weighting)


def _discount_base(asked: MeasureName) -> float | None:
    if {"b", DISCOUNT} <= asked.parameters.keys():
        raise ValueError(f"{asked.name} takes b or {DISCOUNT}, not both")
    return None if DISCOUNT in asked.parameters else asked.number("b", 2)


def _discount_name(base: float | None) -> str:
    return DISCOUNT if base is None else "" if base == 2 else f"b={base:g}"


def _bpref(asked: MeasureName) -> Measure:
    k = int(asked.parameters.get("k", 0))
    return Formula(
        asked.called(f"k={k}" if k else ""),
        lambda topic: bpref(topic.gains, topic.relevant, topic.nonrelevant, k),
    )


def _q(asked: MeasureName) -> Measure:
    beta = check_beta(asked.number("beta", 1))
    return Formula(
        asked.called("" if beta == 1 else f"beta={beta:g}"),
        lambda topic: q_measure(topic.gains, topic.judged, beta),
        graded=True,
    )


def _err(asked: MeasureName) -> Measure:
    highest = int(asked.parameters.get("max_rel", HIGHEST_GRADE))
    name = asked.called("" if highest == HIGHEST_GRADE else f"max_rel={highest}")
    return ExpectedReciprocalRank(name, asked.cut_off, check_highest(highest))


def _judged(asked: MeasureName) -> Measure:
    return Formula(asked.called(), lambda topic: judged_share(topic.gains, topic.lengths, asked.k))


def _inferred(topic: Rankings) -> FloatArray:
    judged = ~np.isnan(topic.gains)
    return inferred_ap(topic.gains, judged if topic.pooled is None else topic.pooled, topic.relevant)


def _stat_average_precision(asked: MeasureName) -> Measure:
    def formula(drawn: DrawnRankings) -> Scores:
        estimate = stat_ap_with_variance(drawn.gains, drawn.inclusion, drawn.sample)
        error = sampling_error(drawn.gains, drawn.inclusion, drawn.sample)
        return Scores(estimate.estimate, variance=estimate.variance, error=error)

    return _of_sample("statAP", formula)


def _stat_relevant(asked: MeasureName) -> Measure:
    def formula(drawn: DrawnRankings) -> Scores:
        both = drawn.sample.relevant, stat_relevant_variance(drawn.sample)
        estimate, variance = (np.full(len(drawn.gains), value) for value in both)
        return Scores(estimate, variance=variance)

    return _of_sample("statR", formula)


def _stat_rprec(asked: MeasureName) -> Measure:
    """Without a variance: that of the ratio leaves out the cut's own uncertainty, and is far too small."""

    def formula(drawn: DrawnRankings) -> Scores:
        return Scores(stat_r_precision(drawn.gains, drawn.inclusion, drawn.sample))

    return _of_sample("statRprec", formula, spread=False)


def _stat_pc(asked: MeasureName) -> Measure:
    k = asked.cut_off

    def formula(drawn: DrawnRankings) -> Scores:
        variance = stat_precision_variance(drawn.gains, drawn.inclusion, drawn.sample, k)
        return Scores(stat_precision(drawn.gains, drawn.inclusion, k), variance=variance)

    return _of_sample(f"statPC@{k}", formula)


def _stat_graded(asked: MeasureName) -> Measure:
    name, k = asked.called(), asked.k or STRATIFIED_DEPTH

    def formula(drawn: DrawnRankings) -> Scores:
        estimate = stat_ndcg(drawn.grades, drawn.inclusion, drawn.sample, k)
        return Scores(estimate.estimate, variance=estimate.variance)

    return _of_sample(name, formula)


def _xinf_ap(asked: MeasureName) -> Measure:
    name, k = asked.called(), asked.k or STRATIFIED_DEPTH
    return _of_strata(name, lambda of: stratified_ap(of.gains, of.strata, of.pool, k))


def _inf_ndcg(asked: MeasureName) -> Measure:
    name, k = asked.called(), asked.k or STRATIFIED_DEPTH
    return _of_strata(name, lambda of: stratified_ndcg(of.gains, of.strata, of.pool, k))


def _expected_ap(asked: MeasureName) -> Measure:
    name = asked.called(*asked.parameters)

    def formula(topic: Rankings) -> Scores:
        assert topic.expected is not None
        relevance = topic.expected.calibrated if asked.parameters else topic.expected.relevance
        if relevance is None:
            raise ValueError(f"{name} needs the calibrated model of relevance")
        moments = topic_moments(topic.expected.rankings, relevance)
        return Scores(moments.ap, variance=moments.ap_variance)

    return FieldMeasure(name, "expected", formula, spread=True)


def _of_sample(name: str, formula: Callable[[DrawnRankings], Scores], spread: bool = True) -> Measure:
    def of_topic(topic: Rankings) -> Scores:
        assert topic.drawn is not None
        return formula(topic.drawn)

    return FieldMeasure(name, "drawn", of_topic, spread)


def _of_strata(name: str, formula: Callable[[StratifiedRankings], FloatArray]) -> Measure:
    def of_topic(topic: Rankings) -> Scores:
        assert topic.stratified is not None
        return Scores(formula(topic.stratified))

    return FieldMeasure(name, "stratified", of_topic)


# NAME(log2(i+1)) is the discount of trec_eval 10.0 and ir_measures.
DISCOUNT = "log2(i+1)"
CALIBRATED = "calibrated"
FORMS = [
    Form(
        "RBP(p=0.8) with any p inside (0, 1), RBP(p=0.8)@10, RBP(p=0.5,0.8,0.95), RBP(p=0.8,ties=shared)",
        ("RBP",),
        _rbp,
        "may",
        {"p": NUMBER, "ties": "shared"},
        binary=True,
    ),
    Form("P@10", ("P",), _precision, "must", binary=True),
    Form("AP, AP@100", ("AP",), _average_precision, "may", binary=True),
    Form("SP", ("SP",), simple(lambda topic: sum_of_precisions(topic.gains))),
    Form("AP*", ("AP*",), simple(lambda topic: average_precision_of_retrieved(topic.gains))),
    Form("RR, RR@10, RR(damping=2)", ("RR",), _reciprocal_rank, "may", {"damping": NUMBER}, binary=True),
    Form("RR2", ("RR2",), simple(lambda topic: reciprocal_rank(topic.gains, nth=2))),
    Form("Rprec", ("Rprec",), simple(lambda topic: r_precision(topic.gains, topic.relevant)), binary=True),
    Form(
        "nDCG, nDCG@10, nDCG(gains=exp)@10",
        ("nDCG",),
        _ndcg,
        "may",
        {"gains": "exp", "dcg": "log2|exp-log2", JUDGED_ONLY: "[Tt]rue"},
    ),
    Form(
        "DCG@100, DCG(b=10)@100, DCG(log2(i+1))@100, DCG(gains=exp)@100, DCG(max_rel=3)@100",
        ("DCG",),
        _dcg,
        "must",
        {"b": NUMBER, DISCOUNT: "", "gains": "exp", "max_rel": GRADE},
    ),
    Form(
        "SDCG@100, SDCG(b=10)@100, SDCG(log2(i+1))@100",
        ("SDCG",),
        _sdcg,
        "must",
        {"b": NUMBER, DISCOUNT: ""},
    ),
    Form("Bpref, Bpref(k=10)", ("Bpref",), _bpref, parameters={"k": r"\d+"}, binary=True),
    Form("Q, Q(beta=2)", ("Q",), _q, parameters={"beta": NUMBER}),
    Form("ERR@20, ERR(max_rel=2)@20", ("ERR",), _err, "must", {"max_rel": GRADE}),
    Form("Judged@10", ("Judged",), _judged, "may"),
    Form("infAP", ("infAP",), simple(_inferred), binary=True),
    Form("xinfAP, xinfAP@100", ("xinfAP",), _xinf_ap, "may"),
    Form("infNDCG, infNDCG@100", ("infNDCG",), _inf_ndcg, "may"),
    Form("statAP", ("statAP",), _stat_average_precision),
    Form("statR", ("statR",), _stat_relevant),
    Form("statRprec", ("statRprec",), _stat_rprec),
    Form("statPC@10", ("statPC",), _stat_pc, "must"),
    Form("statNDCG, statNDCG@10", ("statNDCG",), _stat_graded, "may"),
    Form("EAP, EAP(calibrated)", ("EAP",), _expected_ap, parameters={CALIBRATED: ""}),
    Form("Success@5", ("Success",), _success, "must", binary=True),
    Form("R@100", ("R",), _recall, "must", binary=True),
    *READER_FORMS,
    *DIVERSITY_FORMS,
    *GRADED_AVERAGE_FORMS,
    *RECALL_LEVEL_FORMS,
    *SET_FORMS,
]


# Measures of another measure's scores, as in Std(AP@10).
_DERIVED: dict[str, Callable[[Measure], Measure]] = {"std": StandardisedMeasure, "residual": ResidualMeasure}
_DERIVED_NAME = re.compile(rf"\s*({'|'.join(_DERIVED)})\((.+)\)\s*", re.IGNORECASE)
_KNOWN = {name: form for form in reversed(FORMS) for name in form.names}


def parse_measure(name: str) -> Measure:
    """The measure of that name, or of a name that another program has for it. ValueError names the nearest
    measure, and all.

    >>> [parse_measure(name).name for name in ("ndcg_cut_10", "P(rel=2)@5", "rbp(p=0.5)")]
    ['nDCG@10', 'P(rel=2)@5', 'RBP(p=0.5)']
    """
    if derived := _DERIVED_NAME.fullmatch(name):
        return _DERIVED[derived[1].casefold()](parse_measure(derived[2]))
    asked = MeasureName.read(usual_name(name, _KNOWN))
    form = None if asked is None else next((form for form in FORMS if form.fits(asked)), None)
    if asked is None or form is None:
        raise ValueError(f"no measure is called {name!r}; {or_all(_meant(name, asked), measure_names())}")
    measure = form.make(asked)
    if "rel" in asked.parameters:
        measure = GradedMeasure(measure, asked.number("rel", 1))
    return JudgedOnlyMeasure(measure) if JUDGED_ONLY in asked.parameters else measure


def _meant(name: str, asked: MeasureName | None) -> str:
    """The nearest measure, with the cut-off asked for, or the usual one if it needs one; empty if none is
    near."""
    base = asked.name if asked else name.partition("(")[0].partition("@")[0]
    if not (near := nearest_name(base, [*_KNOWN, *OTHER_NAMES])):
        return ""
    near = usual_name(near)
    cut = _KNOWN[near].cut
    at = asked.at if asked and cut != "never" else None
    needed = {"must": "10", "level": "0.1"}.get(cut)
    return f"{near}@{at or needed}" if at or needed else near


def parse_measures(name: str) -> list[Measure]:
    """Parse like `parse_measure`, but allow several persistences: RBP(p=0.5,0.8,0.95) is three measures."""
    several = re.fullmatch(
        rf"RBP\(p=({NUMBER}(?=,)(?:,{NUMBER}(?=[,)]))++)(,.+)?\)(@\d+)?", name.replace(" ", "")
    )
    if not several:
        return [parse_measure(name)]
    others, cut_off = several[2] or "", several[3] or ""
    return [parse_measure(f"RBP(p={p}{others}){cut_off}") for p in several[1].split(",")]


def measure_names() -> str:
    binary = ", ".join(dict.fromkeys(name for form in FORMS if form.binary for name in form.names))
    examples = ", ".join([*(form.example for form in FORMS), "Std(AP)", "Residual(RR)"])
    return f"{examples}; with rel=2 for grades from 2 on: {binary}"
