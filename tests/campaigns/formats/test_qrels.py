from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.formats.errors import FormatError, breaks_path
from campaigns.formats.qrels import ParsedQrels, format_qrel, read_qrels, write_qrels
from tests.campaigns.formats.sample_files import details, file_of, refusal


def read(content: str | bytes) -> ParsedQrels:
    return read_qrels(file_of(content), "some.qrels")


def test_grades_by_topic_and_docno() -> None:
    qrels = read("1 0 a 2\n2 0 a 0\n1 0.5  b\t1\n")
    assert qrels.grades == {"1": {"a": 2, "b": 1}, "2": {"a": 0}}
    lines = {(topic, docno): line for line, topic, docno, _ in qrels.rows()}
    assert lines["1", "b"] == 3
    assert ("3", "b") not in lines
    assert (qrels.report.lines, qrels.report.topics, qrels.report.judgments) == (3, 2, 3)
    assert [row["what"] for row in qrels.report.as_rows()] == ["second column other than 0 or Q0"]


def test_not_judged_is_left_out_and_junk_is_kept() -> None:
    qrels = read("1 0 a -1\n1 0 b -2\n1 0 c 0\n2 0 a -1\n")
    assert qrels.grades == {"1": {"b": -2, "c": 0}, "2": {}}
    assert qrels.not_judged == {"1": {"a"}, "2": {"a"}}
    assert [(row["what"], row["count"]) for row in qrels.report.as_rows()] == [
        ("grade -1", 2),
        ("grade -2", 1),
    ]


def test_untidy_files_are_taken_and_counted() -> None:
    qrels = read("\ufeff# by hand\r\n1 0 a 1\r\n\r\n1 x a 1")
    assert qrels.grades == {"1": {"a": 1}}
    counts = qrels.report.as_dict()
    assert (counts["comments"], counts["blank_lines"], counts["repeated"], counts["carriage_returns"]) == (
        1,
        1,
        1,
        3,
    )


def test_fractions_where_they_are_asked_for() -> None:
    qrels = read_qrels(file_of("1 0 a 0.5\n1 0 b 1.0\n1 0 c .25\n1 0 d -1\n1 0 e -2\n"), "q", fractions=True)
    assert qrels.grades == {"1": {"a": 0.5, "b": 1, "c": 0.25, "e": -2}}
    assert isinstance(qrels.grades["1"]["b"], int)
    assert qrels.not_judged == {"1": {"d"}}
    written = io.StringIO()
    write_qrels([("1", "a", 0.5), ("1", "b", 1)], written)
    assert written.getvalue() == "1 0 a 0.5\n1 0 b 1\n"


@pytest.mark.parametrize("grade", ["-0.5", "1.", "0x1", "nan", "1e400", "0.1234567891"])
def test_grades_that_are_no_fractions(grade: str) -> None:
    with pytest.raises(FormatError, match=f"q:1: grade '{re.escape(grade)}'") as refused:
        read_qrels(file_of(f"1 0 a {grade}\n"), "q", fractions=True)
    assert refused.value.errors[0].field == "grade"


@pytest.mark.parametrize(
    ("line", "field", "detail"),
    [
        ("1 0 d", "", "3 columns where qrels have 4 (topic, iteration, docno, grade): '1 0 d'"),
        ("1 0 d 1 0.5", "", "5 columns"),
        ("1 0 d x", "grade", "grade 'x' is not a whole number"),
        ("1 0 d 1.5", "grade", "grade '1.5' is not a whole number"),
        ("1 0 d 99999999999", "grade", "grade '99999999999' is not a whole number"),
        ("1 0 d -3", "grade", "grade '-3' has no meaning: -1 is not judged, -2 is junk"),
        ("1 0 a 0", "grade", "docno 'a' has grade 0 here and 1 in line 1, in topic '1'"),
        (f"1 0 {'d' * 513} 1", "docno", "docno longer than 512 bytes"),
        (f"{'1' * 101} 0 d 1", "topic", "topic longer than 100 bytes"),
        ("1 0 d\0 1", "", "a NUL byte at position 6"),
    ],
)
def test_each_kind_of_bad_line_is_named(line: str, field: str, detail: str) -> None:
    error = refusal(lambda *a: [read_qrels(*a)], f"1 0 a 1\n{line}\n1 0 b 1\n")
    (only,) = error.errors
    assert (only.line, only.field) == (2, field)
    assert detail in only.detail


def test_all_errors_are_listed_and_encodings_named() -> None:
    error = refusal(lambda *a: [read_qrels(*a)], "1 0 a x\n1 0 b 1\n1 0\n1 0 é 1\n".encode("latin-1"))
    assert [line for line, _ in details(error)] == [1, 3, 4]
    assert "byte 0xe9 at position 5 is not UTF-8" in str(error)


@pytest.mark.parametrize("content", ["", "\n", "# nothing\n"])
def test_a_file_without_lines_is_an_error(content: str) -> None:
    assert details(refusal(lambda *a: [read_qrels(*a)], content)) == [(None, "no lines in it: an empty file")]


names = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Z", "C"]), min_size=1, max_size=20
).filter(lambda name: not name.startswith("#") and name.split() == [name] and not breaks_path(name))


@given(st.dictionaries(names, st.dictionaries(names, st.integers(-2, 9), min_size=1), min_size=1))
def test_what_is_written_is_read_back(grades: dict[str, dict[str, int]]) -> None:
    out = io.StringIO()
    rows = [(topic, docno, grade) for topic, row in grades.items() for docno, grade in row.items()]
    assert write_qrels(rows, out) == len(rows)
    qrels = read(out.getvalue())
    judged = [(t, d, g) for t, row in qrels.grades.items() for d, g in row.items()]
    assert judged == [row for row in rows if row[2] != -1]
    assert {t: sorted(d) for t, d in qrels.not_judged.items()} == {
        topic: missing for topic, row in grades.items() if (missing := sorted(d for d in row if row[d] == -1))
    }


@pytest.mark.parametrize("name", ["", "two words", "tab\tbed", "line\n", "x\0", "d" * 513, "\ud800"])
def test_a_name_that_a_line_cannot_hold_is_not_written(name: str) -> None:
    with pytest.raises(ValueError, match="docno"):
        format_qrel("1", name, 1)
    with pytest.raises(ValueError, match="topic"):
        format_qrel(name, "d", 1)


def test_a_run_given_as_qrels_is_recognised() -> None:
    error = refusal(lambda *a: [read_qrels(*a)], "# a run\n1 Q0 a 1 2.5 t\n1 Q0 b 2 1e-3 t\n")
    (only,) = error.errors
    assert (only.line, only.detail[:31]) == (1, "this looks like a run file, not")
