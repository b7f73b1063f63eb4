from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.formats.errors import FormatError
from campaigns.formats.grading import Grading
from campaigns.formats.prels import SampledJudgment, read_prels
from campaigns.management.offline.command_line import CommandError
from evaluation.estimation.statap import JudgedSample, stat_ap
from evaluation.estimation.statap_interval import SamplingError, sampling_error, stat_map_interval
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

NAN = float("nan")
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


def test_variances_and_intervals_of_the_golden_example(given: list[Any], tmp_path: Path) -> None:
    names = ["statAP", "statR", "statPC@3", "statRprec"]
    asked = [part for name in names for part in ("--measure", name)]
    result = run_json("evaluate", *given, "--prels", tmp_path / "prels", *asked, "--per-topic")
    rows = {(row["measure"], row.get("topic", "mean")): row for row in result["scores"] + result["means"]}
    row = rows["statAP", "1"]
    # Document e was certain (method 2), as in the golden example.
    assert row["variance"] == pytest.approx(0.16179254, abs=5e-9)
    assert row["deviation"] == pytest.approx(0.16179254**0.5)
    # Documents that were certain beside others that were drawn: no interval was tried on such samples.
    assert (row["low"], row["high"]) == (None, None)
    assert rows["statR", "1"]["score"] == pytest.approx(17)
    # Topic 2 is no sample, so the mean is topic 1; what has no value has no spread.
    assert [rows["statAP", "2"][name] for name in ("score", "variance", "low", "high")] == [None] * 4
    assert rows["statAP", "mean"]["variance"] == row["variance"]
    assert "variance" not in rows["statRprec", "1"]


def test_the_interval_of_a_sample(given: list[Any], tmp_path: Path) -> None:
    """The golden example with a document that was drawn where that was certain."""
    (tmp_path / "prels").write_text(PRELS.replace("e 1 2 .7", "e 1 1 .7"))
    names = ["--measure", "statAP", "--measure", "statR"]
    result = run_json("evaluate", *given, "--prels", tmp_path / "prels", *names, "--per-topic")
    rows = {(row["measure"], row.get("topic", "mean")): row for row in result["scores"] + result["means"]}
    ranked, chances = np.array([1, 0, 1, NAN, 1]), np.array([0.5, 0.5, 0.25, NAN, 0.7])
    sample = JudgedSample(np.array([1.0, 0, 1, 1, 1, 0]), np.array([0.5, 0.5, 0.25, 0.7, 0.1, 0.3]))
    error = SamplingError.of_topics([sampling_error(ranked, chances, sample)])
    found = stat_map_interval(stat_ap(ranked, chances, sample)[None], error)
    # Topic 2 is no sample, so the mean is topic 1.
    for row in (rows["statAP", "1"], rows["statAP", "mean"]):
        assert row["low"] == pytest.approx(float(found.low))
        assert row["high"] == pytest.approx(float(found.high))
        assert row["low"] < row["score"] < row["high"]
    # Only statAP has an interval that was tried on data.
    assert [rows["statR", "1"][end] for end in ("low", "high")] == [None, None]


def test_intervals_are_empty_where_the_sample_cannot_say(given: list[Any], tmp_path: Path) -> None:
    (tmp_path / "prels").write_text("1 a 1 1 .5\n1 b 0 1 .5\n2 a 0 1 .5\n2 y 0 1 .5\n")
    words = [*given, "--prels", tmp_path / "prels", "--measure", "statAP", "--per-topic"]
    result = run_json("evaluate", *words)
    one, none = result["scores"]
    assert (one["score"], one["variance"], none["score"]) == (1.0, 0.0, None)
    lines = [one, none, *result["means"]]
    assert {(line["low"], line["high"]) for line in lines} == {(None, None)}
    rows = run_command("evaluate", *words, "--format", "csv")[0].splitlines()
    assert all(row.endswith(",,") for row in rows[1:])


def test_the_variance_of_a_mean(tmp_path: Path) -> None:
    run = write_runs(tmp_path / "runs", {"r": {"1": ["a", "b"], "2": ["a", "b"], "3": ["a"]}})
    lines = [f"{topic} {doc} {rel} 1 {p}\n" for topic in (1, 2) for doc, rel, p in
             (("a", 1, 0.5 / topic), ("b", 0, 0.25), ("c", 1, 0.125))]  # fmt: skip
    (tmp_path / "prels").write_text("".join(lines))
    files = ["--runs", run, "--qrels", write_qrels(tmp_path, "1 0 a 1\n"), "--prels", tmp_path / "prels"]
    result = run_json("evaluate", *files, "--measure", "statAP", "--measure", "statR", "--per-topic")
    for name in ("statAP", "statR"):
        of_topics = [row["variance"] for row in result["scores"] if row["measure"] == name]
        mean = next(row for row in result["means"] if row["measure"] == name)
        assert of_topics[2] is None
        assert mean["variance"] == pytest.approx((of_topics[0] + of_topics[1]) / 4)
    # One document left to chance tells nothing of its spread, nor then of the mean's.
    (tmp_path / "prels").write_text("".join([*lines[:3], "2 a 1 1 .5\n"]))
    result = run_json("evaluate", *files, "--measure", "statAP", "--per-topic")
    assert [row["variance"] is None for row in result["scores"]] == [False, True, True]
    assert result["means"][0]["score"] is not None
    assert [result["means"][0][name] for name in ("variance", "deviation", "low")] == [None] * 3


def test_stat_ndcg_reads_grades_and_not_gains(given: list[Any], tmp_path: Path) -> None:
    # Sampled: grade 1 with 1/2, 1/4 and for certain, grade 2 with 1/10: ideal ten of 3, then seven of 1.
    ideal = sum((3 if rank <= 10 else 1) / log2(rank + 1) for rank in range(1, 18))
    earned = 1 / 0.5 + 1 / 0.25 / log2(4) + 1 / log2(6)
    for gains in ([], ["--gains", "0,0.1,1"]):
        asked = ["--prels", tmp_path / "prels", "--measure", "statNDCG", *gains]
        assert run_json("evaluate", *given, *asked)["scores"][0]["score"] == pytest.approx(earned / ideal)
    cut = run_json("evaluate", *given, "--prels", tmp_path / "prels", "--measure", "statNDCG@1")
    assert cut["scores"][0]["score"] == pytest.approx(2 / 3)


def test_what_is_read_and_what_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "prels"
    file.write_text("1 a 1 1 .5\n1 b -999 1 .5\n1 c 1 1 NA\n1 d 1 4 1.5\n1 e 0 0 NA\n2 a 1 0 1\n")
    assert read_prels(file, Grading()) == {
        "1": {"a": SampledJudgment(1, 0.5), "e": SampledJudgment(0, 1.0, 0)}
    }


def test_every_wrong_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "prels"
    file.write_text(
        "1 a 1 1\n1 a x 1 .5\n1 a 1 3 .5\n1 a 1 1 half\n1 a 1 1 0\n1 a 1 1 .5\n1 a 1 1 .5\n1 b 3 1 .5\n"
    )
    with pytest.raises(FormatError) as stopped:
        read_prels(file, Grading.of_list((0.0, 1.0)))
    assert [error.line for error in stopped.value.errors] == [1, 2, 3, 4, 5, 7, 8]


def test_what_mtc_chose_was_certain_whatever_the_line_says(tmp_path: Path) -> None:
    file = tmp_path / "prels"
    file.write_text("1 a 1 0 0\n1 b 2 2 0\n1 c 0 1 .5\n")
    assert read_prels(file, Grading()) == {
        "1": {"a": SampledJudgment(1, 1.0, 0), "b": SampledJudgment(2, 1.0, 2), "c": SampledJudgment(0, 0.5)}
    }
    file.write_text("1 a 1 0 0\n1 b 1 4 0\n1 c 0 1 0\n")
    with pytest.raises(FormatError) as stopped:
        read_prels(file, Grading())
    assert [error.line for error in stopped.value.errors] == [2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty file"),
        ("# nothing\n", "an empty file"),
        ("7 a 1 1 .5\n", "holds no sample of any topic that is scored"),
        ("1 a 1 0 1\n", "holds no sample of any topic that is scored"),
    ],
)
def test_a_file_without_a_sample_is_refused(
    given: list[Any], tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "prels").write_text(text)
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given, "--prels", tmp_path / "prels", "--measure", "statAP")
    assert stopped.value.code == 1
    assert isinstance(stopped.value.__cause__, FormatError)
    assert message in str(stopped.value.__cause__)


@pytest.mark.parametrize("name", ["statAP", "statR", "statRprec", "statPC@5", "statNDCG", "statNDCG@10"])
def test_measures_of_samples_need_one(given: list[Any], name: str) -> None:
    with pytest.raises(CommandError, match=f"{name} reads inclusion probabilities: give --prels"):
        run_command("evaluate", *given, "--measure", name)
    with pytest.raises(CommandError, match="evaluate --prels takes them"):
        run_command("compare", *given, "--measure", name)
