"""Replays of the library are those of the command, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import judged
from tests.campaigns.management.offline.command_files import run_json
from tests.library.surface.sample_sources import QRELS, RUNS, TREC_DATA, needs_data, write_files

pytestmark = pytest.mark.filterwarnings("ignore::judged.Notice")

OPTIONS: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
    "C": ({"judgments": 5, "checkpoints": [2, 4]}, ("--judgments", 5, "--checkpoints", "2,4")),
    "A": ({"per_topic": 2, "scope": "topic", "p": 0.5}, ("--per-topic", 2, "--scope", "topic", "--p", "0.5")),
    "mtc": ({"judgments": 4, "unjudged": "bypass"}, ("--judgments", 4, "--unjudged", "bypass")),
    "pooling": (
        {"judgments": 6, "options": {"depth": 2}, "until": "pairs=2"},
        ("--judgments", 6, "--option", "depth=2", "--until", "pairs=2"),
    ),
    "random": ({"judgments": 6, "seed": 5}, ("--judgments", 6, "--seed", 5)),
    "B": (
        {"judgments": 6, "assessor_errors": (0.5, 0.5), "gains": [0, 0.5, 1]},
        ("--judgments", 6, "--assessor-errors", "0.5,0.5", "--gains", "0,0.5,1"),
    ),
}


def result(replay: judged.Replay) -> dict[str, object]:
    return {name: value for name, value in replay.result.items() if name != "seconds"}


@pytest.mark.parametrize("method", OPTIONS)
def test_replays_are_those_of_the_command(tmp_path: Path, method: str) -> None:
    ours, theirs = OPTIONS[method]
    files = write_files(tmp_path)
    outputs = ("--order-out", tmp_path / "order", "--qrels-out", tmp_path / "judged")
    command = run_json(
        "simulate", "--runs", files[0], "--qrels", files[1], "--method", method, *theirs, *outputs
    )
    replay = judged.simulate(*files, method, **ours)
    del command["seconds"]
    assert result(replay) == command
    lines = [f"{row.topic} {row.docno} {row.weight:.12g}" for row in replay.order]
    assert (tmp_path / "order").read_text().splitlines() == lines
    assert replay.qrels == judged.read_qrels(tmp_path / "judged")
    assert replay.scores.rows == command["scores"]
    assert replay.judged == command["judged"]


@needs_data
def test_replay_of_real_runs_is_that_of_the_command() -> None:
    runs, qrels = TREC_DATA / "cranfield" / "runs", TREC_DATA / "cranfield" / "qrels.txt"
    given = ("--method", "C", "--judgments", 300, "--checkpoints", "100,200")
    command = run_json("simulate", "--runs", runs, "--qrels", qrels, *given)
    replay = judged.simulate(judged.read_runs(runs), qrels, "C", judgments=300, checkpoints=[100, 200])
    del command["seconds"]
    assert result(replay) == command
    point = replay.checkpoints[100, command["scores"][0]["run"]]
    assert point.base == command["checkpoints"][0]["scores"][0]["base"]


WRONG: dict[str, dict[str, Any]] = {
    "exactly one of judgments and per_topic": {"judgments": 3, "per_topic": 1},
    "checkpoint 9 is above the budget of 5": {"judgments": 5, "checkpoints": [9]},
    "grade 0 the gain 0.5": {"judgments": 5, "gains": [0.5, 1, 1]},
    "'D'": {"judgments": 5, "method": "D"},
    "is no stop test": {"judgments": 5, "until": "tired"},
    "missed = 2": {"judgments": 5, "assessor_errors": (2, 0)},
    "needs groups": {"judgments": 5, "options": {"run_weights": "team"}},
}


@pytest.mark.parametrize("detail", WRONG)
def test_wrong_options_are_refused(detail: str) -> None:
    with pytest.raises(ValueError, match=detail):
        judged.simulate(RUNS, QRELS, **{"method": "C", **WRONG[detail]})


def test_notice_tells_why_there_are_fewer_judgments() -> None:
    with pytest.warns(judged.Notice, match="A had no document left after 11 of 99 judgments"):
        judged.simulate(RUNS, QRELS, "A", judgments=99)
