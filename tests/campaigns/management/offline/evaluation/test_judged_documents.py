"""Rankings of the documents that the qrels name score as those of all documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaigns.formats.compressed_files import find_files
from campaigns.formats.grading import Grading
from campaigns.management.offline.files import read_files
from campaigns.management.offline.judged_documents import OTHER, DocnoTable
from campaigns.scoring.score_tables import score_runs
from evaluation.names import parse_measures

names = st.text(st.sampled_from("abé0-"), min_size=1, max_size=20)


@given(st.sets(names, max_size=40), st.lists(names, min_size=1, max_size=40), st.booleans())
@example({"a" * 9, "a" * 8, "a"}, ["a" * 8], False)
@example(set(), ["a"], False)
def test_a_table_finds_what_a_dict_finds(known: set[str], asked: list[str], as_objects: bool) -> None:
    table = DocnoTable(known)
    places = {docno: place for place, docno in enumerate(sorted(known, key=str.encode))}
    asked += list(known)[:10]
    words = np.array([docno.encode() for docno in asked], dtype=object)
    width = -(-max(map(len, words)) // 8) * 8
    found = table.ids(words if as_objects else words.astype(f"S{width}"))
    assert found.dtype == np.int32
    assert found.tolist() == [places.get(docno, OTHER) for docno in asked]
    assert table.docnos == list(places)


def write_random_collection(folder: Path) -> None:
    """Runs with ties and short lists, qrels with grades -2 to 2 that name more than the runs rank."""
    rng = np.random.default_rng(5)
    docnos = [f"doc-{number}{'-long' * (number % 3)}" for number in range(60)]
    (folder / "runs").mkdir()
    for run in range(4):
        lines = [
            f"{topic} Q0 {docnos[document]} 1 {score:.1f} run{run}\n"
            for topic in range(1, 6 - run)
            for document, score in zip(
                rng.permutation(50)[: 10 * run + 5], rng.random(10 * run + 5), strict=True
            )
        ]
        (folder / "runs" / f"run{run}").write_text("".join(lines))
    grades = [f"{topic} 0 {docno} {rng.integers(-2, 3)}\n" for topic in (1, 2, 3, 9) for docno in docnos[::2]]
    (folder / "qrels").write_text("".join(grades))


@pytest.mark.parametrize("order", ["score", "line"])
def test_scores_need_only_the_documents_that_the_qrels_name(tmp_path: Path, order: str) -> None:
    write_random_collection(tmp_path)
    files, grading = find_files([tmp_path / "runs"]), Grading.of_list((0.0, 0.5, 1.0))
    every, named = (
        read_files(files, tmp_path / "qrels", grading, order=order, only_named=only)  # type: ignore[arg-type]
        for only in (False, True)
    )
    assert len(named.topics[0].docnos) == 30 < len(every.topics[0].docnos)
    measures = [
        measure
        for name in ["RBP(p=0.8)", "RBP(p=0.8,ties=shared)", "AP", "nDCG@10", "Bpref", "Q(beta=2)", "infAP"]
        for measure in parse_measures(name)
    ]
    assert repr(score_runs(named, measures, grading)) == repr(score_runs(every, measures, grading))
