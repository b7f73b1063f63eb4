"""The order in which a run is taken, against an independent evaluator that reads the same lines.

It follows trec_eval 9.0.8, which compares scores as 32-bit floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.formats.compressed_files import find_files, open_stream
from campaigns.formats.errors import breaks_path
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_runs
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data, read_run

# It has no wheel for ARM Linux.
pytrec_eval = pytest.importorskip("pytrec_eval")

docnos = st.text(
    st.characters(codec="utf-8", min_codepoint=33, exclude_categories=["Z", "C"]), min_size=1, max_size=4
).filter(lambda name: not breaks_path(name))
# Scores of which many tie, some only as 32-bit floats.
scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 1.0 + 1e-7, -2.5, 1e30, 0.3, 0.30000001])


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(docnos, scores, min_size=1, max_size=12))
def test_every_document_stands_where_the_reference_puts_it(lists: dict[str, float]) -> None:
    lines = "".join(f"1 Q0 {docno} 0 {score!r} t\n" for docno, score in lists.items())
    run = read_run(lines, score_precision=32)
    for docno, rank in _reference_ranks(lists).items():
        assert run.rankings["1"].docnos.index(docno) + 1 == rank


def _reference_ranks(lists: Mapping[str, float]) -> dict[str, int]:
    """Each document's rank, seen as the reciprocal rank when it alone is relevant."""
    ranks = {}
    for docno in lists:
        evaluator = pytrec_eval.RelevanceEvaluator({"1": {docno: 1}}, {"recip_rank"})
        ranks[docno] = round(1 / evaluator.evaluate({"1": dict(lists)})["1"]["recip_rank"])
    return ranks


@needs_data
@pytest.mark.parametrize("name", ["results.test", "results.comment.test"])
def test_average_precision_of_the_reference_files(name: str) -> None:
    folder = TREC_DATA / "trec_eval"
    _agree(folder / name, folder / name.replace("results", "qrels"))


@needs_data
def test_average_precision_of_official_runs() -> None:
    folder = TREC_DATA / "trec-covid-r1"
    # Every sixth of 143, for the sake of time.
    for path in find_files([folder / "runs"])[::6]:
        _agree(path, folder / "qrels.txt")


def _agree(run_path: Path, qrels_path: Path) -> None:
    """Average precision moves if any relevant document moves; the reference parses the run itself."""
    grades = read_qrels(qrels_path, "qrels").grades
    qrels = {topic: {docno: int(grade) for docno, grade in of.items()} for topic, of in grades.items()}
    (run,) = read_runs(run_path, run_path.name, score_precision=32)
    with open_stream(run_path, run_path.name) as stream:
        parsed = pytrec_eval.parse_run(stream.read().decode().splitlines())
    reference = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(parsed)
    assert len(reference) == len(run.rankings.keys() & qrels.keys())
    for number, measured in reference.items():
        relevant = {docno for docno, grade in qrels[number].items() if grade > 0}
        found = np.array([docno in relevant for docno in run.rankings[number].docnos])
        precision = np.cumsum(found) / np.arange(1, len(found) + 1)
        assert measured["map"] == pytest.approx(
            float(precision[found].sum()) / max(len(relevant), 1), abs=1e-12
        )
