"""Tests of pairs are those of the command, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import judged
from judged import AP, EAP, RBP
from tests.campaigns.management.offline.command_files import run_json
from tests.library.surface.sample_sources import QRELS, RUNS, TREC_DATA, needs_data, write_files

pytestmark = pytest.mark.filterwarnings("ignore::judged.Notice")

OPTIONS: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
    "default": ({}, ()),
    "several": (
        {
            "measure": RBP(p=0.5),
            "test": "t",
            "tails": 2,
            "correction": "holm",
            "pessimistic": True,
            "top_by": AP,
        },
        (
            "--measure",
            "RBP(p=0.5)",
            *(["--test", "t", "--tails", "2", "--correction", "holm", "--pessimistic", "--top-by", "AP"]),
        ),
    ),
    "estimates": ({"on": "background", "top_share": 1}, ("--on", "background", "--top-share", "1")),
    "expected": (
        {"measure": EAP, "seed": 2, "topics": "judged"},
        ("--measure", "EAP", "--seed", "2", "--topics", "judged"),
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_pairs_are_those_of_the_command(tmp_path: Path, name: str) -> None:
    ours, theirs = OPTIONS[name]
    files = write_files(tmp_path)
    command = run_json("compare", "--runs", files[0], "--qrels", files[1], *theirs)
    pairs = judged.compare(*files, **ours)
    assert pairs.rows == command["comparisons"]
    assert (pairs.measure, pairs.topics, pairs.fractions) == (
        command["measure"],
        command["topics"],
        command["fractions"],
    )


@needs_data
def test_pairs_of_real_runs_are_those_of_the_command() -> None:
    runs, qrels = TREC_DATA / "cranfield" / "runs", TREC_DATA / "cranfield" / "qrels.txt"
    command = run_json("compare", "--runs", runs, "--qrels", qrels, "--test", "randomisation")
    pairs = judged.compare(judged.read_runs(runs), qrels, test="randomisation")
    assert pairs.rows == command["comparisons"]
    first = command["comparisons"][0]
    assert pairs[first["better"], first["worse"]].base_p == first["base_p"]


def test_confidence_is_there_for_expected_precision() -> None:
    pair = judged.compare(RUNS, QRELS, EAP, top_share=1)[0]
    assert 0 < pair.confidence < 1
    assert "confidence" not in judged.compare(RUNS, QRELS, RBP)[0]


WRONG: dict[str, dict[str, Any]] = {
    "is 2 measures: give one": {"measure": "RBP(p=0.5,0.8)"},
    "no mean over topics": {"measure": "GMAP"},
    "reads inclusion probabilities": {"measure": "statAP"},
    "alpha = 2": {"alpha": 2},
    "leaves no two to compare": {"top_share": 0.1},
}


@pytest.mark.parametrize("detail", WRONG)
def test_wrong_options_are_refused(detail: str) -> None:
    with pytest.raises(ValueError, match=detail):
        judged.compare(RUNS, QRELS, **WRONG[detail])
