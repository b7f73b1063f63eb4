from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from tests.offline.files import run_command, run_json, write_qrels, write_runs

SHAPE = [
    "method",
    "p",
    "scope",
    "batch",
    "judged",
    "bypassed",
    "relevant",
    "mean_residual",
    "seconds",
    "scores",
]
every_method = pytest.mark.parametrize("method", ["pooling", "A", "B", "C"])


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def test_the_shape_that_scripts_rely_on(given: list[Any]) -> None:
    result = run_json("simulate", *given, "--method", "C", "--judgments", 3)
    assert list(result) == SHAPE
    assert list(result["scores"][0]) == ["run", "base", "residual", "projected"]
    settings = {name: result[name] for name in SHAPE[:6]}
    assert settings == {
        "method": "C", "p": 0.8, "scope": "campaign", "batch": 1, "judged": 3, "bypassed": 0
    }  # fmt: skip
    residuals = [row["residual"] for row in result["scores"]]
    assert result["mean_residual"] == pytest.approx(sum(residuals) / 2)


@every_method
@pytest.mark.parametrize("unjudged", ["nonrelevant", "bypass"])
def test_evaluating_the_qrels_that_a_simulation_writes_gives_its_scores(
    given: list[Any], tmp_path: Path, method: str, unjudged: str
) -> None:
    out = tmp_path / "out.qrels"
    made = run_json(
        "simulate", *given, "--method", method, "--judgments", 6, "--p", 0.5, "--gains", "0,0.5,1",
        "--unjudged", unjudged, "--qrels-out", out,
    )  # fmt: skip
    again = run_json(
        "evaluate", *given[:2], "--qrels", out, "--measure", "RBP(p=0.5)", "--gains", "0,0.5,1",
    )  # fmt: skip
    # Topic 3 is in no run, so that these qrels cannot name it: its part of the means is 0 and 1.
    assert again["topics"] == 3
    for row, other in zip(made["scores"], again["scores"], strict=True):
        assert row["base"] == pytest.approx(other["base"] * 3 / 4, abs=1e-15)
        assert row["residual"] == pytest.approx((other["residual"] * 3 + 1) / 4, abs=1e-15)
    assert again["judged"] == made["judged"]


@every_method
def test_the_order_is_written_as_chosen(given: list[Any], tmp_path: Path, method: str) -> None:
    out = tmp_path / "order"
    made = run_json("simulate", *given, "--method", method, "--judgments", 99, "--order-out", out)
    lines = [line.split() for line in out.read_text().splitlines()]
    assert len(lines) == made["judged"] == 10
    assert len({(topic, docno) for topic, docno, _ in lines}) == 10
    assert float(lines[0][2]) > 0
    if method in ("pooling", "A"):
        weights = [float(weight) for _, _, weight in lines]
        assert weights == sorted(weights, reverse=True)


def test_method_a_s_order_by_hand(given: list[Any], tmp_path: Path) -> None:
    out = tmp_path / "order"
    run_command("simulate", *given, "--method", "A", "--p", 0.5, "--judgments", 5, "--order-out", out)
    assert out.read_text() == "1 b 0.75\n2 k 0.75\n1 a 0.5\n2 m 0.5\n10 x 0.5\n"


def test_only_contributing_runs_choose_and_all_are_scored(given: list[Any], tmp_path: Path) -> None:
    names, out = tmp_path / "names", tmp_path / "order"
    names.write_text("# the pool\nbeta\n\n")
    made = run_json(
        "simulate", *given, "--method", "C", "--judgments", 99, "--contributing", names, "--order-out", out
    )
    chosen = {tuple(line.split()[:2]) for line in out.read_text().splitlines()}
    assert chosen == {("1", "b"), ("1", "e"), ("2", "m"), ("2", "k"), ("2", "n")}
    assert [row["run"] for row in made["scores"]] == ["alpha", "beta"]
    assert made["scores"][0]["base"] > 0


def test_a_budget_per_topic(given: list[Any], tmp_path: Path) -> None:
    out = tmp_path / "order"
    run_command("simulate", *given, "--method", "C", "--per-topic", 2, "--order-out", out)
    topics = [line.split()[0] for line in out.read_text().splitlines()]
    assert {topic: topics.count(topic) for topic in topics} == {"1": 2, "2": 2, "10": 1}


def test_bypassing(given: list[Any]) -> None:
    made = run_json("simulate", *given, "--method", "A", "--judgments", 99, "--unjudged", "bypass")
    # Judged and pooled: a, b, e, k, m. Not known: c, d, l, n, x.
    assert (made["judged"], made["bypassed"], made["relevant"]) == (5, 5, 3)


def test_other_formats(given: list[Any]) -> None:
    table, _ = run_command("simulate", *given, "--method", "B", "--judgments", 4)
    assert "mean_residual" in table
    assert table.splitlines()[0].split() == ["run", "base", "residual", "projected"]
    lines, _ = run_command("simulate", *given, "--method", "B", "--judgments", 4, "--format", "csv")
    assert lines.splitlines()[0] == "run,base,residual,projected"
    assert len(lines.splitlines()) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--judgments", 0],
        ["--judgments", 5, "--per-topic", 5],
        ["--judgments", 5, "--method", "Z"],
        ["--judgments", 5, "--p", 1],
        ["--judgments", 5, "--batch", 0],
        ["--judgments", 5, "--unjudged", "skip"],
    ],
)
def test_wrong_usage(given: list[Any], wrong: list[Any]) -> None:
    with pytest.raises(CommandError):
        run_command("simulate", *given, "--method", "C", *wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha\nGamma\n", "names:2: no run is named 'Gamma'"),
        ("\n", "names: names no run"),
        (None, "no such file"),
    ],
)
def test_a_wrong_list_of_contributing_runs(
    given: list[Any], tmp_path: Path, text: str | None, message: str
) -> None:
    names = tmp_path / "names"
    if text is not None:
        names.write_text(text)
    with pytest.raises(SystemExit) as stopped:
        run_command("simulate", *given, "--method", "C", "--judgments", 5, "--contributing", names)
    assert stopped.value.code == 1
    assert message in str(stopped.value.__cause__)


def test_an_output_that_cannot_be_written(given: list[Any], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        run_command(
            "simulate", *given, "--method", "C", "--judgments", 5, "--order-out", tmp_path / "no" / "order"
        )
    assert stopped.value.code == 1
