"""Measures that estimate a score from incomplete judgments, and need to know how those were chosen."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.estimation.mtc import topic_moments
from evaluation.estimation.sample_variance import stat_precision_variance, stat_relevant_variance
from evaluation.estimation.statap import stat_precision, stat_r_precision
from evaluation.estimation.statap_variance import stat_ap_with_variance
from evaluation.estimation.statndcg import stat_ndcg
from evaluation.estimation.stratified import DEPTH, stratified_ap, stratified_ndcg
from evaluation.measure import DrawnRankings, Rankings, Scores, StratifiedRankings
from evaluation.measure_kinds import Measure, Needing
from evaluation.measures.gains import check_cut_off

Found = re.Match[str]


def stat_average_precision(found: Found) -> Measure:
    def formula(drawn: DrawnRankings) -> Scores:
        made = stat_ap_with_variance(drawn.gains, drawn.inclusion, drawn.sample)
        return Scores(made.estimate, variance=made.variance)

    return _of_sample("statAP", formula)


def stat_relevant(found: Found) -> Measure:
    def formula(drawn: DrawnRankings) -> Scores:
        both = drawn.sample.relevant, stat_relevant_variance(drawn.sample)
        estimate, variance = (np.full(len(drawn.gains), value) for value in both)
        return Scores(estimate, variance=variance)

    return _of_sample("statR", formula)


def stat_rprec(found: Found) -> Measure:
    """Without a variance: that of the ratio leaves out the cut's own uncertainty, and is far too small."""

    def formula(drawn: DrawnRankings) -> Scores:
        return Scores(stat_r_precision(drawn.gains, drawn.inclusion, drawn.sample))

    return _of_sample("statRprec", formula, spread=False)


def stat_pc(found: Found) -> Measure:
    k = check_cut_off(int(found["k"]))

    def formula(drawn: DrawnRankings) -> Scores:
        variance = stat_precision_variance(drawn.gains, drawn.inclusion, drawn.sample, k)
        return Scores(stat_precision(drawn.gains, drawn.inclusion, k), variance=variance)

    return _of_sample(f"statPC@{k}", formula)


def stat_graded(found: Found) -> Measure:
    name, k = _name_and_depth("statNDCG", found)

    def formula(drawn: DrawnRankings) -> Scores:
        made = stat_ndcg(drawn.grades, drawn.inclusion, drawn.sample, k)
        return Scores(made.estimate, variance=made.variance)

    return _of_sample(name, formula)


def xinf_ap(found: Found) -> Measure:
    name, k = _name_and_depth("xinfAP", found)
    return _of_strata(name, lambda of: stratified_ap(of.gains, of.strata, of.pool, k))


def inf_ndcg(found: Found) -> Measure:
    name, k = _name_and_depth("infNDCG", found)
    return _of_strata(name, lambda of: stratified_ndcg(of.gains, of.strata, of.pool, k))


def expected_ap(found: Found) -> Measure:
    def formula(topic: Rankings) -> Scores:
        assert topic.expected is not None
        made = topic_moments(topic.expected.rankings, topic.expected.relevance)
        return Scores(made.ap, variance=made.ap_variance)

    return Needing("EAP", "expected", formula, spread=True)


def _name_and_depth(name: str, found: Found) -> tuple[str, int]:
    if not found["k"]:
        return name, DEPTH
    return f"{name}@{check_cut_off(int(found['k']))}", int(found["k"])


def _of_sample(name: str, formula: Callable[[DrawnRankings], Scores], spread: bool = True) -> Measure:
    def of_topic(topic: Rankings) -> Scores:
        assert topic.drawn is not None
        return formula(topic.drawn)

    return Needing(name, "drawn", of_topic, spread)


def _of_strata(name: str, formula: Callable[[StratifiedRankings], FloatArray]) -> Measure:
    def of_topic(topic: Rankings) -> Scores:
        assert topic.stratified is not None
        return Scores(formula(topic.stratified))

    return Needing(name, "stratified", of_topic)
