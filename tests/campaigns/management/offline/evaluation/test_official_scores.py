"""trec_eval's own expected outputs, and the official figures of TREC-COVID round 1."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Set
from pathlib import Path

import pytest

from tests.campaigns.management.offline.command_files import run_json

DATA = Path(os.environ.get("TREC_DATA", "absent"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="TREC_DATA does not name a folder")

NAMES = {
    "map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "ndcg": "nDCG",
    **{f"P_{k}": f"P@{k}" for k in (5, 10, 100, 1000)},
    **{f"recall_{k}": f"R@{k}" for k in (5, 10, 100, 1000)},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in (5, 10, 100, 1000)},
    **{f"map_cut_{k}": f"AP@{k}" for k in (5, 100)},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
}


# The official figures are of 2020, when trec_eval compared scores as 32-bit floats.
OLDER_TIES = ["--score-precision", "32"]

GRADED = {name for name in NAMES if name.startswith("ndcg")}


@pytest.mark.parametrize(
    ("results", "qrels", "expected", "gains", "names"),
    [
        ("results.test", "qrels.test", "out.test.aq", None, NAMES.keys()),
        # -c: all topics of the qrels count, those that the run misses with 0.
        ("results.trunc", "qrels.test", "out.test.aqc", None, NAMES.keys()),
        # -l2: grade 1 is not relevant. nDCG takes no notice of -l, and counts every grade.
        ("results.test", "qrels.rel_level", "out.test.aql", "0,0,0.5,0.75,1", NAMES.keys() - GRADED),
        ("results.test", "qrels.rel_level", "out.test.aql", "0,0.25,0.5,0.75,1", GRADED),
    ],
)
def test_trec_eval_prints_the_same(
    tmp_path: Path, results: str, qrels: str, expected: str, gains: str | None, names: Set[str]
) -> None:
    folder = DATA / "trec_eval"
    # trec_eval passes over words after the sixth; here they are an error, so they are cut off first.
    lines = (folder / results).read_text().splitlines()
    (tmp_path / results).write_text("".join(" ".join(line.split()[:6]) + "\n" for line in lines))
    asked = [part for name in names for part in ("--measure", NAMES[name])]
    given = ["--gains", gains] if gains else []
    files = ["--runs", tmp_path / results, "--qrels", folder / qrels]
    made = run_json("evaluate", *files, "--per-topic", *asked, *given)
    found: dict[tuple[str, str], float] = {
        (row.get("topic", "all"), row["measure"]): row["score"] for row in made["scores"] + made["means"]
    }
    compared = 0
    for name, topic, value in (line.split() for line in (folder / expected).read_text().splitlines()):
        if name in names:
            compared += 1
            assert f"{found[topic, NAMES[name]]:.4f}" == value, (topic, name)
    assert compared == 4 * len(names)


def test_official_shallow_scores_of_all_143_runs() -> None:
    folder = DATA / "trec-covid-r1"
    files = ["--runs", folder / "runs", "--qrels", folder / "qrels.txt"]
    made = run_json("evaluate", *files, "--measure", "P@5", "--measure", "nDCG@10", *OLDER_TIES)
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in made["scores"]:
        found[row["measure"]][row["run"]] = round(row["score"], 4)
    with (folder / "leaderboard.csv").open() as file:
        official = list(csv.DictReader(file))
    assert len(official) == len(found["P@5"]) == 143
    assert {row["run"]: float(row["p@5"]) for row in official} == found["P@5"]
    differing = [row["run"] for row in official if float(row["ndcg@10"]) != found["nDCG@10"][row["run"]]]
    assert differing == []
