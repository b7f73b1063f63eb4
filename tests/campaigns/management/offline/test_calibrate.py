from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

FIGURES = [
    *("judged per topic", "cases", "held", "earlier", "later", "beyond", "held_within", "bias", "width")
]


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def test_shares_of_all_cases_and_by_time(given: list[Any]) -> None:
    rows = run_json("calibrate", *given, "--cases", 9, "--draws", 3, "--part", "all")
    assert [list(row) for row in rows] == [FIGURES] * len(rows)
    assert rows[0]["judged per topic"] == "any"
    assert rows[0]["cases"] == 9 == sum(row["cases"] for row in rows[1:])
    for row in rows:
        assert row["held"] + row["earlier"] + row["later"] == pytest.approx(1)
    assert rows == run_json("calibrate", *given, "--cases", 9, "--draws", 3, "--part", "all")
    table, _ = run_command("calibrate", *given, "--cases", 2, "--draws", 2, "--part", "all")
    assert "judged per topic" in table


def test_plans_by_wish_knowledge_and_method(given: list[Any]) -> None:
    asked = [*given, "--planner", "--cases", 2, "--draws", 2, "--part", "all"]
    rows = run_json("calibrate", *asked)
    first = rows[0]
    assert list(first) == ["wanted", "judged", "method", *FIGURES[1:], "best", "cost", "pairs"]
    assert (first["wanted"], first["judged"], first["method"]) == ("residual", "nothing", "any")
    for row in rows:
        of_methods = [
            other["cases"]
            for other in rows
            if (other["wanted"], other["judged"]) == (row["wanted"], row["judged"])
            and other["method"] != "any"
        ]
        if row["method"] == "any":
            assert row["cases"] == sum(of_methods)
            assert len(of_methods) == 4
        assert row["held"] + row["earlier"] + row["later"] == pytest.approx(1)
    assert rows == run_json("calibrate", *asked)


def test_what_cannot_be_tried(given: list[Any], tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "one.txt").write_text("1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n")
    with pytest.raises(CommandError, match="a pair needs two runs"):
        run_command("calibrate", "--runs", alone, "--qrels", given[3])
