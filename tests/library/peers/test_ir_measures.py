"""Bounds as measures of ir_measures: the numbers of `judged.evaluate`, and of other providers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judged

irm = pytest.importorskip("ir_measures")
from judged import ir_measures as bounds  # noqa: E402

if TYPE_CHECKING:
    from ir_measures import Measure
    from ir_measures.util import TYPE_RUN

DOCNOS = [f"d{number}" for number in range(12)]
TOPICS = ["1", "2", "3"]
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
RUNS = st.dictionaries(
    st.sampled_from([*TOPICS, "4"]),
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 6).map(float), min_size=1),
)
QRELS = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(-1, 3), min_size=1).filter(
        lambda grades: max(grades.values()) >= 0
    ),
    min_size=1,
)
# Each measure's name here and the name of its part.
NAMES = {
    "RBP(p=0.5)": bounds.RBP_residual(p=0.5),
    "RBP(p=0.8,rel=2)@3": bounds.RBP_residual(p=0.8, rel=2) @ 3,
    "P@4": bounds.P_residual @ 4,
    "P(rel=2)@4": bounds.P_residual(rel=2) @ 4,
    "DCG@5": bounds.DCG_residual @ 5,
    "DCG(b=3)@5": bounds.DCG_residual(b=3) @ 5,
    "DCG(log2(i+1),gains=exp,max_rel=3)@5": bounds.DCG_residual(dcg="log2", gains="exp", max_rel=3) @ 5,
    "SDCG@5": bounds.SDCG_residual @ 5,
    "INSQ(T=2)": bounds.INSQ_residual(T=2),
}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    bounds.register()
    yield
    bounds.unregister()


def part(measure: Measure, name: str) -> Measure:
    named: Measure = irm.parse_measure(str(measure).replace("_residual", f"_{name}"))
    return named


def test_measures_are_read_back_from_their_text() -> None:
    for measure in [*NAMES.values(), *(part(one, "top") for one in NAMES.values()), bounds.statAP]:
        assert irm.parse_measure(str(measure)) == measure
    assert str(bounds.RBP_residual(p=0.8)) == "RBP_residual(p=0.8)"


@pytest.mark.filterwarnings("ignore::judged.collection.Notice")
@settings(deadline=None, max_examples=30)
@given(RUNS, QRELS)
def test_figures_are_those_of_evaluate(run: Run, qrels: Qrels) -> None:
    if not run.keys() & qrels.keys():
        return
    scores = judged.evaluate({"run": run}, qrels, [*NAMES, "RR", "Residual(RR)", "DCG@7"], topics="judged")
    parts = {name: [part(measure, one) for one in bounds.PARTS] for name, measure in NAMES.items()}
    asked = [*(one for three in parts.values() for one in three), bounds.RR_residual, bounds.RR_base]
    means, by_topic = irm.calc([*asked, bounds.DCG @ 7], qrels, run)
    values = {(metric.measure, metric.query_id): metric.value for metric in by_topic}
    assert len(values) == len(by_topic) == len(qrels) * (len(asked) + 1)
    for name, three in parts.items():
        row = scores["run", name]
        assert [means[one] for one in three] == [row.base, row.residual, row.top]
        for topic in qrels:
            row = scores.per_topic["run", name, topic]
            assert [values[one, topic] for one in three] == [row.base, row.residual, row.top]
    assert means[bounds.RR_base] == scores["run", "RR"].score
    assert means[bounds.RR_residual] == scores["run", "Residual(RR)"].score
    assert means[bounds.DCG @ 7] == scores["run", "DCG@7"].score


@settings(deadline=None, max_examples=50)
@given(RUNS, QRELS)
def test_bases_are_the_scores_of_other_providers(run: Run, qrels: Qrels) -> None:
    same = {
        bounds.P_base @ 4: irm.P @ 4,
        bounds.P_base(rel=2) @ 4: irm.P(rel=2) @ 4,
        bounds.P_base(judged_only=True) @ 4: irm.P(judged_only=True) @ 4,
        bounds.RR_base: irm.RR,
    }
    found = irm.calc_aggregate([*same, *same.values()], qrels, run)
    for ours, theirs in same.items():
        assert found[ours] == pytest.approx(found[theirs], abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(RUNS, QRELS)
def test_rbp_of_ir_measures_is_the_sum_over_ranks(run: Run, qrels: Qrels) -> None:
    total = 0.0
    for topic, grades in qrels.items():
        ranked = sorted(run.get(topic, {}).items(), key=lambda one: (one[1], one[0]), reverse=True)
        total += sum(0.2 * 0.8**rank for rank, (docno, _) in enumerate(ranked) if grades.get(docno, 0) >= 2)
    assert irm.calc_aggregate([irm.RBP(rel=2)], qrels, run)[irm.RBP(rel=2)] == pytest.approx(
        total / len(qrels), abs=1e-12
    )


def test_topics_without_results_are_open() -> None:
    asked = [bounds.RBP_base, bounds.RBP_residual, bounds.RBP_top]
    runs: list[TYPE_RUN] = [{}, [], {"1": {}}, {"9": {"d1": 1.0}}]
    for run in runs:
        assert list(irm.calc_aggregate(asked, {"1": {"d1": 1}}, run).values()) == [0, 1, 1]
    found = irm.calc_aggregate([bounds.RBP_top(p=0.5)], {"1": {"d1": 1}, "2": {"d1": 0}}, {"1": {"d1": 1.0}})
    assert list(found.values()) == [1]


def test_qrels_and_runs_may_be_frames_or_named_tuples() -> None:
    qrels = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 0]})
    run = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "c"], "score": [2.0, 1.0], "name": "x"})
    tuples = [irm.Qrel("1", "a", 1), irm.Qrel("1", "b", 0)]
    lists = [irm.ScoredDoc("1", "a", 2.0), irm.ScoredDoc("1", "c", 1.0)]
    asked = [bounds.RBP_residual(p=0.5), irm.AP]
    first = irm.calc_aggregate(asked, qrels, run)
    assert first == irm.calc_aggregate(asked, iter(tuples), iter(lists)) == {asked[0]: 0.5, irm.AP: 1.0}


def test_gains_of_grades_may_be_given() -> None:
    measure, qrels, run = bounds.RBP_base(p=0.5), {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}
    assert irm.calc_aggregate([measure], qrels, run) == {measure: 0.75}
    bounds.register(gains=[0, 0.5, 1])
    assert irm.calc_aggregate([measure], qrels, run) == {measure: 0.5}
    with pytest.raises(ValueError, match="outside"):
        bounds.register(gains=[0, 3])


def test_estimates_read_further_columns_of_the_qrels(tmp_path: Path) -> None:
    rows = [("1", "a", 1, 0.5, 1), ("1", "b", 0, 0.25, 2), ("1", "c", 1, 1.0, 1), ("2", "a", 0, 0.5, 1)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iprob", "stratum"])
    run = {"1": {"a": 3.0, "b": 2.0, "x": 1.5, "c": 1.0}, "2": {"a": 1.0}}
    prels, strata = tmp_path / "prels", tmp_path / "strata"
    prels.write_text("".join(f"{q} {d} {r} 1 {p}\n" for q, d, r, p, _ in rows))
    strata.write_text("".join(f"{q} 0 {d} {s} {r}\n" for q, d, r, _, s in rows))
    nested = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0}}
    names = ["statAP", "statPC@2", "xinfAP", "infNDCG@3"]
    scores = judged.evaluate({"run": run}, nested, names, prels=prels, strata=strata)
    asked = [irm.parse_measure(name) for name in names]
    means, by_topic = irm.calc(asked, qrels, run)
    assert [means[one] for one in asked] == [scores["run", name].score for name in names]
    # The second topic has no relevant document in its sample, and so no value.
    [second] = [one.value for one in by_topic if (one.measure, one.query_id) == (bounds.statAP, "2")]
    assert second != second
    tuples = [irm.Qrel(q, d, r, str(s)) for q, d, r, _, s in rows]
    assert irm.calc_aggregate([bounds.xinfAP], tuples, run) == {bounds.xinfAP: means[bounds.xinfAP]}
    with pytest.raises(ValueError, match="iprob"):
        irm.calc_aggregate([bounds.statAP], tuples, run)


def test_wrong_parameters_are_named() -> None:
    with pytest.raises(ValueError, match=r"p = 1\.8"):
        irm.calc_aggregate([bounds.RBP_top(p=1.8)], {"1": {"a": 1}}, {})
    with pytest.raises(AssertionError, match="cutoff"):
        irm.calc_aggregate([bounds.P_top], {"1": {"a": 1}}, {})
    with pytest.raises(judged.FormatError, match="grade"):
        irm.calc_aggregate([bounds.RBP_top], {"1": {"a": -7}}, {})
    with pytest.raises(AttributeError, match="RBP_middle"):
        bounds.RBP_middle  # noqa: B018


def test_registering_is_idempotent_and_can_be_undone() -> None:
    providers = list(irm.DefaultPipeline.providers)
    bounds.register()
    assert irm.DefaultPipeline.providers == providers
    bounds.unregister()
    bounds.unregister()
    assert len(irm.DefaultPipeline.providers) == len(providers) - 1
    assert "RBP_top" not in irm.measures.registry
    with pytest.raises(ValueError, match="Unsupported"):
        irm.calc_aggregate([bounds.RBP_top], {"1": {"a": 1}}, {})
