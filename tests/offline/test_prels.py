from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from campaigns.formats.errors import FormatError
from campaigns.offline.grading import Grading
from campaigns.offline.prels import Drawn, read_prels
from tests.offline.files import run_command, run_json, write_qrels, write_runs

# Relevant at ranks 1, 3, 5 and not retrieved.
RUN = {"golden": {"1": ["a", "b", "c", "d", "e"], "2": ["a"]}}
PRELS = "1 a 1 1 .5\n1 b 0 1 .5\n1 c 1 1 .25\n1 e 1 2 .7\n1 y 2 4 .1\n1 z 0 1 .3\n2 a 1 0 NA\n"


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    (tmp_path / "prels").write_text(PRELS)
    runs = write_runs(tmp_path / "runs", RUN)
    return ["--runs", runs, "--qrels", write_qrels(tmp_path, "1 0 a 1\n2 0 a 1\n")]


def test_golden_statap_through_the_command(given: list[Any], tmp_path: Path) -> None:
    asked = ["--measure", "statAP", "--measure", "statPC@3", "--measure", "statRprec"]
    result = run_json("evaluate", *given, "--prels", tmp_path / "prels", *asked, "--per-topic")
    scores = {(row["measure"], row.get("topic", "mean")): row["score"] for row in result["scores"]}
    assert scores["statAP", "1"] == pytest.approx(0.4352941, abs=5e-8)
    # Topic 2 is no sample: it has no value and leaves the mean.
    assert scores["statAP", "2"] is None
    means = {row["measure"]: row["score"] for row in result["means"]}
    assert means == pytest.approx({"statAP": 7.4 / 17, "statPC@3": 6 / 3, "statRprec": 7 / 17})


def test_what_is_read_and_what_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "prels"
    file.write_text("1 a 1 1 .5\n1 b -999 1 .5\n1 c 1 1 NA\n1 d 1 4 1.5\n1 e 0 0 NA\n2 a 1 0 1\n")
    assert read_prels(file, Grading()) == {"1": {"a": Drawn(1, 0.5), "e": Drawn(0, 1.0)}}


def test_every_wrong_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "prels"
    file.write_text(
        "1 a 1 1\n1 a x 1 .5\n1 a 1 3 .5\n1 a 1 1 half\n1 a 1 1 0\n1 a 1 1 .5\n1 a 1 1 .5\n1 b 3 1 .5\n"
    )
    with pytest.raises(FormatError) as stopped:
        read_prels(file, Grading((0.0, 1.0)))
    assert [error.line for error in stopped.value.errors] == [1, 2, 3, 4, 5, 7, 8]


def test_measures_of_samples_need_one(given: list[Any]) -> None:
    with pytest.raises(CommandError, match="give --prels"):
        run_command("evaluate", *given, "--measure", "statAP")
