"""Runs, qrels and training: every part of a file is in the records or counted in the report."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import FormatError, Notices, breaks_path, what_is_wrong_with_name
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_runs
from campaigns.formats.topics import read_topics
from campaigns.formats.training import read_training
from tests.campaigns.formats.sample_files import file_of, refusal

WORD = st.from_regex(r"[a-zé]{1,6}[0-9]", fullmatch=True)
ITERATION = st.sampled_from(["0", "Q0", "7", "x"])
EXTRA = st.sampled_from(["", "# a comment", "   "])


def numbered(text: str) -> dict[str, int]:
    return {row["what"]: row["count"] for row in read_qrels(file_of(text), "q").report.as_rows()}


@given(
    st.dictionaries(st.tuples(WORD, WORD), st.tuples(ITERATION, st.integers(0, 3), EXTRA), min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_every_word_of_qrels_is_a_judgment_or_counted(
    rows: dict[tuple[str, str], tuple[str, int, str]], header: bool, bom: bool
) -> None:
    lines = ["topic iter docno rel"] * header
    for (topic, docno), (iteration, grade, extra) in rows.items():
        lines += [extra] * bool(extra) + [f"{topic} {iteration} {docno} {grade}"]
    parsed = read_qrels(file_of("\ufeff" * bom + "\n".join(lines)), "q")
    assert {(topic, docno): grade for _, topic, docno, grade in parsed.rows()} == {
        pair: grade for pair, (_, grade, _) in rows.items()
    }
    report, values = parsed.report, rows.values()
    assert report.odd_iterations == sum(iteration in "7x" for iteration, _, _ in values)
    assert report.comments == sum(extra.startswith("#") for _, _, extra in values)
    assert report.blank_lines == sum(extra == "   " for _, _, extra in values)
    assert (report.header, report.byte_order_mark, report.no_final_newline) == (header, bom, 1)


@given(
    st.dictionaries(st.tuples(WORD, WORD), st.tuples(ITERATION, st.integers(0, 999), EXTRA), min_size=1),
    st.booleans(),
)
def test_every_word_of_a_run_is_in_its_lists_or_counted(
    rows: dict[tuple[str, str], tuple[str, int, str]], header: bool
) -> None:
    lines = ["qid Q0 docno rank score tag"] * header
    for place, ((topic, docno), (iteration, score, extra)) in enumerate(rows.items()):
        lines += [extra] * bool(extra) + [f"{topic} {iteration} {docno} {place} {score} t{place % 2}"]
    [run] = read_runs(file_of("\n".join(lines) + "\n"), "r.txt")
    read = {
        (topic, docno): score
        for topic, ranking in run.rankings.items()
        for docno, score in zip(ranking.docnos, ranking.scores.tolist(), strict=True)
    }
    assert read == {pair: score for pair, (_, score, _) in rows.items()}
    report, values = run.report, rows.values()
    assert report.odd_iterations == sum(iteration != "Q0" for iteration, _, _ in values)
    assert report.comments == sum(extra.startswith("#") for _, _, extra in values)
    assert report.blank_lines == sum(extra == "   " for _, _, extra in values)
    assert (report.header, report.tags) == (header, min(len(rows), 2))


@given(st.dictionaries(st.tuples(WORD, WORD), st.tuples(st.integers(0, 3), WORD), min_size=1))
def test_every_word_of_training_is_in_an_item(rows: dict[tuple[str, str], tuple[int, str]]) -> None:
    lines = "".join(f"{t}\t{d}\t{grade}\t{why}\n" for (t, d), (grade, why) in rows.items())
    records = read_training(file_of(lines), "t")
    assert {(r.topic, r.docno): (r.grade, r.reason) for r in records} == rows


@pytest.mark.parametrize("name", [".", "..", "a/../b", "./a", "a/."])
def test_names_that_break_addresses_are_refused(name: str) -> None:
    assert breaks_path(name)
    for field in ("topic", "docno", "tag"):
        assert "addresses give another meaning" in what_is_wrong_with_name(field, name)
    assert "“..”" in refusal(read_qrels, f"1 0 {name} 1\n").errors[0].detail
    assert "“..”" in refusal(read_runs, f"1 Q0 {name} 1 2 t\n").errors[0].detail


@pytest.mark.parametrize("name", ["a.b", "...", "a..b", "x/.y", ".config"])
def test_names_with_dots_are_taken(name: str) -> None:
    assert what_is_wrong_with_name("docno", name) == ""


Reader = Callable[..., Any]
TWICE = b'{"docno": "a", "text": "one", "meta": [{"x": 1, "x": 2}]}'
DOUBLED: list[tuple[Reader, bytes, str]] = [
    (lambda *given: list(iter_documents(*given)), b'{"docno": "a", "text": "one", "text": "two"}', "'text'"),
    (lambda *given: list(iter_documents(*given)), TWICE, "'x'"),
    (lambda *given: list(iter_documents(*given)), TWICE.replace(b"one", b"one " * 300_000), "'x'"),
    (read_topics, b'{"number": "1", "title": "one", "title": "two"}', "'title'"),
    (read_qrels, b'{"qid": "1", "docid": "a", "judgment": 1, "judgment": 2}', "'judgment'"),
    (read_qrels, b'[{"qid": "1", "docid": "a", "judgment": 1, "judgment": 2}]', "'judgment'"),
    (read_runs, b'{"qid": "1", "docid": "a", "score": 1, "score": 2}', "'score'"),
    (read_qrels, b'{"1": {"a": 1, "a": 2}}', "a"),
]


@pytest.mark.parametrize(("reader", "content", "name"), DOUBLED)
def test_a_name_twice_in_an_object_is_refused(reader: Reader, content: bytes, name: str) -> None:
    with pytest.raises(FormatError) as caught:
        reader(io.BytesIO(content + b"\n"), "twice.json")
    said = caught.value.errors[0].detail
    assert name in said
    # Two grades of a document are two judgments, which contradict each other.
    assert "twice in one object" in said or "has grade 2 here and 1 in row 1" in said


def test_a_header_of_training_is_noticed() -> None:
    notices = Notices("items")
    header = "Topic\tdocno\tGRADE\treason\n"
    records = read_training(file_of(f"\n{header}1\ta\t1\twhy\n"), "t", notices=notices)
    assert [row["what"] for row in notices.rows()] == ["header line"]
    assert "Topic, docno, GRADE, reason" in notices.rows()[0]["detail"]
    assert [record.docno for record in records] == ["a"]
    with pytest.raises(FormatError, match="a grade is a whole number"):
        read_training(file_of(f"{header}{header}1\ta\t1\twhy\n"), "t")
