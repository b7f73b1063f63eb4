"""Scores of the library are those of the command, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import judged
from judged import AP, RBP, nDCG
from tests.campaigns.management.offline.command_files import run_json
from tests.library.surface.sample_sources import QRELS, RUNS, TREC_DATA, needs_data, write_files

pytestmark = pytest.mark.filterwarnings("ignore::judged.Notice")
MEASURES = ["RBP(p=0.8)", "nDCG@10", "AP", "P@5", "infAP", "EAP"]


def of_command(runs: Path, qrels: Path, *options: Any) -> Any:
    named = [part for measure in MEASURES for part in ("--measure", measure)]
    return run_json("evaluate", "--runs", runs, "--qrels", qrels, *named, "--no-cache", *options)


OPTIONS: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
    "default": ({}, ()),
    "judged topics": ({"topics": "judged"}, ("--topics", "judged")),
    "gains": ({"gains": [0, 0.5, 1]}, ("--gains", "0,0.5,1")),
    "cuts": ({"depth": 2, "judged_only": True}, ("--depth", "2", "--judged-only")),
    "estimates": (
        {"background": 0.1, "smoothing": 0.3, "split": True},
        ("--background", "0.1", "--smoothing", "0.3", "--split"),
    ),
    "order": ({"order": "line", "score_precision": 32}, ("--order", "line", "--score-precision", "32")),
    "relevance": ({"relevance": "experts"}, ("--relevance", "experts")),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_scores_are_those_of_the_command(tmp_path: Path, name: str) -> None:
    ours, theirs = OPTIONS[name]
    files = write_files(tmp_path)
    scores, command = judged.evaluate(*files, MEASURES, **ours), of_command(*files, *theirs, "--per-topic")
    assert scores.rows == command["means"]
    assert scores.per_topic.rows == command["scores"]
    assert scores.gains == command["gains"]


@needs_data
def test_scores_of_real_runs_are_those_of_the_command() -> None:
    runs, qrels = TREC_DATA / "cranfield" / "runs", TREC_DATA / "cranfield" / "qrels.txt"
    command = of_command(runs, qrels, "--background", "fit")
    scores = judged.evaluate(judged.read_runs(runs), qrels, MEASURES, background="fit")
    assert scores.rows == command["scores"]
    assert scores.background == command["background"]


def test_measures_are_expressions_names_and_those_of_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    ours = judged.evaluate(RUNS, QRELS, [RBP(p=0.5), nDCG @ 10, AP(rel=2)])
    names = judged.evaluate(RUNS, QRELS, ["RBP(p=0.5)", "nDCG@10", "AP(rel=2)"])
    theirs = judged.evaluate(
        RUNS, QRELS, [ir_measures.RBP(p=0.5), ir_measures.nDCG @ 10, ir_measures.AP(rel=2)]
    )
    assert ours.rows == names.rows == theirs.rows
    assert ours["beta", ir_measures.nDCG @ 10] == ours["beta", nDCG @ 10] == ours["beta", "ndcg_cut_10"]


def test_rows_are_found_by_run_and_measure() -> None:
    scores = judged.evaluate(RUNS, QRELS, [RBP, AP])
    row = scores["alpha", "RBP(p=0.8)"]
    assert row.top == pytest.approx((row.base or 0) + (row.residual or 0))
    assert scores["alpha", AP].base is None
    assert scores.per_topic["beta", AP, "1"].topic == "1"
    with pytest.raises(KeyError, match="2 rows have run 'alpha'"):
        scores["alpha"]
    with pytest.raises(KeyError, match="no rows have"):
        scores["delta", AP]
    with pytest.raises(AttributeError, match="no column is called 'best'"):
        row.best  # noqa: B018


def test_plot_draws_ranges_or_points() -> None:
    scores = judged.evaluate(RUNS, QRELS, [RBP, AP])
    chart = scores.plot(most=2).to_dict()
    ranked = sorted(RUNS, key=lambda run: -(scores[run, RBP].score or 0))
    assert [row["run"] for row in chart["data"]["values"]] == ranked[:2]
    points = scores.plot(AP).to_dict()["data"]["values"]
    assert {one["shown"] for one in points} == {scores[run, AP].score for run in RUNS}
    with pytest.raises(ValueError, match="there are no scores by P@5"):
        scores.plot("P@5")


WRONG: dict[str, dict[str, Any]] = {
    "statAP reads inclusion probabilities: give prels": {"measures": "statAP"},
    "did you mean nDCG@10": {"measures": ["nDGC@10"]},
    "no measure is given": {"measures": []},
    "neither 'all' nor 'judged'": {"topics": "some"},
    "the gain 2 is outside": {"gains": [0, 2]},
    "background = 3 is outside": {"background": 3},
    "depth = 0 is below 1": {"depth": 0},
    "needs relevance='model'": {"measures": "EAP(calibrated)", "relevance": "experts"},
}


@pytest.mark.parametrize("detail", WRONG)
def test_wrong_options_are_refused(detail: str) -> None:
    with pytest.raises(ValueError, match=detail):
        judged.evaluate(RUNS, QRELS, **WRONG[detail])


def test_qrels_of_other_topics_are_refused() -> None:
    with pytest.raises(judged.FormatError, match="qrels: judges no topic of the runs"):
        judged.evaluate(RUNS, {"77": {"a": 1}})
