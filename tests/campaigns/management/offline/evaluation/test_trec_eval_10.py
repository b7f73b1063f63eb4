"""Scores that trec_eval 10.0 prints, by its own names."""

from __future__ import annotations

import csv
import gzip
import os
from collections import defaultdict
from pathlib import Path

import pytest

from evaluation.names import parse_measure
from tests.campaigns.management.offline.command_files import run_json

DATA = Path(os.environ.get("TREC_DATA", "absent"))
REFERENCE = DATA.parent / "reference" / "trec_eval-10"
pytestmark = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="no reference/trec_eval-10 beside the folder that TREC_DATA names"
)
# It leaves out the ranks below a run's end where every document of a topic is judged.
OTHERWISE_DEFINED = {"rbp_resid"}


def printed(name: str) -> dict[str, dict[str, float]]:
    """By measure the mean of each run."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    with gzip.open(REFERENCE / f"{name}.means.tsv.gz", "rt") as lines:
        for run, measure, value in csv.reader(lines, delimiter="\t"):
            found[measure][run] = float(value)
    return found


def test_trec_eval_10_prints_the_same_for_cranfield() -> None:
    theirs = printed("cranfield")
    names = sorted(theirs.keys() - OTHERWISE_DEFINED)
    folder = DATA / "cranfield"
    asked = [part for name in names for part in ("--measure", name)]
    rows = run_json("evaluate", "--runs", folder / "runs", "--qrels", folder / "qrels.txt", *asked)["scores"]
    ours = {(row["measure"], row["run"]): row["score"] for row in rows}
    assert len(names) == 97
    for name in names:
        called = parse_measure(name).name
        found = {run: ours[called, run] for run in theirs[name]}
        # Four decimals, rounded.
        assert found == pytest.approx(theirs[name], abs=5.0001e-5), name
