from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from campaigns.management.offline.command_line import CommandError
from selection.simulation import planning
from tests.campaigns.management.offline.command_files import (
    QRELS,
    RUNS,
    run_command,
    run_json,
    write_qrels,
    write_runs,
)

WANTED = ["wanted", "method", "p", "judgments", "low", "high", "hours", "within", "tells"]


@pytest.fixture
def runs(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs")]


def test_judgments_and_hours_by_method_p_and_wish(runs: list[Any]) -> None:
    asked = ["--method", "A", "--method", "C", "--p", 0.5, "--p", 0.8, "--residual", 0.6, "--tau", 1]
    found = run_json("plan", *runs, *asked, "--budget", 50, "--minutes-per-topic", 6)
    pooled = {topic: {d for run in RUNS.values() for d in run.get(topic, ())} for topic in ("1", "2", "10")}
    every = sum(map(len, pooled.values()))
    assert (found["runs"], found["topics"], found["judged"], found["draws"]) == (2, 3, 0, 9)
    assert [list(line) for line in found["wanted"]] == [WANTED] * 8
    assert [(line["wanted"], line["method"], line["p"]) for line in found["wanted"]] == [
        (wanted, method, p)
        for wanted in ("residual 0.6", "tau 1")
        for p in (0.5, 0.8)
        for method in ("A", "C")
    ]
    for line in found["wanted"]:
        if line["judgments"] is not None:
            assert line["hours"] == pytest.approx((3 * 6 + line["judgments"] * 0.5) / 60)
    # All is judged long before the budget is spent, and then nothing of the order is open.
    for line in found["bought"]:
        assert line["judgments"] == every
        assert line["tau"] is None or line["tau"] == pytest.approx(1)
    assert found["pool"][-1] == {"depth": 4, "documents": every}


def test_plans_begin_with_the_judged_documents(runs: list[Any], tmp_path: Path) -> None:
    """Pooling's residual depends on no grade: a replay from the first document on gives it, too."""
    pooled = {(topic, d) for run in RUNS.values() for topic, ranked in run.items() for d in ranked}
    text = "".join(f"{topic} 0 {d} {n % 2}\n" for n, (topic, d) in enumerate(sorted(pooled)))
    every = write_qrels(tmp_path, text)

    def replayed(count: int) -> float:
        asked = ["--qrels", every, "--method", "pooling", "--judgments", count]
        return float(run_json("simulate", *runs, *asked)["mean_residual"])

    found = run_json("plan", *runs, "--qrels", every, "--method", "pooling", "--residual", 0.9, "--draws", 2)
    assert (found["judged"], found["budget"]) == (len(pooled), len(pooled) + 1000)
    # All is judged: nothing is left to judge, and no topic to develop.
    [line], [bought] = found["wanted"], found["bought"]
    assert (line["judgments"], line["low"], line["high"], line["hours"]) == (0, 0, 0, 0)
    assert (bought["judgments"], bought["hours"]) == (0, 0)
    assert bought["residual"] == pytest.approx(replayed(len(pooled)))
    first = [*runs, "--method", "pooling", "--residual", replayed(6), "--draws", 2]
    [line] = run_json("plan", *first, "--budget", 9)["wanted"]
    assert line["judgments"] == 6


def test_too_wide_a_range_has_no_numbers(runs: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [*runs, "--method", "C", "--residual", 0.7, "--budget", 9, "--draws", 5]
    stated = run_json("plan", *asked)["wanted"]
    assert [line["tells"] for line in stated] == [True]
    monkeypatch.setattr(planning, "WIDEST_RANGE", 0.5)
    for line, before in zip(run_json("plan", *asked)["wanted"], stated, strict=True):
        numbers = {"judgments": None, "low": None, "high": None, "hours": None, "tells": False}
        assert line == before | numbers


def test_the_same_seed_plans_the_same_and_formats_agree(runs: list[Any], tmp_path: Path) -> None:
    given = [*runs, "--qrels", write_qrels(tmp_path), "--residual", 0.5, "--budget", 9, "--draws", 3]
    found = run_json("plan", *given, "--seed", 4)
    assert found == run_json("plan", *given, "--seed", 4)
    # Of the runs' documents; topic 3 has no run and zz no rank.
    assert found["judged"] == QRELS.count("\n") - 3
    text, _ = run_command("plan", *given, "--seed", 4, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["method"], row["judgments"]) for row in rows] == [
        (line["method"], "" if line["judgments"] is None else str(line["judgments"]))
        for line in found["wanted"]
    ]
    table, _ = run_command("plan", *given, "--seed", 4)
    assert [part.split()[0] for part in table.split("\n\n")] == ["runs", "wanted", "method", "depth"]


def test_qrels_of_relevant_documents_only_are_told(runs: list[Any], tmp_path: Path) -> None:
    asked = [*runs, "--draws", 2, "--qrels"]
    _, notices = run_command("plan", *asked, write_qrels(tmp_path, "1 0 a 1\n1 0 b 1\n"))
    assert "every judged document is relevant" in notices
    _, notices = run_command("plan", *asked, write_qrels(tmp_path), "--gains", "0,1,1")
    assert notices == ""


def test_without_a_wish_it_says_what_the_budget_buys(runs: list[Any]) -> None:
    found = run_json("plan", *runs, "--budget", 4, "--draws", 2)
    assert found["wanted"] == []
    assert [(line["method"], line["judgments"]) for line in found["bought"]] == [
        ("pooling", 4), ("A", 4), ("C", 4)
    ]  # fmt: skip
    text, _ = run_command("plan", *runs, "--budget", 4, "--draws", 2, "--format", "csv")
    assert text.startswith("method,p,judgments,hours,residual,tau\n")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--budget", 0], "'0' is not a whole number above 0"),
        (["--budget", 5, "--residual", 0], "'0' is not a share"),
        (["--budget", 5, "--tau", "nan"], "'nan' is not a number in"),
        (["--budget", 5, "--p", 1], "'1' is not a number inside"),
        (["--budget", 5, "--seconds-per-judgment", "-3"], "'-3' is not a number from 0 on"),
        (["--budget", 5, "--method", "cal"], "no method that can be planned with is called 'cal'"),
        (["--budget", 5, "--topics", "judged"], "--topics judged asks for --qrels"),
    ],
)
def test_wrong_usage(runs: list[Any], wrong: list[Any], said: str) -> None:
    with pytest.raises(CommandError, match=said.replace("[", r"\[")):
        run_command("plan", *runs, *wrong)


def test_a_maximum_below_the_judgments_made_is_refused(runs: list[Any], tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, "1 0 a 1\n1 0 b 0\n")
    with pytest.raises(CommandError, match="a maximum of 2 judgments is not above the 2 made"):
        run_command("plan", *runs, "--qrels", qrels, "--budget", 2)


def test_a_wrong_file_is_named(runs: list[Any], tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, "1 0 a\n")
    with pytest.raises(SystemExit) as ended:
        run_command("plan", *runs, "--qrels", qrels, "--budget", 5)
    assert ended.value.code == 1
