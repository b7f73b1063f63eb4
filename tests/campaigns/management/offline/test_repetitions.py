"""Checkpoints, assessor errors and several seeds of `simulate`."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from campaigns.management.offline.command_line import CommandError
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

# Grade 2 among the first documents, 1 further down; the last third is not judged.
GRADES = [2, 2, 1, 0, 1, 0, 0, 1, 0, 0, -2, 0]
DOCNOS = [f"d{place:02}" for place in range(18)]


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    rng = np.random.default_rng(5)
    runs = {
        f"run{run}": {
            str(topic): [
                DOCNOS[at] for at in np.argsort(np.arange(18) / 4 + (1 + 2 * run) * rng.normal(size=18))[:10]
            ]
            for topic in range(1, 9)
        }
        for run in range(5)
    }
    lines = [
        f"{topic} 0 {docno} {grade}\n"
        for topic in range(1, 9)
        for docno, grade in zip(DOCNOS, GRADES, strict=False)
    ]
    return ["--runs", write_runs(tmp_path / "runs", runs), "--qrels", write_qrels(tmp_path, "".join(lines))]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("unjudged", ["nonrelevant", "bypass"])
def test_checkpoints_are_replays_of_those_budgets(given: list[Any], unjudged: str) -> None:
    words = ["simulate", *given, "--method", "C", "--gains", "0,0.5,1", "--unjudged", unjudged]
    made = run_json(*words, "--judgments", 40, "--checkpoints", "25,10,40")
    assert [point["judged"] for point in made["checkpoints"]] == [10, 25, 40]
    for point in made["checkpoints"]:
        alone = run_json(*words, "--judgments", point["judged"])
        assert point == {name: alone[name] for name in point}
    assert made["scores"] == made["checkpoints"][-1]["scores"]


def test_checkpoints_as_table_and_csv(given: list[Any]) -> None:
    words = ["simulate", *given, "--method", "A", "--judgments", 30, "--checkpoints", "10,20"]
    made = run_json(*words)
    table = run_command(*words)[0].split("\n\n")[-1].splitlines()
    assert [line.split()[0] for line in table] == ["judged", "10", "20", "30"]
    assert [int(line.split()[2]) for line in table[1:]] == [
        *(point["relevant"] for point in made["checkpoints"]),
        made["relevant"],
    ]
    rows = rows_of(run_command(*words, "--format", "csv")[0])
    assert list(rows[0]) == ["judged", "bypassed", "relevant", "run", "base", "residual", "projected"]
    assert [row["judged"] for row in rows] == ["10"] * 5 + ["20"] * 5 + ["30"] * 5
    assert [float(row["base"]) for row in rows[:5]] == [
        row["base"] for row in made["checkpoints"][0]["scores"]
    ]
    at_end = [*words[:-1], "10,30"]
    assert len(rows_of(run_command(*at_end, "--format", "csv")[0])) == 10


# As without the option, and without a line that says so.
SAME_GAINS = ["--gains", "0,1,1"]


def test_a_budget_larger_than_the_pool_is_said(given: list[Any]) -> None:
    table, notices = run_command(
        "simulate", *given, "--method", "A", "--judgments", 5000, "--checkpoints", "10,4000"
    )
    judged = (
        len({*run_json("simulate", *given, "--method", "A", "--judgments", 1)})
        and run_json("simulate", *given, "--method", "A", "--judgments", 5000)["judged"]
    )
    assert f"A had no document left after {judged} of 5000 judgments" in notices
    assert f"the replay ended after {judged} judgments, before 4000 of --checkpoints" in notices
    assert [line.split()[0] for line in table.split("\n\n")[-1].splitlines()[1:]] == ["10", str(judged)]
    assert run_command("simulate", *given, "--method", "A", "--judgments", judged, *SAME_GAINS)[1] == ""


def test_a_stop_test_that_passes_is_no_lack_of_documents(given: list[Any]) -> None:
    words = ["simulate", *given, "--method", "C", "--judgments", 5000, "--checkpoints", "4999"]
    _, notices = run_command(*words, "--until", "separated=run0,run4")
    assert "no document left" not in notices
    assert "before 4999 of --checkpoints" in notices


@pytest.mark.parametrize("method", ["C", "hedge", "mtc"])
def test_assessor_errors_do_not_depend_on_the_order_of_judging(
    given: list[Any], tmp_path: Path, method: str
) -> None:
    words = ["simulate", *given, "--assessor-errors", "0.3,0.2", "--seed", 4, "--judgments", 5000]
    out = tmp_path / "out"
    made = run_json(*words, "--method", method, "--qrels-out", out)
    first = sorted(out.read_text().splitlines())
    pooled = run_json(*words, "--method", "pooling", "--qrels-out", out)
    assert sorted(out.read_text().splitlines()) == first
    assert made["assessor_errors"] == pooled["assessor_errors"]
    assert made["scores"] == pooled["scores"]


def test_misjudged_documents_are_counted_and_have_the_wrong_grade(given: list[Any], tmp_path: Path) -> None:
    true = {tuple(line.split()[::2]): int(line.split()[3]) for line in given[3].read_text().splitlines()}
    out = tmp_path / "out"
    words = ["simulate", *given, "--method", "A", "--judgments", 5000, "--qrels-out", out]
    made = run_json(*words, "--assessor-errors", "1,1")
    grades = {tuple(line.split()[::2]): int(line.split()[3]) for line in out.read_text().splitlines()}
    known = true.keys() & grades.keys()
    # The lowest relevant grade of these qrels is 1.
    assert all(grades[each] == (0 if true[each] > 0 else 1) for each in known)
    assert all(grades[each] == 0 for each in grades.keys() - known)
    assert made["assessor_errors"] == {"missed": 1.0, "false": 1.0, "misjudged": len(known)}
    assert made["relevant"] == sum(true[each] <= 0 for each in known)
    run_json(*words, "--assessor-errors", "1,1", "--gains", "0,0,1")
    graded = {tuple(line.split()[::2]): int(line.split()[3]) for line in out.read_text().splitlines()}
    assert {graded[each] for each in known} == {0, 2}


def test_without_errors_the_qrels_are_as_they_are(given: list[Any]) -> None:
    words = ["simulate", *given, "--method", "C", "--judgments", 30]
    plain = run_json(*words)
    assert "assessor_errors" not in plain
    assert run_json(*words, "--assessor-errors", "0,0")["scores"] == plain["scores"]


def assert_moments(means: Any, deviations: Any, points: list[Any]) -> None:
    relevant = [point["relevant"] for point in points]
    assert len(set(relevant)) > 1
    assert means["relevant"] == pytest.approx(mean(relevant))
    assert deviations["relevant"] == pytest.approx(stdev(relevant))
    for run in range(5):
        bases = [point["scores"][run]["base"] for point in points]
        assert means["scores"][run]["base"] == pytest.approx(mean(bases))
        assert deviations["scores"][run]["base"] == pytest.approx(stdev(bases))


@pytest.mark.parametrize("jobs", [1, 2])
def test_several_seeds_give_each_mean_and_deviation(given: list[Any], jobs: int) -> None:
    words = ["simulate", *given, "--method", "random", "--judgments", 30, "--checkpoints", "10"]
    words += ["--assessor-errors", "0.1,0.1"]
    made = run_json(*words, "--seed", "3,0-1", "--jobs", jobs)
    assert made["seeds"] == [3, 0, 1]
    assert made["assessor_errors"] == {"missed": 0.1, "false": 0.1}
    alone = [run_json(*words, "--seed", seed) for seed in made["seeds"]]
    for one, other in zip(made["each"], alone, strict=True):
        assert one | {"seconds": 0} == {name: other[name] for name in one} | {"seconds": 0}
    assert_moments(made["mean"], made["deviation"], alone)
    first = [one["checkpoints"][0] for one in (made["mean"], made["deviation"], *alone)]
    assert_moments(first[0], first[1], first[2:])
    assert [made[part]["checkpoints"][0]["judged"] for part in ("mean", "deviation")] == [10, 10]


def test_several_seeds_as_table_and_csv(given: list[Any]) -> None:
    words = ["simulate", *given, "--method", "random", "--judgments", 20, "--seeds", "0-2"]
    words += ["--checkpoints", "10"]
    scores, settings, seeds, points = run_command(*words)[0].split("\n\n")
    assert scores.splitlines()[0].split()[:3] == ["run", "base", "base_sd"]
    assert settings.split()[:4] == ["method", "p", "scope", "batch"]
    assert [line.split()[0] for line in seeds.splitlines()] == ["seed", "0", "1", "2", "mean", "deviation"]
    assert [line.split()[0] for line in points.splitlines()] == ["judged", "10", "20"]
    rows = rows_of(run_command(*words, "--format", "csv")[0])
    assert [row["seed"] for row in rows[::10]] == ["0", "1", "2", "mean", "deviation"]
    assert [row["judged"] for row in rows[:10]] == ["10"] * 5 + ["20"] * 5
    assert float(rows[30]["base"]) == pytest.approx(mean(float(rows[at]["base"]) for at in (0, 10, 20)))


def test_seeds_that_end_at_different_numbers(given: list[Any]) -> None:
    words = [
        "simulate",
        *given,
        "--method",
        "C",
        "--judgments",
        500,
        "--p",
        0.5,
        "--until",
        "separated=run0,run4",
    ]
    words += ["--assessor-errors", "0.1,0.1", "--checkpoints", "5,40", "--seeds", "0-7"]
    made = run_json(*words)
    ends = [one["judged"] for one in made["each"]]
    assert sum(end >= 40 for end in ends) in range(1, 8)
    for point, spread in zip(made["mean"]["checkpoints"], made["deviation"]["checkpoints"], strict=True):
        reached = [each for each in made["each"] if each["judged"] >= point["judged"]]
        found = [
            p["relevant"] for one in reached for p in one["checkpoints"] if p["judged"] == point["judged"]
        ]
        assert point["relevant"] == pytest.approx(mean(found))
        assert spread["relevant"] == (pytest.approx(stdev(found)) if len(found) > 1 else None)
    run_command(*words)
    run_command(*words, "--format", "csv")


def test_seeds_that_change_nothing_are_said(given: list[Any]) -> None:
    words = ["simulate", *given, "--method", "C", "--judgments", 20, "--seeds", "0-1"]
    assert "every seed gives the same scores" in run_command(*words)[1]
    words[words.index("C")] = "random"
    assert "every seed" not in run_command(*words)[1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--checkpoints", "10,0"], "'0' is not a whole number above 0"),
        (["--checkpoints", "10,many"], "'many' is not"),
        (["--checkpoints", "10,31"], "checkpoint 31 is above the budget of 30 judgments"),
        (["--assessor-errors", "0.1"], "not two rates such as 0.2,0.05"),
        (["--assessor-errors", "0.1,2"], "'2' is not a number in .0, 1."),
        (["--seeds", "0-"], "'' is not a whole number"),
        (["--seeds", "9-0"], "'9-0' is not a range"),
        (["--seeds", "0-999999"], "up to 10000 seeds"),
        (["--seeds", "1,0-2"], "names a seed twice"),
        (["--seeds", "0-1", "--qrels-out", "out"], "--qrels-out holds one replay: give one seed"),
        (["--gains", "0.5,1,1"], "the gains give grade 0 the gain 0.5"),
        (["--option", "power=4"], "power = 4 is not 1, 2 or 3"),
    ],
)
def test_wrong_usage(given: list[Any], tmp_path: Path, wrong: list[Any], message: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(CommandError, match=message):
        run_command("simulate", *given, "--method", "C", "--judgments", 30, *wrong)
    assert sorted(tmp_path.rglob("*")) == before


def test_graded_qrels_reach_weights_scores_and_files(given: list[Any], tmp_path: Path) -> None:
    order, out = tmp_path / "order", tmp_path / "out"
    words = ["simulate", *given, "--method", "C", "--judgments", 60, "--order-out", order, "--qrels-out", out]
    binary, chosen = run_json(*words), order.read_text()
    made = run_json(*words, "--gains", "0,0.25,1")
    assert order.read_text() != chosen
    assert made["scores"] != binary["scores"]
    assert {line.split()[3] for line in out.read_text().splitlines()} == {"-2", "0", "1", "2"}
    again = run_json("evaluate", *given[:2], "--qrels", out, "--measure", "RBP(p=0.8)", "--gains", "0,0.25,1")
    assert [row["base"] for row in again["scores"]] == pytest.approx([row["base"] for row in made["scores"]])
