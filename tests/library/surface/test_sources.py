"""Runs and qrels from every source are the same, and wrong ones are refused by row and column."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import judged
from campaigns.formats.errors import breaks_path
from tests.library.surface.sample_sources import QRELS, RUNS, Runs, qrels_columns, run_columns, write_files

MEASURES = ["RBP(p=0.8)", "RBP(p=0.5,ties=shared)", "AP", "nDCG@10", "infAP", "ERR@20"]
pytestmark = pytest.mark.filterwarnings("ignore::judged.Notice")
ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])
Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])


def scored_docs(name: str) -> list[ScoredDoc]:
    return [ScoredDoc(t, d, s) for t, ranking in RUNS[name].items() for d, s in ranking.items()]


def polars_frame(columns: dict[str, list[Any]]) -> object:
    return pytest.importorskip("polars").DataFrame(columns)


IR_MEASURES, TREC = ("system", "query_id", "doc_id", "score"), ("name", "topic", "docno", "score")
SOURCES: dict[str, Callable[[], Any]] = {
    "dictionaries": lambda: RUNS,
    "named tuples": lambda: {name: scored_docs(name) for name in RUNS},
    "a generator": lambda: {name: iter(scored_docs(name)) for name in RUNS},
    "pandas": lambda: pd.DataFrame(run_columns()),
    "pandas, categories": lambda: pd.DataFrame(run_columns(names=IR_MEASURES)).astype(
        {"system": "category", "query_id": "category"}
    ),
    "pandas, whole topics": lambda: pd.DataFrame(run_columns(names=TREC)).astype({"topic": "int64"}),
    "pandas, nullable": lambda: pd.DataFrame(run_columns()).convert_dtypes(),
    "polars": lambda: polars_frame(run_columns(names=IR_MEASURES)),
    "pyarrow": lambda: pa.table(run_columns(names=TREC)),
    "a frame each": lambda: {
        name: pd.DataFrame(run_columns({name: RUNS[name]})).drop(columns="run") for name in RUNS
    },
}
JUDGMENTS: dict[str, Callable[[], Any]] = {
    "dictionaries": lambda: QRELS,
    "named tuples": lambda: [Qrel(t, d, g, "0") for t, judged_ in QRELS.items() for d, g in judged_.items()],
    "pandas": lambda: pd.DataFrame(qrels_columns()),
    "pandas, floats": lambda: pd.DataFrame(qrels_columns()).astype({"label": "float64"}),
    "polars": lambda: polars_frame(qrels_columns(("query_id", "doc_id", "relevance"))),
    "pyarrow": lambda: pa.table(qrels_columns(("topic", "docno", "grade"))),
}


@pytest.mark.parametrize("runs", SOURCES)
def test_runs_of_every_source_score_as_their_files(tmp_path: Path, runs: str) -> None:
    files = write_files(tmp_path)
    of_source = judged.evaluate(SOURCES[runs](), files[1], MEASURES)
    assert of_source.rows == judged.evaluate(*files, MEASURES).rows


@pytest.mark.parametrize("qrels", JUDGMENTS)
def test_qrels_of_every_source_score_as_their_file(tmp_path: Path, qrels: str) -> None:
    files = write_files(tmp_path)
    of_source = judged.evaluate(files[0], JUDGMENTS[qrels](), MEASURES)
    assert of_source.rows == judged.evaluate(*files, MEASURES).rows


docnos = st.text(
    st.characters(codec="utf-8", min_codepoint=33, exclude_categories=["Z", "C"]), min_size=1, max_size=3
).filter(lambda name: not breaks_path(name) and not name.startswith("#"))
# Of many equal scores, some only as 32-bit floats.
scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, -2.5, 1e30, 0.1 + 0.2, 0.3])
rankings = st.dictionaries(docnos, scores, min_size=1, max_size=9)
some_runs = st.dictionaries(
    st.sampled_from("rst"), st.dictionaries(st.sampled_from("123"), rankings, min_size=1), min_size=1
)


@settings(deadline=None)
@given(some_runs, st.sampled_from([64, 32]), st.sampled_from(["score", "line"]))
def test_frames_rank_documents_as_files_do(
    tmp_path_factory: pytest.TempPathFactory, runs: Runs, precision: Any, order: Any
) -> None:
    folder = write_files(tmp_path_factory.mktemp("runs"), runs)[0]
    of_files = judged.read_runs(folder, order=order, score_precision=precision)
    of_frame = judged.read_runs(pd.DataFrame(run_columns(runs)), order=order, score_precision=precision)
    assert sorted(of_frame) == sorted(of_files)
    for name in of_files:
        assert [(t, [*r.items()]) for t, r in sorted(of_frame[name].items())] == [
            (t, [*r.items()]) for t, r in sorted(of_files[name].items())
        ]


def test_order_by_rank_and_ranks_without_scores() -> None:
    frame = pd.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "rank": [2, 0, 1]})
    assert list(judged.read_runs(frame)["run"]["1"]) == ["b", "c", "a"]
    scored = frame.assign(score=[1.0, 2.0, 3.0])
    assert list(judged.read_runs(scored)["run"]["1"]) == ["c", "b", "a"]
    assert list(judged.read_runs(scored, order="rank")["run"]["1"]) == ["b", "c", "a"]


def frame(**columns: Any) -> pd.DataFrame:
    usual = {"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "sim": [1.0, 2.0, 3.0]}
    return pd.DataFrame({**usual, **columns})


WRONG_RUNS: dict[str, Any] = {
    "runs: row 2 score nan is not a decimal number (column 'sim')": frame(sim=[1.0, np.nan, 3.0]),
    "runs: row 3 score inf is not a decimal number (column 'sim')": frame(sim=[1.0, 2.0, np.inf]),
    "runs: row 1 score 'x' is not a decimal number (column 'sim')": frame(sim=["x", 2.0, 3.0]),
    "runs: row 2 score 'True' is not a decimal number (column 'sim')": frame(sim=[1.0, True, 3.0]),
    "runs: row 3 no score (column 'sim')": pa.table({**frame().to_dict("list"), "sim": [1.0, 2.0, None]}),
    "runs: row 2 docno 'a' a second time in topic '1' (first in row 1) (column 'docno')": frame(
        docno=["a", "a", "a"]
    ),
    "runs: row 1 a docno is one word, without blanks and control characters: 'a b' (column 'docno')": frame(
        docno=["a b", "b", "c"]
    ),
    f"runs: row 1 docno longer than 512 bytes: '{'d' * 60}…' (column 'docno')": frame(
        docno=["d" * 513, "b", "a"]
    ),
    "runs: row 3 a docno cannot be or hold the step “.” or “..”, which addresses give another meaning: 'a/..'"
    " (column 'docno')": frame(docno=["a", "b", "a/.."]),
    "runs: row 2 no docno (column 'docno')": frame(docno=["a", None, "a"]),
    "runs: row 1 no topic (column 'qid')": frame(qid=["", "1", "2"]),
    "runs: no row in it": frame().iloc[:0],
    "runs: entry 2 score 'x' is not a decimal number": {"1": {"a": 1.0, "b": "x"}},
    "run 'r': entry 1 score nan is not a decimal number": {"r": {"1": {"a": float("nan")}}},
    "runs: no entry in it": {},
}


@pytest.mark.parametrize("detail", WRONG_RUNS)
def test_wrong_value_of_a_run_is_named_by_row_and_column(detail: str) -> None:
    with pytest.raises(judged.FormatError) as refused:
        judged.read_runs(WRONG_RUNS[detail])
    assert detail in str(refused.value).splitlines()


def test_every_wrong_row_is_listed() -> None:
    with pytest.raises(judged.FormatError) as refused:
        judged.read_runs(frame(sim=[np.nan] * 3, docno=[None] * 3))
    assert refused.value.total == 6


def test_missing_columns_are_named_with_the_names_looked_for() -> None:
    with pytest.raises(
        judged.FormatError, match="columns docno, sim: no topic: one of qid, queryid, topicid"
    ):
        judged.read_runs(frame().drop(columns="qid"))
    with pytest.raises(judged.FormatError, match="no grade: one of relevance, rel, label"):
        judged.read_qrels(frame().drop(columns="sim"))


@pytest.mark.parametrize("source", [5, "none.txt", [1, 2], {"r": [("1", "a", 1.0)]}, {"1": 3.0}, {7: RUNS}])
def test_other_types_are_refused(source: Any) -> None:
    with pytest.raises((TypeError, judged.FormatError)):
        judged.read_runs(source)


WRONG_QRELS = {
    "qrels: row 2 docno 'a' has grade 1 here and 0 in row 1, in topic '1' (column 'docno')": None,
    "qrels: row 1 grade '-3' has no meaning: -1 is not judged, -2 is junk, nothing is lower (column 'rel')": [
        -3,
        1,
        1,
    ],
    "qrels: row 3 grade nan is not a number (column 'rel')": [0, 1, float("nan")],
}


@pytest.mark.parametrize("detail", WRONG_QRELS)
def test_wrong_value_of_qrels_is_named_by_row_and_column(detail: str) -> None:
    grades = WRONG_QRELS[detail]
    source = frame().drop(columns="sim").assign(rel=grades or [0, 1, 1])
    source = source if grades else source.assign(docno=["a", "a", "a"])
    with pytest.raises(judged.FormatError) as refused:
        judged.read_qrels(source)
    assert detail.replace("(column 'docno')", "(column 'rel')") in str(refused.value).splitlines()


def test_junk_and_not_judged_are_told_apart() -> None:
    qrels = judged.read_qrels(QRELS)
    assert qrels["2"] == {"k": 1, "m": -2, "l": -1}
    assert qrels.parsed.not_judged == {"2": {"l"}}
    assert qrels.report["grade -2"].count == 1
    assert len(qrels.table) == 8


def test_reports_and_warnings_tell_what_was_noticed(tmp_path: Path) -> None:
    files = write_files(tmp_path)
    runs = judged.read_runs(files[0])
    assert runs.report["alpha", "tied scores"].count == 4
    with pytest.warns(judged.Notice, match="1 of 4 topics have no judgments") as warned:
        scores = judged.evaluate(runs, files[1])
    assert {str(one.message) for one in warned} == set(scores.notices)
    assert {one.filename for one in warned} == {__file__}


def test_topics_without_documents_are_noticed() -> None:
    with pytest.warns(judged.Notice, match="no documents for topics 2"):
        judged.evaluate({"1": {"a": 1.0}, "2": {}}, {"1": {"a": 1}})


def test_runs_are_read_once() -> None:
    runs = judged.read_runs(RUNS)
    assert judged.read_runs(runs) is runs
    with pytest.raises(ValueError, match="in the order of score, and rank"):
        judged.read_runs(runs, order="rank")
    assert runs.table["beta", "1", "b"].rank == 2
