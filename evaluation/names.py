"""Measures by the names that the community uses for them, each a row of the table `FORMS`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

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
from evaluation.measure import (
    RBP,
    DrawnRankings,
    FieldMeasure,
    Formula,
    Measure,
    Rankings,
    Scores,
    StratifiedRankings,
    WeightedMeasure,
)
from evaluation.measures.bounds import dcg_weighting, precision_weighting
from evaluation.measures.cumulated_gain import check_beta, ndcg, q_measure
from evaluation.measures.gains import check_cut_off
from evaluation.measures.incomplete_judgments import bpref, inferred_ap
from evaluation.measures.precision import (
    average_precision,
    average_precision_of_retrieved,
    r_precision,
    recall_at,
    reciprocal_rank,
    success_at,
    sum_of_precisions,
)

NameMatch = re.Match[str]
NUMBER = r"[0-9.eE+-]+"
K = r"@(?P<k>\d+)"
# A logarithm's base, or trec_eval's discount of rank i.
BASE = rf"(\((b=(?P<b>{NUMBER})|(?P<plain>log2\(i\+1\)))\))?"


@dataclass(frozen=True)
class Form:
    """An example of a name, what names of this form look like, and how the measure is made."""

    example: str
    pattern: str
    make: Callable[[NameMatch], Measure]


def _precision(found: NameMatch) -> Measure:
    k = _cut_off(found)
    return WeightedMeasure(f"P@{k}", precision_weighting(k), binary=True)


def _success(found: NameMatch) -> Measure:
    k = _cut_off(found)
    return Formula(f"Success@{k}", lambda topic: success_at(topic.gains, k))


def _recall(found: NameMatch) -> Measure:
    k = _cut_off(found)
    return Formula(f"R@{k}", lambda topic: recall_at(topic.gains, topic.relevant, k))


def _average_precision(found: NameMatch) -> Measure:
    k = _cut_off(found) if found["k"] else None
    name = "AP" if k is None else f"AP@{k}"
    return Formula(name, lambda topic: average_precision(topic.gains, topic.relevant, k))


def _ndcg(found: NameMatch) -> Measure:
    k = _cut_off(found) if found["k"] else None
    name = "nDCG" if k is None else f"nDCG@{k}"
    return Formula(name, lambda topic: ndcg(topic.gains, topic.judged, k))


def _dcg(found: NameMatch) -> Measure:
    k, scaled = _cut_off(found), bool(found["scaled"])
    base = None if found["plain"] else float(found["b"] or 2)
    form = "(log2(i+1))" if base is None else "" if base == 2 else f"(b={base:g})"
    weighting = dcg_weighting(k, base, scaled=scaled)
    return WeightedMeasure(f"{found['scaled'] or ''}DCG{form}@{k}", weighting)


def _bpref(found: NameMatch) -> Measure:
    k = int(found["k"] or 0)
    name = f"Bpref(k={k})" if k else "Bpref"
    return Formula(name, lambda topic: bpref(topic.gains, topic.relevant, topic.nonrelevant, k))


def _q(found: NameMatch) -> Measure:
    beta = check_beta(float(found["beta"] or 1))
    name = "Q" if beta == 1 else f"Q(beta={beta:g})"
    return Formula(name, lambda topic: q_measure(topic.gains, topic.judged, beta))


def _inferred(topic: Rankings) -> FloatArray:
    judged = ~np.isnan(topic.gains)
    return inferred_ap(topic.gains, judged if topic.pooled is None else topic.pooled, topic.relevant)


def _damped(found: NameMatch) -> Measure:
    damping = float(found["damping"])
    if not damping >= 0:
        raise ValueError(f"damping = {damping} is negative")
    return Formula(f"RR(damping={damping:g})", lambda topic: reciprocal_rank(topic.gains, damping=damping))


def _cut_off(found: NameMatch) -> int:
    return check_cut_off(int(found["k"]))


def _stat_average_precision(found: NameMatch) -> Measure:
    def formula(drawn: DrawnRankings) -> Scores:
        made = stat_ap_with_variance(drawn.gains, drawn.inclusion, drawn.sample)
        error = sampling_error(drawn.gains, drawn.inclusion, drawn.sample)
        return Scores(made.estimate, variance=made.variance, error=error)

    return _of_sample("statAP", formula)


def _stat_relevant(found: NameMatch) -> Measure:
    def formula(drawn: DrawnRankings) -> Scores:
        both = drawn.sample.relevant, stat_relevant_variance(drawn.sample)
        estimate, variance = (np.full(len(drawn.gains), value) for value in both)
        return Scores(estimate, variance=variance)

    return _of_sample("statR", formula)


def _stat_rprec(found: NameMatch) -> Measure:
    """Without a variance: that of the ratio leaves out the cut's own uncertainty, and is far too small."""

    def formula(drawn: DrawnRankings) -> Scores:
        return Scores(stat_r_precision(drawn.gains, drawn.inclusion, drawn.sample))

    return _of_sample("statRprec", formula, spread=False)


def _stat_pc(found: NameMatch) -> Measure:
    k = _cut_off(found)

    def formula(drawn: DrawnRankings) -> Scores:
        variance = stat_precision_variance(drawn.gains, drawn.inclusion, drawn.sample, k)
        return Scores(stat_precision(drawn.gains, drawn.inclusion, k), variance=variance)

    return _of_sample(f"statPC@{k}", formula)


def _stat_graded(found: NameMatch) -> Measure:
    name, k = _name_and_depth("statNDCG", found)

    def formula(drawn: DrawnRankings) -> Scores:
        made = stat_ndcg(drawn.grades, drawn.inclusion, drawn.sample, k)
        return Scores(made.estimate, variance=made.variance)

    return _of_sample(name, formula)


def _xinf_ap(found: NameMatch) -> Measure:
    name, k = _name_and_depth("xinfAP", found)
    return _of_strata(name, lambda of: stratified_ap(of.gains, of.strata, of.pool, k))


def _inf_ndcg(found: NameMatch) -> Measure:
    name, k = _name_and_depth("infNDCG", found)
    return _of_strata(name, lambda of: stratified_ndcg(of.gains, of.strata, of.pool, k))


def _expected_ap(found: NameMatch) -> Measure:
    def formula(topic: Rankings) -> Scores:
        assert topic.expected is not None
        made = topic_moments(topic.expected.rankings, topic.expected.relevance)
        return Scores(made.ap, variance=made.ap_variance)

    return FieldMeasure("EAP", "expected", formula, spread=True)


def _name_and_depth(name: str, found: NameMatch) -> tuple[str, int]:
    if not found["k"]:
        return name, STRATIFIED_DEPTH
    k = _cut_off(found)
    return f"{name}@{k}", k


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


FORMS = [
    Form(
        "RBP(p=0.8) with any p inside (0, 1), RBP(p=0.5,0.8,0.95), RBP(p=0.8,ties=shared)",
        rf"RBP\(p=(?P<p>{NUMBER})(?P<ties>,ties=shared)?\)",
        lambda found: RBP(float(found["p"]), bool(found["ties"])),
    ),
    Form("P@10", f"P{K}", _precision),
    Form("AP, AP@100", f"AP({K})?", _average_precision),
    Form("SP", "SP", lambda found: Formula("SP", lambda topic: sum_of_precisions(topic.gains))),
    Form(
        "AP*",
        r"AP\*",
        lambda found: Formula("AP*", lambda topic: average_precision_of_retrieved(topic.gains)),
    ),
    Form("RR", "RR", lambda found: Formula("RR", lambda topic: reciprocal_rank(topic.gains))),
    Form("RR2", "RR2", lambda found: Formula("RR2", lambda topic: reciprocal_rank(topic.gains, nth=2))),
    Form("RR(damping=2)", rf"RR\(damping=(?P<damping>{NUMBER})\)", _damped),
    Form(
        "Rprec",
        "Rprec",
        lambda found: Formula("Rprec", lambda topic: r_precision(topic.gains, topic.relevant)),
    ),
    Form("nDCG, nDCG@10", f"nDCG({K})?", _ndcg),
    Form("DCG@100, SDCG@100, DCG(b=10)@100, DCG(log2(i+1))@100", f"(?P<scaled>S)?DCG{BASE}{K}", _dcg),
    Form("Bpref, Bpref(k=10)", r"Bpref(\(k=(?P<k>\d+)\))?", _bpref),
    Form("Q, Q(beta=2)", rf"Q(\(beta=(?P<beta>{NUMBER})\))?", _q),
    Form("infAP", "infAP", lambda found: Formula("infAP", _inferred)),
    Form("xinfAP, xinfAP@100", f"xinfAP({K})?", _xinf_ap),
    Form("infNDCG, infNDCG@100", f"infNDCG({K})?", _inf_ndcg),
    Form("statAP", "statAP", _stat_average_precision),
    Form("statR", "statR", _stat_relevant),
    Form("statRprec", "statRprec", _stat_rprec),
    Form("statPC@10", f"statPC{K}", _stat_pc),
    Form("statNDCG, statNDCG@10", f"statNDCG({K})?", _stat_graded),
    Form("EAP", "EAP", _expected_ap),
    Form("Success@5", f"[Ss]uccess{K}", _success),
    Form("R@100", f"(R|[Rr]ecall){K}", _recall),
]


def parse_measure(name: str) -> Measure:
    """The measure of that name; ValueError says which names there are."""
    for form in FORMS:
        found = re.fullmatch(form.pattern, name.replace(" ", ""))
        if found:
            return form.make(found)
    raise ValueError(f"no measure is called {name!r}; there are {measure_names()}")


def parse_measures(name: str) -> list[Measure]:
    """As `parse_measure`, with several persistences at once: RBP(p=0.5,0.8,0.95) is three measures."""
    several = re.fullmatch(rf"RBP\(p=({NUMBER}(?:,{NUMBER})+)(,ties=shared)?\)", name.replace(" ", ""))
    if not several:
        return [parse_measure(name)]
    return [RBP(float(p), bool(several[2])) for p in several[1].split(",")]


def measure_names() -> str:
    return ", ".join(form.example for form in FORMS)
