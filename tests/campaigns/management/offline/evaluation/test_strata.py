from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from campaigns.formats.errors import FormatError
from campaigns.formats.grading import Grading
from campaigns.formats.prels import PooledDocument, read_strata
from campaigns.management.offline.command_line import CommandError
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

STRATA = "1 0 a 1 1\n1 0 b 1 0\n1 0 c 1 2\n1 0 d 2 1\n1 0 e 2 0\n1 0 f 2 -1\n1 0 g 2 -1\n1 0 h 2 -1\n"
ASKED = ["--measure", "xinfAP", "--measure", "infNDCG", "--gains", "0,0.5,1"]


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    (tmp_path / "strata").write_text("# topic 0 docno stratum rel\n\n" + STRATA)
    runs = write_runs(tmp_path / "runs", {"golden": {"1": [*"cdxbfage"], "2": ["a"]}, "none": {"2": ["a"]}})
    return ["--runs", runs, "--qrels", write_qrels(tmp_path, "1 0 a 1\n2 0 a 1\n")]


def test_golden_xinf_through_the_command(given: list[Any], tmp_path: Path) -> None:
    result = run_json("evaluate", *given, "--strata", tmp_path / "strata", *ASKED, "--per-topic")
    scores = {(row["run"], row["measure"], row["topic"]): row["score"] for row in result["scores"]}
    assert scores["golden", "xinfAP", "1"] == pytest.approx(0.925919, abs=5e-7)
    assert scores["golden", "infNDCG", "1"] == pytest.approx(0.916324, abs=5e-7)
    # A run that misses the topic finds nothing; topic 2 has no strata, and leaves the mean.
    assert scores["none", "xinfAP", "1"] == 0
    assert scores["golden", "xinfAP", "2"] is None
    means = {(row["run"], row["measure"]): row["score"] for row in result["means"]}
    assert means["golden", "xinfAP"] == scores["golden", "xinfAP", "1"]


def test_infndcg_reads_grades_unless_gains_are_given(given: list[Any], tmp_path: Path) -> None:
    asked = ["--strata", tmp_path / "strata", *ASKED[:4]]
    by_gains, by_grades, binary = (
        [row["score"] for row in run_json("evaluate", *given, *asked, *gains)["scores"]]
        for gains in (["--gains", "0,0.5,1"], [], ["--gains", "0,1,1"])
    )
    assert by_grades == pytest.approx(by_gains)
    assert by_grades != pytest.approx(binary)


def test_the_numbers_of_the_strata_do_not_matter(given: list[Any], tmp_path: Path) -> None:
    one = run_json("evaluate", *given, "--strata", tmp_path / "strata", *ASKED)
    (tmp_path / "other").write_text(STRATA.replace(" 1 ", " 700000000 ").replace(" 2 ", " 0 "))
    renamed = STRATA.splitlines()
    words = [line.split() for line in renamed]
    (tmp_path / "other").write_text(
        "".join(f"{w[0]} 0 {w[2]} {700_000_000 if w[3] == '1' else 0} {w[4]}\n" for w in words)
    )
    other = run_json("evaluate", *given, "--strata", tmp_path / "other", *ASKED)
    assert [row["score"] for row in other["scores"]] == pytest.approx([row["score"] for row in one["scores"]])


def test_a_cut_off(given: list[Any], tmp_path: Path) -> None:
    result = run_json("evaluate", *given, "--strata", tmp_path / "strata", "--measure", "xinfAP@1")
    # Of an estimated 4.5 relevant, c stands for one.
    assert result["scores"][0]["score"] == pytest.approx(1 / 4.5)


def test_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "strata").write_text("1 0 a 3 2\r\n1 0 b 0 -1\n1 0 c 0 -2\n")
    assert read_strata(tmp_path / "strata", Grading()) == {
        "1": {"a": PooledDocument(3, 2), "b": PooledDocument(0, None), "c": PooledDocument(0, -2)}
    }


def test_every_wrong_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "strata"
    file.write_text(
        "1 0 a 1\n1 0 a -1 0\n1 0 a x 0\n1 0 a 1 y\n1 0 a 1 -3\n1 0 a 1 5\n1 0 b 1 0\n1 0 b 1 0\n"
    )
    with pytest.raises(FormatError) as stopped:
        read_strata(file, Grading.of_list((0.0, 1.0)))
    assert [error.line for error in stopped.value.errors] == [1, 2, 3, 4, 5, 6, 8]
    lines = str(stopped.value).splitlines()
    assert lines[1] == f"{file}:2: stratum '-1' is not a whole number from 0 on"
    assert lines[5] == f"{file}:6: grade 5, but gains are given for 0 to 1 only"


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "strata").write_text("\n")
    with pytest.raises(FormatError, match="an empty file"):
        read_strata(tmp_path / "strata", Grading())


def test_strata_of_other_topics_are_refused(given: list[Any], tmp_path: Path) -> None:
    (tmp_path / "strata").write_text("7 0 a 1 1\n")
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given, "--strata", tmp_path / "strata", "--measure", "xinfAP")
    assert stopped.value.code == 1
    assert "holds no strata of any topic that is scored" in str(stopped.value.__cause__)


@pytest.mark.parametrize("name", ["xinfAP", "infNDCG", "infNDCG@20"])
def test_measures_of_strata_need_them(given: list[Any], name: str) -> None:
    with pytest.raises(CommandError, match=f"{name} reads strata of the pool: give --strata"):
        run_command("evaluate", *given, "--measure", name)
    with pytest.raises(CommandError, match="evaluate --strata takes them"):
        run_command("compare", *given, "--measure", name)
