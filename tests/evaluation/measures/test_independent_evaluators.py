"""Against two independent evaluators, on random data with ties, grades and missing topics.

Where conventions differ, a test says so: see the end of the file.
"""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.names import parse_measure
from tests.evaluation.measures.random_runs import Qrels, Run, random_qrels, random_run, scores_of

# They have no wheels for ARM Linux, and ir_measures does not run on Python 3.14.
ir_measures = pytest.importorskip("ir_measures")
pytrec_eval = pytest.importorskip("pytrec_eval")

TREC_EVAL = {
    "AP": "map",
    "AP@10": "map_cut_10",
    "P@5": "P_5",
    "P@100": "P_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@100": "ndcg_cut_100",
    "Bpref": "bpref",
    "Success@5": "success_5",
    "R@15": "recall_15",
    "Rndcg": "Rndcg",
    "ndcg_rel": "ndcg_rel",
    "G": "G",
    "binG": "binG",
    "Rprec(mult=0.2)": "Rprec_mult_0.20",
    "Rprec(mult=1.8)": "Rprec_mult_1.80",
    "RelP@20": "relative_P_20",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetF": "set_F",
    "SetAP": "set_map",
    "SetRelP": "set_relative_P",
    "Utility": "utility",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "NumNonrelRet": "num_nonrel_judged_ret",
}
FAMILIES = {"P", "map_cut", "ndcg_cut", "success", "recall", "Rprec_mult", "relative_P"}
FAMILIES |= {key for key in TREC_EVAL.values() if key.rpartition("_")[0] not in FAMILIES}


def data(seed: int, highest: int) -> tuple[Qrels, Run]:
    rng = np.random.default_rng(seed)
    return random_qrels(rng, highest=highest), random_run(rng)


@pytest.mark.parametrize("highest", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_trec_eval_agrees(seed: int, highest: int) -> None:
    qrels, run = data(seed, highest)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run)
    assert len(theirs) == 10
    for name, key in TREC_EVAL.items():
        ours = scores_of(name, qrels, run, highest)
        assert ours == pytest.approx({topic: row[key] for topic, row in theirs.items()}, abs=1e-12), name


@pytest.mark.parametrize("seed", range(4))
def test_trec_eval_infers_the_same_average_precision(seed: int) -> None:
    rng = np.random.default_rng(seed)
    qrels, run = random_qrels(rng, highest=1, not_judged=True), random_run(rng)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}).evaluate(run)
    ours = scores_of("infAP", qrels, run)
    assert ours == pytest.approx({topic: row["infAP"] for topic, row in theirs.items()}, abs=1e-12)


@pytest.mark.parametrize(
    "name", ["AP", "AP@10", "P@5", "RR", "Rprec", "nDCG", "nDCG@10", "Bpref", "Success@5", "R@15"]
)
def test_ir_measures_agrees_and_gives_missing_topics_nothing(name: str) -> None:
    qrels, run = data(7, 3)
    measure = ir_measures.parse_measure(name)
    found = {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, run)}
    ours = scores_of(name, qrels, run, 3)
    # Topics 0 and 1 are in the qrels only, 12 and 13 in the run only.
    assert found.keys() - ours.keys() <= {"0", "1"}
    assert {topic: found[topic] for topic in ours} == pytest.approx(ours, abs=1e-12)
    assert all(found[topic] == 0 for topic in found.keys() - ours.keys())


GRADED_NAMES = [
    "AP(rel=2)",
    "AP(rel=2)@10",
    "P(rel=3)@5",
    "RR(rel=2)",
    "RR(rel=2)@10",
    "RR@10",
    "Rprec(rel=2)",
    "Bpref(rel=2)",
    "R(rel=2)@15",
    "Success(rel=3)@5",
]


def without_ties(run: Run) -> Run:
    """Not all that ir_measures calls breaks ties alike."""
    return {topic: {docno: place / 7 for place, docno in enumerate(scores)} for topic, scores in run.items()}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GRADED_NAMES)
def test_ir_measures_agrees_on_the_lowest_relevant_grade(name: str, seed: int) -> None:
    qrels, run = data(seed, 3)
    run = without_ties(run) if name.startswith("RR") else run
    found = {
        row.query_id: row.value
        for row in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
    }
    ours = scores_of(name, qrels, run, 3)
    assert len(set(ours.values())) > 1
    assert {topic: found[topic] for topic in ours} == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize("name", ["ERR@5", "ERR@20"])
def test_gdeval_agrees(name: str) -> None:
    qrels, run = data(3, 4)
    measure = ir_measures.parse_measure(name)
    found = {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, run)}
    ours = scores_of(name, qrels, run, 4)
    # gdeval prints five decimals, and leaves out topics without a relevant document.
    assert {topic: found.get(topic, 0.0) for topic in ours} == pytest.approx(ours, abs=5.1e-6)
    assert len(found.keys() & ours.keys()) > 5


def test_gdeval_agrees_on_exponential_gains() -> None:
    qrels, run = data(3, 4)
    measure = ir_measures.parse_measure("nDCG(dcg='exp-log2')@20")
    found = {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, run)}
    ours = scores_of("nDCG(gains=exp)@20", qrels, run, 4)
    assert {topic: found.get(topic, 0.0) for topic in ours} == pytest.approx(ours, abs=5.1e-6)
    assert parse_measure(str(measure)).name == "nDCG(gains=exp)@20"


@pytest.mark.parametrize("name", ["Judged@5", "Judged@100", "Judged"])
def test_ir_measures_agrees_on_the_share_of_judged_documents(name: str) -> None:
    qrels, run = data(11, 2)
    run = without_ties(run)
    measure = ir_measures.parse_measure(name)
    found = {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, run)}
    ours = scores_of(name, qrels, run, 2)
    assert {topic: found[topic] for topic in ours} == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["Compat(p=0.95)", "Compat(p=0.5)"])
def test_ir_measures_agrees_on_compatibility(name: str, seed: int) -> None:
    qrels, run = data(seed, 3)
    run = without_ties(run)
    measure = ir_measures.parse_measure(name)
    found = {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, run)}
    ours = scores_of(name, qrels, run, 3)
    assert len(set(ours.values())) > 5
    assert {topic: found[topic] for topic in ours} == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize(
    "name",
    [
        "P(judged_only=True)@5",
        "AP(rel=2,judged_only=True)",
        "RR(judged_only=True)",
        "nDCG(judged_only=True)@10",
        "SetP(judged_only=True)",
    ],
)
def test_ir_measures_agrees_on_judged_documents_alone(name: str) -> None:
    qrels, run = data(13, 3)
    run = without_ties(run)
    measure = ir_measures.parse_measure(name)
    found = {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, run)}
    ours = scores_of(name, qrels, run, 3)
    assert len(set(ours.values())) > 1
    assert {topic: found[topic] for topic in ours} == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize("asked", ["RBP(p=0.8)@10", "RBP(p=0.8,rel=2)@10", "INST(T=2,max_rel=3)", "ERR@20"])
def test_names_are_those_of_ir_measures(asked: str) -> None:
    """It leaves out defaults where it writes names; both read both."""
    theirs = ir_measures.parse_measure(asked)
    assert parse_measure(str(theirs)).name == parse_measure(asked).name == asked


def test_bpref_of_a_topic_without_nonrelevant_documents_is_its_recall() -> None:
    qrels, run = {"1": {"a": 1, "b": 1}}, {"1": {"a": 2.0, "x": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}).evaluate(run)["1"]["bpref"]
    assert scores_of("Bpref", qrels, run) == {"1": theirs} == {"1": 0.5}


def test_unlike_trec_eval_junk_is_judged_not_relevant_in_bpref() -> None:
    """trec_eval leaves every grade below 0 out of bpref; here -1 is left out and -2 is judged."""
    qrels, run = {"1": {"a": 1, "b": 0, "j": -2}}, {"1": {"j": 3.0, "a": 2.0, "b": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}).evaluate(run)["1"]["bpref"]
    assert theirs == 1.0
    assert scores_of("Bpref", qrels, run) == {"1": 0.0}
