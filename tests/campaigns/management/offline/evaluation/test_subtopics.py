"""Judgments of subtopics, and the measures that read them."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import pytest

from campaigns.formats.errors import FormatError
from campaigns.formats.subtopics import read_subtopics
from campaigns.management.offline.command_line import CommandError
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

SUBTOPICS = "1 1 a 1\n1 2 a 1\n1 1 b 1\n1 2 b 0\n1 3 e 2\n1 1 zz 0\n2 1 q 1\n"
ASKED = ["--measure", "alpha_nDCG@5", "--measure", "ERR_IA@5"]


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    (tmp_path / "subtopics").write_text("# topic subtopic docno rel\n\n" + SUBTOPICS)
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def test_a_file_of_subtopics_is_read(tmp_path: Path) -> None:
    file = tmp_path / "subtopics"
    file.write_text(SUBTOPICS)
    assert read_subtopics(file) == {
        "1": {"a": {"1", "2"}, "b": {"1"}, "e": {"3"}, "zz": set()},
        "2": {"q": {"1"}},
    }


def test_measures_of_subtopics_through_the_command(given: list[Any], tmp_path: Path) -> None:
    rows = run_json("evaluate", *given, "--subtopics", tmp_path / "subtopics", *ASKED, "--per-topic")[
        "scores"
    ]
    scores = {(row["run"], row["measure"], row["topic"]): row["score"] for row in rows}
    # Best: a (2), e (1), b (0.5). alpha ranks a and b, beta b and e.
    best = 2 + 1 / log2(3) + 0.5 / 2
    assert scores["alpha", "alpha_nDCG@5", "1"] == pytest.approx((2 + 0.5 / log2(3)) / best)
    assert scores["beta", "alpha_nDCG@5", "1"] == pytest.approx((1 + 1 / log2(3)) / best)
    full = 3 * sum(0.5 ** (rank - 1) / rank for rank in range(1, 6))
    assert scores["alpha", "ERR_IA@5", "1"] == pytest.approx((2 + 0.5 / 2) / full)
    # Nothing of topic 2's subtopic is found; topic 3 has no subtopics, and leaves the mean.
    assert scores["alpha", "ERR_IA@5", "2"] == 0
    assert scores["alpha", "ERR_IA@5", "3"] is None


def test_the_file_is_asked_for(given: list[Any]) -> None:
    with pytest.raises(CommandError, match="alpha_nDCG@5 reads judgments of subtopics: give --subtopics"):
        run_command("evaluate", *given, *ASKED)


def test_subtopics_of_other_topics_are_refused(given: list[Any], tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "subtopics").write_text("99 1 a 1\n")
    with pytest.raises(SystemExit):
        run_command("evaluate", *given, "--subtopics", tmp_path / "subtopics", *ASKED)


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("1 1 a\n", "subtopics:1: 3 columns where judgments of subtopics have 4"),
        ("1 1 a 1\n1 1 b x\n", "subtopics:2: rel 'x' is not a whole number"),
        ("1 1 a 1\n1 2 a 1\n1 1 a 0\n", "subtopics:3: docno 'a' a second time in subtopic '1' of topic '1'"),
        ("", "no lines in it"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, lines: str, wrong: str) -> None:
    file = tmp_path / "subtopics"
    file.write_text(lines)
    with pytest.raises(FormatError) as refused:
        read_subtopics(file)
    assert wrong in str(refused.value)
