"""Names of measures of subtopics."""

from __future__ import annotations

from collections.abc import Callable

from evaluation.arrays import FloatArray
from evaluation.forms.form import NUMBER, Form, MeasureName
from evaluation.measure import FieldMeasure, Measure, Rankings, Scores, SubtopicRankings
from evaluation.measures.diversity import alpha_ndcg, check_alpha, intent_aware_err


def _of_subtopics(name: str, formula: Callable[[SubtopicRankings], FloatArray]) -> Measure:
    def of_topic(topic: Rankings) -> Scores:
        assert topic.subtopics is not None
        return Scores(formula(topic.subtopics))

    return FieldMeasure(name, "subtopics", of_topic)


def _alpha_ndcg(asked: MeasureName) -> Measure:
    alpha, k = check_alpha(asked.number("alpha", 0.5)), asked.cut_off
    name = asked.called("" if alpha == 0.5 else f"alpha={alpha:g}")
    return _of_subtopics(name, lambda of: alpha_ndcg(of.relevance, of.pool, k, alpha))


def _err_ia(asked: MeasureName) -> Measure:
    k = asked.cut_off
    return _of_subtopics(
        asked.called(), lambda of: intent_aware_err(of.relevance, int(of.pool.any(axis=0).sum()), k)
    )


DIVERSITY_FORMS = [
    Form("alpha_nDCG@20, alpha_nDCG(alpha=0.3)@20", ("alpha_nDCG",), _alpha_ndcg, "must", {"alpha": NUMBER}),
    Form("ERR_IA@20", ("ERR_IA",), _err_ia, "must"),
]
