"""Values of other evaluators' tests: each is equal, or differs for a reason that docs/measures.md gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluation.peers.__main__ import BEGIN, END, PAGE
from tests.evaluation.peers.comparison import (
    REASONS,
    SMALL_SUITES,
    TREC_EVAL_SUITES,
    Outcome,
    Suite,
    compare_suite,
    table,
)
from tests.evaluation.peers.suites import DATA, REFERENCE

needs_data = pytest.mark.skipif(
    not REFERENCE.is_dir() or not DATA.is_dir(),
    reason="TREC_DATA names no folder beside the values of trec_eval 10.0",
)
ROWS = PAGE.read_text().partition(BEGIN)[2].partition(END)[0].splitlines()


def check(name: str, outcome: Outcome) -> None:
    assert outcome.differences.get("", []) == []
    assert outcome.compared
    reasons = {reason.why for reason in REASONS if name == reason.suite}
    assert reasons <= set(outcome.differences)
    assert table({name: outcome}).splitlines()[-1] in ROWS


@pytest.mark.parametrize(("name", "suite"), SMALL_SUITES.items())
def test_a_peers_small_cases_are_equal(name: str, suite: Suite, tmp_path: Path) -> None:
    check(name, compare_suite(name, suite(tmp_path)))


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(("name", "suite"), TREC_EVAL_SUITES.items())
def test_trec_eval_prints_the_same(name: str, suite: Suite, tmp_path: Path) -> None:
    check(name, compare_suite(name, suite(tmp_path)))


def test_the_page_lists_these_suites_alone() -> None:
    names = [row.split(" | ")[0].removeprefix("| ") for row in ROWS[3:] if row]
    assert names == [*SMALL_SUITES, *TREC_EVAL_SUITES]
