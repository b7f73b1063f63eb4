"""Commands on files show which gains they used, if a grade is above 1 and a measure reads gains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.campaigns.management.offline.command_files import run_command, write_qrels, write_runs

COMMANDS: dict[str, list[Any]] = {
    "evaluate": [],
    "compare": ["--top-share", 1],
    "simulate": ["--method", "A", "--judgments", 5],
    "simulate several seeds": ["--method", "random", "--judgments", 5, "--seed", "0,1"],
    "study": ["relevant-found", "--budgets", 5],
    "plan": ["--method", "A", "--budget", 49, "--draws", 2],
    "select_topics": ["--method", "random", "--topics", 2, "--measure", "RBP"],
}
GIVEN = {"0": 0, "1": 0.5, "2": 1}
DEFAULT = {"0": 0, "1": 1, "2": 1}


@pytest.fixture
def files(tmp_path: Path) -> list[Any]:
    dice = np.random.default_rng(2)
    names = [f"d{n}" for n in range(12)]
    lists = {
        f"r{run}": {str(topic): dice.permutation(names).tolist() for topic in range(1, 5)} for run in range(5)
    }
    rows = [f"{topic} 0 {name} {dice.integers(0, 3)}\n" for topic in range(1, 5) for name in names]
    return ["--runs", write_runs(tmp_path / "runs", lists), "--qrels", write_qrels(tmp_path, "".join(rows))]


def shown(command: str, files: list[Any], *more: Any) -> tuple[dict[str, Any], str]:
    kept = ["--kept-in", files[1].parent / "kept"] if command == "study" else []
    arguments = [*COMMANDS[command], *files, *kept, *more, "--format", "json"]
    out, notices = run_command(command.partition(" ")[0], *arguments)
    return json.loads(out), notices


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_show_the_gains_they_used(command: str, files: list[Any]) -> None:
    result, notices = shown(command, files)
    assert result["gains"] == DEFAULT
    assert ("gain 1 for every relevant grade" if command == "select_topics" else "Gains of RBP") in notices
    given, notices = shown(command, files, "--gains", "0,0.5,1")
    assert given["gains"] == (DEFAULT if command == "select_topics" else GIVEN)
    assert "Gains of" not in notices


@pytest.mark.parametrize("command", COMMANDS)
def test_binary_qrels_need_no_word(command: str, files: list[Any]) -> None:
    files[3].write_text(files[3].read_text().replace(" 2\n", " 1\n"))
    result, notices = shown(command, files)
    assert "gains" not in result
    assert "gain" not in notices.lower()


def test_calibrate_shows_them_beside_its_table(files: list[Any]) -> None:
    _, notices = run_command("calibrate", *files, "--cases", 2)
    assert "Gains of RBP: 1 for grades 1 to 2" in notices
