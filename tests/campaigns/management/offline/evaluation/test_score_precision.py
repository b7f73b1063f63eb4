"""Runs ordered by doubles, against what trec_eval 10.0 prints, and by 32-bit floats as before it."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from campaigns.formats.compressed_files import find_files
from campaigns.formats.runs.files import read_run_files
from tests.campaigns.management.offline.command_files import run_json

DATA = Path(os.environ.get("TREC_DATA", "absent"))
PRINTED = DATA.parent / "reference" / "trec_eval-10"
needs_printed = pytest.mark.skipif(
    not PRINTED.is_dir(), reason="beside TREC_DATA is no folder reference/trec_eval-10"
)
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="TREC_DATA does not name a folder")

# Measures that move with the places of single documents.
NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "Rprec": "Rprec",
    "infAP": "infAP",
    "map_cut_10": "AP@10",
    "success_1": "Success@1",
    **{f"P_{k}": f"P@{k}" for k in (5, 10, 20, 100, 1000)},
}
# Runs of TREC-COVID round 1 that 32-bit floats order otherwise than doubles.
REORDERED = {"BERT", "tm_lda400"}


def printed_means(collection: str) -> dict[tuple[str, str], str]:
    """By run and measure."""
    with gzip.open(PRINTED / f"{collection}.means.tsv.gz", "rt") as file:
        return {(run, name.strip()): value for run, name, value in csv.reader(file, delimiter="\t")}


def computed_means(collection: str, *options: Any) -> dict[tuple[str, str], float]:
    files = ["--runs", DATA / collection / "runs", "--qrels", DATA / collection / "qrels.txt"]
    asked = [part for name in NAMES.values() for part in ("--measure", name)]
    made = run_json("evaluate", *files, "--topics", "judged", "--no-cache", *asked, *options)
    theirs = {ours: name for name, ours in NAMES.items()}
    return {(row["run"], theirs[row["measure"]]): row["score"] for row in made["scores"]}


def differing(collection: str, *options: Any) -> dict[str, set[str]]:
    """By run, the measures whose four decimals are others than those printed."""
    printed, found = printed_means(collection), computed_means(collection, *options)
    assert len({run for run, _ in printed}) * len(NAMES) == len(found)
    wrong: dict[str, set[str]] = defaultdict(set)
    for (run, name), score in found.items():
        if f"{score:.4f}" != printed[run, name]:
            wrong[run].add(name)
    return wrong


@needs_printed
@pytest.mark.parametrize("collection", ["trec-covid-r1", "cranfield"])
def test_doubles_give_what_trec_eval_10_prints(collection: str) -> None:
    assert differing(collection) == {}


@needs_printed
def test_32_bit_floats_give_other_values_to_the_runs_that_they_order_otherwise() -> None:
    assert differing("trec-covid-r1", "--score-precision", 32).keys() == REORDERED


@needs_data
def test_eight_official_runs_are_ordered_otherwise_as_32_bit_floats() -> None:
    files = find_files([DATA / "trec-covid-r1" / "runs"])
    doubles, singles = (read_run_files(files, score_precision=bits) for bits in (64, 32))
    others = {
        one.tag
        for one, other in zip(doubles, singles, strict=True)
        if any(one.rankings[topic].docnos != other.rankings[topic].docnos for topic in one.rankings)
    }
    assert len(others) == 8
    assert others == {run.tag for run in doubles if run.report.order_by_rounding}


LINES = "1 Q0 a 1 0.30000001 t\n1 Q0 b 2 0.3 t\n1 Q0 c 3 0.1 t\n"


@pytest.fixture
def close(tmp_path: Path) -> list[Any]:
    """A run whose first two documents tie as 32-bit floats; the second is relevant."""
    (tmp_path / "run").write_text(LINES)
    (tmp_path / "qrels").write_text("1 0 b 1\n")
    return ["--runs", tmp_path / "run", "--qrels", tmp_path / "qrels"]


@pytest.mark.parametrize(("options", "expected"), [((), 0.5), (("--score-precision", 32), 1.0)])
def test_score_precision_decides_between_close_scores(
    close: list[Any], options: tuple[Any, ...], expected: float
) -> None:
    made = run_json("evaluate", *close, "--measure", "RR", *options)
    assert [row["score"] for row in made["scores"]] == [expected]


@pytest.mark.parametrize(("options", "expected"), [((), 0.2 * 0.8), (("--score-precision", 32), 0.18)])
def test_tied_ranks_are_shared_by_the_same_precision(
    close: list[Any], options: tuple[Any, ...], expected: float
) -> None:
    made = run_json("evaluate", *close, "--measure", "RBP(p=0.8,ties=shared)", *options)
    assert [row["score"] for row in made["scores"]] == [pytest.approx(expected)]


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate"],
        ["compare"],
        ["simulate", "--method", "A", "--judgments", 1],
        ["study", "relevant-found"],
        ["select_topics", "--method", "random", "--topics", 1],
        ["plan", "--budget", 1],
        ["calibrate"],
    ],
)
def test_every_command_reads_runs_by_the_score_precision(close: list[Any], command: list[Any]) -> None:
    run = close[1]
    run.write_text(LINES + "1 Q0 d 4 -1e39 t\n")
    said = io.StringIO()
    with pytest.raises(SystemExit):
        call_command(*map(str, [*command, *close, "--score-precision", 32]), stderr=said)
    assert said.getvalue() == f"{run}:4: score '-1e39' is larger than a 32-bit float can hold\n"
