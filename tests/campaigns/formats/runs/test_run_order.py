"""Runs read by score, by line and by rank."""

from __future__ import annotations

import pytest

from campaigns.formats.runs.files import read_runs
from tests.campaigns.formats.sample_files import details, read_run, refusal

# By score: c a d b (c and a tie). By rank: b d c a (c and a tie).
LINES = "1 Q0 a 3 2.0 t\n2 Q0 x 1 1 t\n1 Q0 b 1 0.5 t\n1 Q0 c 3 2.0 t\n2 Q0 y 0 3 t\n1 Q0 d 2 1.0 t\n"


@pytest.mark.parametrize(
    ("order", "first", "second"),
    [("score", "cadb", "yx"), ("line", "abcd", "xy"), ("rank", "bdac", "yx")],
)
def test_a_run_is_in_the_order_asked_for(order: str, first: str, second: str) -> None:
    run = read_run(LINES, order=order)
    assert run.rankings["1"].docnos == list(first)
    assert run.rankings["2"].docnos == list(second)
    scores = dict(zip("abcd", [2.0, 0.5, 2.0, 1.0], strict=True))
    assert run.rankings["1"].scores.tolist() == [scores[docno] for docno in first]
    assert run.line_of("1", "d") == 6


def test_the_order_is_by_score_without_a_word() -> None:
    assert read_run(LINES).rankings["1"].docnos == list("cadb")


@pytest.mark.parametrize("rank", ["x", "-1", "1.5", "1234567890"])
def test_a_rank_that_is_no_number_is_an_error_where_ranks_decide(rank: str) -> None:
    lines = f"1 Q0 a 1 2.0 t\n1 Q0 b {rank} 1.0 t\n"
    detail = f"rank '{rank}' is not a whole number of up to 9 digits"
    error = refusal(read_runs, lines, order="rank")
    assert details(error) == [(2, detail)]
    assert error.errors[0].field == "rank"
    for order in ("score", "line"):
        assert read_run(lines, order=order).rankings["1"].docnos == ["a", "b"]


@pytest.mark.parametrize("order", ["score", "line", "rank"])
def test_a_repeated_docno_is_an_error_in_every_order(order: str) -> None:
    error = refusal(read_runs, LINES + "1 Q0 a 9 0 t\n", order=order)
    assert details(error) == [(7, "docno 'a' a second time in topic '1' (first in line 1)")]


def test_wrong_ranks_beside_other_errors_are_all_listed() -> None:
    error = refusal(read_runs, "1 Q0 a x 2 t\n1 Q0 b 2 nan t\n1 Q0 c y 1 t\n", order="rank")
    assert [(one.line, one.field) for one in error.errors] == [(1, "rank"), (2, "score"), (3, "rank")]
