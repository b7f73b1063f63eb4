"""TREC-COVID round 1: 143 runs, 30 topics, official figures."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from tests.campaigns.management.offline.command_files import run_command, run_json

DATA = Path(os.environ.get("TREC_DATA", "absent")) / "trec-covid-r1"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="TREC_DATA does not name a folder with trec-covid-r1"
)
# The official figures are of 2020, when trec_eval compared scores as 32-bit floats.
OLDER_TIES = ["--score-precision", "32"]
FILES: list[Any] = ["--runs", DATA / "runs", "--qrels", DATA / "qrels.txt"]


def test_official_rbp_of_all_143_runs() -> None:
    result = run_json("evaluate", *FILES, "--measure", "RBP(p=0.5)", "--gains", "0,0.5,1", *OLDER_TIES)
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


def test_one_command_tells_of_all_143_runs() -> None:
    table, notices = run_command("evaluate", *FILES, "--gains", "0,0.5,1", "--split", "--background", "fit")
    head, *lines = [line.split() for line in table.splitlines()]
    assert head[2:7] == ["score", "base", "residual", "top", "projected"]
    assert head[-2:] == ["unjudged", "tail"]
    assert len(lines) == 143
    for line in lines:
        base, residual, top, projected = map(float, line[3:7])
        assert 0 < base <= projected <= top <= 1
        assert base + residual == pytest.approx(top, abs=2e-4)
        assert sum(map(float, line[-2:])) == pytest.approx(residual, abs=2e-4)
    rate = re.search(r"The fitted background rate is ([0-9.]+)", notices)
    assert rate is not None
    assert 0 < float(rate[1]) < 0.5


def test_runs_that_found_more_are_expected_to_be_better() -> None:
    """EAP, which estimates what the judgments leave open, orders the runs much as AP does."""
    asked = ["--measure", "AP", "--measure", "EAP", "--relevance", "constant=0.01"]
    scores = run_json("evaluate", *FILES, *asked)["scores"]
    ap, eap = ([row["score"] for row in scores if row["measure"] == name] for name in ("AP", "EAP"))
    assert stats.kendalltau(ap, eap).statistic > 0.9
    assert all(0 < row["deviation"] < row["score"] for row in scores if row["measure"] == "EAP")
