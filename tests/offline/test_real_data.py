"""TREC-COVID round 1: 143 runs, 30 topics, official figures."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import pytest

from tests.offline.files import run_json

DATA = Path(os.environ.get("TREC_DATA", "absent")) / "trec-covid-r1"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="TREC_DATA does not name a folder with trec-covid-r1"
)
FILES: list[Any] = ["--runs", DATA / "runs", "--qrels", DATA / "qrels.txt"]


def test_official_rbp_of_all_143_runs() -> None:
    result = run_json("evaluate", *FILES, "--measure", "RBP(p=0.5)", "--gains", "0,0.5,1")
    scores = {row["run"]: row["score"] for row in result["scores"]}
    with (DATA / "leaderboard.csv").open() as file:
        official = {row["run"]: float(row["RBP(p=.5)"]) for row in csv.DictReader(file)}
    assert len(official) == 143
    assert {run: round(score, 4) for run, score in scores.items()} == official


def test_adaptive_selection_finds_clearly_more_than_pooling() -> None:
    found = {
        method: run_json("simulate", *FILES, "--method", method, "--p", 0.8, "--judgments", 2000)["relevant"]
        for method in ("pooling", "A", "C")
    }
    assert found["C"] > 1.15 * found["pooling"]
    assert found["C"] > found["A"] > found["pooling"]
