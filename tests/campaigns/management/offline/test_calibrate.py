from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from campaigns.management.offline.command_line import CommandError
from selection.calibration.prediction_trials import RUN_INTERVAL
from selection.simulation.relevance.prior import COEFFICIENTS
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def test_what_cannot_be_tried(given: list[Any], tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "one.txt").write_text("1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n")
    with pytest.raises(CommandError, match="a pair needs two runs"):
        run_command("calibrate", "--runs", alone, "--qrels", given[3])


COVERAGE = [
    *("statement", "regime", "collection", "without", "nominal", "covered", "by campaign", "error", "above"),
    *("below", "width", "score", "level error", "cases", "campaigns", "stated", "ratio", "holds"),
]


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ([], "80% interval of the judgments until a pair is decided"),
        (["--planner"], "80% interval of the judgments until a mean residual is reached"),
        (["--predictions"], RUN_INTERVAL),
    ],
)
def test_files_are_tried_by_kind(given: list[Any], kind: list[str], statement: str) -> None:
    asked = [*given, *kind, "--cases", 6]
    rows = run_json("calibrate", *asked)
    assert [list(row) for row in rows] == [COVERAGE] * len(rows)
    assert rows[0]["statement"] == statement
    assert {(row["collection"], row["without"]) for row in rows} == {("these runs", "")}
    assert rows == run_json("calibrate", *asked)
    table, _ = run_command("calibrate", *asked)
    assert statement in table


@pytest.fixture
def collections(tmp_path: Path) -> list[Any]:
    """Two collections of eight topics, in which runs that share few documents differ in worth."""
    options: list[Any] = []
    for name, share in (("clef-rare", 3), ("common", 2)):
        folder = tmp_path / name
        folder.mkdir()
        lists = {
            f"run{run}": {
                str(t): [f"d{(7 * rank * (run + 1) + t) % 23}" for rank in range(9)] for t in range(8)
            }
            for run in range(5)
        }
        write_runs(folder / "runs", lists)
        lines = [f"{t} 0 d{n} {int((n * n + t) % (share + 2) < 2)}\n" for t in range(8) for n in range(23)]
        write_qrels(folder, "".join(lines))
        options += ["--collection", folder]
    return options


def test_every_statement_in_one_table_and_page(collections: list[Any], tmp_path: Path) -> None:
    page = tmp_path / "calibration.md"
    rows = run_json("calibrate", *collections, "--cases", 3, "--page", page)
    assert [list(row) for row in rows] == [COVERAGE] * len(rows)
    assert {row["collection"] for row in rows} == {"clef-rare", "common", "all"}
    assert {row["without"] for row in rows if row["collection"] == "clef-rare"} == {"clef"}
    assert {row["without"] for row in rows if row["collection"] == "common"} == {""}
    statements = {row["statement"] for row in rows}
    regimes = {row["regime"] for row in rows if row["statement"] == RUN_INTERVAL}
    assert {"any", "unjudged documents left out", "12 anchors, the same campaigns"} < regimes
    text = page.read_text()
    assert statements <= {line[3:] for line in text.splitlines() if line.startswith("## ")}
    assert {
        RUN_INTERVAL,
        f"{RUN_INTERVAL} over judged topics",
        "80% interval of the judgments until a τ is reached",
        "80% interval of the judgments until a given pair is separated",
    } < statements
    assert all(f"\n| {statement} | " in text for statement in statements)
    assert "](calibration.svg)" in text
    assert "share that came true" in page.with_suffix(".svg").read_text()
    tables = [
        line for line in text.splitlines() if line.startswith(("| clef-rare |", "| common |", "| all |"))
    ]
    # Three rows are shown once more, in short.
    assert len(tables) == len(rows) + 3


def test_coefficients_of_a_collection_are_rows_of_the_table(collections: list[Any]) -> None:
    rows = run_json("calibrate", "--fit", *collections)
    assert [(row["collection"], row["family"], row["unjudged"]) for row in rows] == [
        ("clef-rare", "clef", "not relevant"),
        ("clef-rare", "clef", "left out"),
        ("common", "", "not relevant"),
        ("common", "", "left out"),
    ]
    assert all(isinstance(row[name], float) for row in rows for name in COEFFICIENTS)


def test_collections_and_files_are_not_mixed(
    given: list[Any], collections: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (
        ["--fit"],
        [*given, *collections],
        ["--predictions"],
    ):
        with pytest.raises(CommandError) as refused:
            run_command("calibrate", *wrong)
        assert refused.value.returncode == 2
    (tmp_path / "clef-rare" / "qrels.txt").unlink()
    with pytest.raises(SystemExit) as failed:
        run_command("calibrate", "--all", *collections)
    assert failed.value.code == 1
