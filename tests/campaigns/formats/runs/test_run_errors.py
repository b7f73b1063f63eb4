"""Runs that are refused: which line, which field, what is wrong, and all of it at once."""

from __future__ import annotations

import pytest

from campaigns.formats.errors import MOST_LISTED_ERRORS, LineError
from campaigns.formats.runs.files import read_runs
from tests.campaigns.formats.sample_files import details, read_run, refusal

GOOD = "1 Q0 good{} 1 {} t\n"


def good(count: int) -> str:
    return "".join(GOOD.format(i, -i) for i in range(count))


@pytest.mark.parametrize(
    ("line", "field", "detail"),
    [
        ("1 Q0 d 1 2.0", "", "5 columns where a run has 6"),
        ("1 Q0 d 1 2.0 t x", "", "7 columns where a run has 6"),
        ("1 Q0 d 1", "", "4 columns"),
        ("1 Q0 d 1 abc t", "score", "score 'abc' is not a decimal number"),
        ("1 Q0 d 1 nan t", "score", "score 'nan' is not"),
        ("1 Q0 d 1 -Infinity t", "score", "score '-Infinity' is not"),
        ("1 Q0 d 1 0x1p3 t", "score", "score '0x1p3' is not"),
        ("1 Q0 d 1 1_000 t", "score", "score '1_000' is not"),
        ("1 Q0 d 1 1,5 t", "score", "score '1,5' is not"),
        ("1 Q0 d 1 1.2.3 t", "score", "score '1.2.3' is not"),
        ("1 Q0 d 1 - t", "score", "score '-' is not"),
        ("1 Q0 d 1 --1 t", "score", "score '--1' is not"),
        ("1 Q0 d 1 1- t", "score", "score '1-' is not"),
        ("1 Q0 d 1 . t", "score", "score '.' is not"),
        ("1 Q0 d 1 e5 t", "score", "score 'e5' is not"),
        ("1 Q0 d 1 1e t", "score", "score '1e' is not"),
        ("1 Q0 d 1 ١ t", "score", "score '١' is not"),
        ("1 Q0 d 1 1e309 t", "score", "score '1e309' is larger than a 64-bit float"),
        ("1 Q0 d 1 -1e999 t", "score", "score '-1e999' is larger"),
        ("1 Q0 d\0 1 2 t", "", "a NUL byte at position 7"),
        ("1 Q0 d\x07 1 2 t", "", "a control character 0x07 at position 7"),
        (f"1 Q0 {'d' * 513} 1 2 t", "docno", "docno longer than 512 bytes: 'ddd"),
        (f"1 Q0 d {'1' * 65} 2 t", "rank", "rank longer than 64 bytes: '111"),
        (f"1 Q0 d 1 {'2' * 65} t", "score", "score longer than 64 bytes: '222"),
        (f"{'9' * 101} Q0 d 1 2 t", "topic", "topic longer than 100 bytes"),
        (f"1 Q0 d 1 2 {'t' * 201}", "tag", "tag longer than 200 bytes"),
        (f"1 Q0 d 1 2 t{' ' * 70_000}x", "", "a line longer than 65,536 bytes"),
        ("1 Q0 good1 1 2 t", "docno", "docno 'good1' a second time in topic '1' (first in line 2)"),
    ],
)
def test_each_kind_of_bad_line_is_named(line: str, field: str, detail: str) -> None:
    error = refusal(read_runs, good(3) + line + "\n" + good(5)[len(good(3)) :])
    assert error.total == 1
    (only,) = error.errors
    assert (only.line, only.field) == (4, field)
    assert detail in only.detail
    assert str(error).startswith("some.file:4: ")


def test_scores_that_a_32_bit_float_cannot_hold_are_refused_by_the_older_rule() -> None:
    error = refusal(read_runs, good(2) + "1 Q0 d 1 1e39 t\n", score_precision=32)
    assert details(error) == [(3, "score '1e39' is larger than a 32-bit float can hold")]


def test_wrong_encoding_names_line_and_byte() -> None:
    error = refusal(read_runs, good(2).encode() + "1 Q0 caf\xe9 1 2 t\n".encode("latin-1"))
    assert details(error) == [(3, "byte 0xe9 at position 9 is not UTF-8 (invalid continuation byte)")]
    error = refusal(read_runs, good(2).encode("utf-16"))
    assert details(error) == [(1, "byte 0xff at position 1: UTF-16 text; save it as UTF-8")]


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", "\ufeff"])
def test_a_file_without_lines_is_an_error(content: str) -> None:
    assert details(refusal(read_runs, content)) == [(None, "no lines in it: an empty file")]


def test_all_errors_are_listed_in_line_order_and_nothing_is_taken() -> None:
    bad = {3: "1 Q0 d 1 x t", 30_000: "1 Q0 d", 45_000: "1 Q0 good0 1 2 t"}
    lines = [bad.get(number, GOOD.format(number, -number).strip()) for number in range(1, 50_001)]
    lines[0] = "1 Q0 good0 1 3 t"
    error = refusal(read_runs, "\n".join(lines))
    assert [one.line for one in error.errors] == [3, 30_000, 45_000]


def test_the_first_hundred_of_each_kind_are_listed_and_all_counted() -> None:
    error = refusal(read_runs, "1 Q0 d 1 x t\n" * 250 + "1 Q0 d 1 1 t\n" * 302 + "1 Q0 d\n")
    listed = {
        field: [one.line for one in error.errors if one.field == field] for field in ("score", "docno", "")
    }
    assert listed == {"score": list(range(1, 101)), "docno": list(range(252, 352)), "": [553]}
    assert error.total == 250 + 301 + 1
    assert error.rest == {"score": 150, "docno": 201}
    assert str(error).endswith(
        "some.file: and 150 more errors (score)\nsome.file: and 201 more errors (docno)"
    )


def test_early_repeats_come_before_late_lines() -> None:
    bad = "1 Q0 a 1 2 t\n" * 2 + "1 Q0 d 1 x t\n" * 900
    error = refusal(read_runs, bad)
    assert error.errors[0] == LineError(2, "docno 'a' a second time in topic '1' (first in line 1)", "docno")
    assert error.total == 901


def test_a_file_of_another_kind_is_not_read_to_its_end() -> None:
    error = refusal(read_runs, "no\n" * 300_000)
    assert error.total == 100_001
    assert len(error.errors) == MOST_LISTED_ERRORS + 1
    assert "the rest of the file was not read" in error.errors[-1].detail


def test_a_line_without_end_stops_the_reading() -> None:
    error = refusal(read_runs, good(1) + "x" * 5_000_000)
    assert details(error) == [(2, "a line longer than 65,536 bytes")]


def test_old_mac_line_ends_are_refused() -> None:
    assert "columns where a run has 6" in str(refusal(read_runs, good(2).replace("\n", "\r")))


def test_the_same_docno_in_two_topics_is_no_repeat() -> None:
    assert read_run("1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n").report.topics == 2


def test_lenient_still_refuses_broken_lines() -> None:
    error = refusal(read_runs, "1 Q0 a 1 2 t\n1 Q0 a 2 1\n1 Q0 a 3 nan t x\n", lenient=True)
    assert [one.line for one in error.errors] == [2, 3]


def test_errors_are_readable_whatever_the_bytes() -> None:
    error = refusal(read_runs, "1 Q0 d 1 \x1b[31m t\n1 Q0 d 1 \u202e9 t\n")
    assert "\x1b" not in str(error)
    assert "\u202e" not in str(error)


def test_qrels_given_as_a_run_are_recognised() -> None:
    (only,) = refusal(read_runs, "1 0 a 1\n1 0 b -1\n").errors
    assert (only.line, only.detail[:33]) == (1, "this looks like a qrels file, not")
