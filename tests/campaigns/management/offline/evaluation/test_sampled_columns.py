"""`evaluate --prels` of a random sample: its columns, its notices, and files that are no such sample."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from campaigns.formats.grading import Grading
from campaigns.formats.prels import read_prels
from campaigns.management.offline.command_line import CommandError
from campaigns.management.offline.files import read_files
from campaigns.scoring.sampled_estimates import sampled_estimates
from evaluation.names import parse_measure
from tests.campaigns.factories import run_text
from tests.campaigns.management.offline.command_files import run_command, run_json

TOPICS, LENGTH = 16, 30
COLUMNS = ["sampled", "sampled_low", "sampled_high", "topics_low", "topics_high"]


@pytest.fixture
def files(tmp_path: Path) -> list[Any]:
    random = np.random.default_rng(2)
    runs = tmp_path / "runs"
    runs.mkdir()
    for tag in "xyz":
        lists = {str(t): [f"d{n:02}" for n in random.permutation(40)[:LENGTH]] for t in range(TOPICS)}
        (runs / f"{tag}.run").write_bytes(run_text(tag, lists))
    grades = random.choice([0, 1], (TOPICS, 40), p=[0.6, 0.4])
    rows = [f"{t} 0 d{n:02} {grades[t, n]}\n" for t in range(TOPICS) for n in range(40)]
    (tmp_path / "qrels").write_text("".join(rows))
    return ["--runs", runs, "--qrels", tmp_path / "qrels"]


@pytest.fixture
def prels(files: list[Any], tmp_path: Path) -> Path:
    return draw(files, tmp_path, 8)


def draw(files: list[Any], folder: Path, per_topic: int, *words: Any) -> Path:
    out = folder / "prels"
    asked = ["--method", "sample", "--option", "size=8", "--per-topic", per_topic, "--prels-out", out, *words]
    run_command("simulate", *files, *asked, "--qrels-out", folder / "judged")
    files[3] = folder / "judged"
    return out


def refusal(*words: Any) -> str:
    err = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("evaluate", *map(str, words), stdout=io.StringIO(), stderr=err)
    return err.getvalue()


def test_columns_are_the_estimates_within_the_bounds(files: list[Any], prels: Path) -> None:
    names = ("RBP(p=0.8)", "P@10", "DCG@5", "nDCG@5", "AP", "RR")
    asked = [word for name in names for word in ("--measure", name)]
    lines = run_json("evaluate", *files, "--prels", prels, *asked)["scores"]
    collection = read_files(sorted(files[1].iterdir()), None, Grading())
    collection = collection.with_samples(read_prels(prels, Grading()))
    for name in names[:-1]:
        wanted = {run.run: run for run in sampled_estimates(collection, parse_measure(name), Grading()).runs}
        for line in (line for line in lines if line["measure"] == name):
            run = wanted[line["run"]]
            assert line["sampled"] == pytest.approx(run.score)
            assert (line["topics_low"], line["topics_high"]) == (run.topics_low, run.topics_high)
            if line["base"] is None or run.low is None or run.high is None:
                assert (line["sampled_low"], line["sampled_high"]) == (run.low, run.high)
            else:
                assert line["sampled_low"] == max(run.low, line["base"])
                assert line["sampled_high"] == min(run.high, line["top"])
    assert all(line["sampled_low"] is None for line in lines if line["measure"] == "AP")
    assert all(line[name] is None for line in lines if line["measure"] == "RR" for name in COLUMNS)


def test_csv_and_table_have_the_columns(files: list[Any], prels: Path) -> None:
    text, _ = run_command("evaluate", *files, "--prels", prels, "--per-topic", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0])[-5:] == COLUMNS
    assert {row["topic"] == "all" for row in rows if row["sampled"]} == {True}
    table, _ = run_command("evaluate", *files, "--prels", prels, "--format", "table")
    assert "sampled_low" in table


def test_notices_say_what_is_missing(files: list[Any], tmp_path: Path) -> None:
    out = draw(files, tmp_path, 4)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(line for line in lines if not line.startswith("7 ")))
    text, notices = run_command("evaluate", *files, "--prels", out, "--format", "csv")
    assert "sampled: 15 of 16 topics; left out: 1 because no sample" in notices
    assert "RBP(p=0.8): no interval yet. 4 judgments a topic are sampled, and intervals need 5" in notices
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["sampled"]
    assert not row["sampled_low"]


def test_another_p_is_given_by_an_option(files: list[Any], tmp_path: Path) -> None:
    out = draw(files, tmp_path, 8, "--p", 0.6)
    assert re.search(r"topic 0, d\d\d: its probability is .*--sample-p", refusal(*files, "--prels", out))
    lines = run_json("evaluate", *files, "--prels", out, "--sample-p", 0.6, "--measure", "P@5")["scores"]
    assert all(line["sampled_low"] is not None for line in lines)


def test_runs_whose_documents_were_drawn_are_named(files: list[Any], tmp_path: Path) -> None:
    (tmp_path / "drawn").write_text("x\ny\n")
    out = draw(files, tmp_path, 8, "--contributing", tmp_path / "drawn")
    assert "its probability is" in refusal(*files, "--prels", out)
    asked = ["--prels", out, "--contributing", tmp_path / "drawn"]
    by_run = {line["run"]: line for line in run_json("evaluate", *files, *asked)["scores"]}
    assert by_run["x"]["sampled_low"] is not None
    assert by_run["z"]["sampled"] is None
    assert "RBP(p=0.8): no estimate of z, " in run_command("evaluate", *files, *asked)[1]


def test_statap_reads_prels_as_before(files: list[Any], tmp_path: Path) -> None:
    asked = ["--method", "statap", "--option", "size=8", "--per-topic", 8, "--prels-out", tmp_path / "prels"]
    run_command("simulate", *files, *asked)
    both = ["--prels", tmp_path / "prels", "--measure", "statAP", "--measure", "RBP(p=0.8)"]
    assert "sampled" not in run_json("evaluate", *files, *both)["scores"][0]
    assert "its probability is" in refusal(*files, *both, "--sample-p", 0.8)


@pytest.mark.parametrize("words", [[], ["--measure", "RR", "--prels", "prels"]])
def test_a_p_needs_prels_and_a_measure(files: list[Any], words: list[str]) -> None:
    with pytest.raises(CommandError, match="--sample-p needs --prels") as error:
        run_command("evaluate", *files, *words, "--sample-p", 0.8)
    assert error.value.returncode == 2
