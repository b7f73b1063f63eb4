"""`--depth` and `--judged-only`: which of a run's documents count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

# alpha, topic 1: a (2), b (0), c and d unjudged. Topic 2: k (1), l (named as not judged).
NAMES = ("NumRet", "P@2", "AP", "RBP(p=0.5)", "Unjudged@3", "SetP")


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def scores(given: list[Any], *options: Any) -> dict[tuple[str, str], Any]:
    asked = [part for name in NAMES for part in ("--measure", name)]
    made = run_json("evaluate", *given, "--per-topic", "--topics", "judged", *asked, *options)
    return {(row["topic"], row["measure"]): row for row in made["scores"] if row["run"] == "alpha"}


def score(rows: dict[tuple[str, str], Any], topic: str, measure: str) -> float:
    return float(rows[topic, measure]["score"])


def test_depth_uses_the_first_documents(given: list[Any]) -> None:
    whole, cut = scores(given), scores(given, "--depth", 1)
    assert [score(whole, topic, "NumRet") for topic in "12"] == [4, 2]
    assert [score(cut, topic, "NumRet") for topic in "12"] == [1, 1]
    # The topic's relevant documents stay those of the qrels: a, e and zz.
    assert score(cut, "1", "AP") == pytest.approx(1 / 3)
    assert score(cut, "1", "SetP") == 1
    assert cut["1", "RBP(p=0.5)"]["base"] == 0.5
    assert cut["1", "RBP(p=0.5)"]["residual"] == 0.5


def test_judged_only_lets_the_judged_documents_move_up(given: list[Any]) -> None:
    judged = scores(given, "--judged-only")
    assert [score(judged, topic, "NumRet") for topic in "12"] == [2, 1]
    assert score(judged, "1", "SetP") == 0.5
    assert score(judged, "1", "Unjudged@3") == 0
    assert judged["1", "RBP(p=0.5)"]["residual"] == 0.25


def test_runs_are_cut_before_unjudged_documents_go(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", {"alpha": {"1": ["x", "a", "b"]}})
    given = ["--runs", runs, "--qrels", write_qrels(tmp_path, "1 0 a 1\n1 0 b 1\n")]
    assert score(scores(given, "--depth", 2, "--judged-only"), "1", "NumRet") == 1


def test_documents_tied_across_one_left_out_stay_tied(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text("".join(f"1 Q0 {docno} 1 {score} t\n" for docno, score in (("c", 2), ("b", 2), ("a", 2))))
    given = ["--runs", file, "--qrels", write_qrels(tmp_path, "1 0 c 1\n1 0 a 0\n")]
    made = run_json("evaluate", *given, "--judged-only", "--measure", "RBP(p=0.5,ties=shared)")
    [row] = made["scores"]
    # c and a share the weights 0.5 and 0.25.
    assert row["base"] == pytest.approx(0.375)


def test_the_cache_holds_whole_runs(given: list[Any]) -> None:
    cut, whole = scores(given, "--depth", 1), scores(given)
    assert score(cut, "1", "NumRet") == 1
    assert score(whole, "1", "NumRet") == 4


def test_sums_and_geometric_means_are_of_all_topics(given: list[Any]) -> None:
    names = ("NumQ", "NumRet", "NumRel", "GMAP")
    asked = [part for name in names for part in ("--measure", name)]
    rows = run_json("evaluate", *given, "--topics", "judged", *asked)["scores"]
    found = {row["measure"]: row["score"] for row in rows if row["run"] == "alpha"}
    assert (found["NumQ"], found["NumRet"], found["NumRel"]) == (3, 6, 5)
    # AP is 1/3 and 1, and 0 on the topic that the run misses.
    assert found["GMAP"] == pytest.approx((1 / 3 * 1 * 1e-5) ** (1 / 3))


@pytest.mark.parametrize("name", ["NumRet", "GMAP"])
def test_compare_takes_means_only(given: list[Any], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exception, match="is no mean over topics"):
        run_command("compare", *given, "--measure", name)


def test_compare_uses_the_first_documents(given: list[Any]) -> None:
    options = ["--topics", "judged", "--top-share", 1, "--measure", "SetP", "--test", "sign"]
    whole, cut = (
        run_json("compare", *given, *options, *more)["comparisons"][0] for more in ((), ("--depth", 1))
    )
    assert (whole["better"], cut["better"]) == ("beta", "alpha")
    # By topic, SetP of alpha and beta: 1/4 and 1/2, 1/2 and 1/3, none; cut, alpha has 1 twice and beta 0.
    assert whole["base"] == pytest.approx((1 / 2 + 1 / 3 - 1 / 4 - 1 / 2) / 3)
    assert cut["base"] == pytest.approx(2 / 3)
