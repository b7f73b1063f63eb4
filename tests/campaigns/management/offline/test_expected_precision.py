"""EAP and the confidence of pairs, through the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.management.offline.rankings import Relevance
from evaluation.estimation.mtc import confidences, topic_moments
from evaluation.estimation.relevance import expert_relevance
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

OPPOSITE = {"forward": {"1": ["a", "b", "c"]}, "backward": {"1": ["c", "b", "a"]}}


def files(tmp_path: Path, runs: Any, qrels: str) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs", runs), "--qrels", write_qrels(tmp_path, qrels)]


def eap(*arguments: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = run_json("evaluate", *arguments, "--measure", "EAP")["scores"]
    return rows


def test_golden_confidence_of_a_pair(tmp_path: Path) -> None:
    given = files(tmp_path, OPPOSITE, "1 0 a 1\n")
    line = run_json("compare", *given, "--measure", "EAP", "--top-share", 1)["comparisons"][0]
    assert (line["better"], line["worse"]) == ("forward", "backward")
    # E[dSP] .375 of two expected relevant documents; the bound leaves out a term of the exact .144097.
    assert line["expected"] == line["base"] == pytest.approx(0.375 / 2)
    exact = confidences([([np.arange(3), np.arange(3)[::-1]], np.array([1.0, 0.5, 0.5]))], exact=True)
    assert 1 - exact.confidence[0, 1] == pytest.approx(0.1616, abs=5e-5)
    assert line["deviation"] >= np.sqrt(0.144097) / 2
    assert 0.75 < line["confidence"] <= exact.confidence[0, 1]
    assert "confidence" in run_command("compare", *given, "--measure", "EAP", "--top-share", 1)[0]
    other = run_json("compare", *given, "--measure", "AP", "--top-share", 1)["comparisons"][0]
    assert "confidence" not in other


def test_expectation_over_the_whole_pool(tmp_path: Path) -> None:
    # d is ranked by the other run alone, z is judged and ranked by none, y is pooled and open.
    runs = {"r": {"1": ["a", "b"]}, "s": {"1": ["d", "a"]}}
    given = files(tmp_path, runs, "1 0 a 1\n1 0 z 1\n1 0 b 0\n1 0 y -1\n")
    row = eap(*given, "--relevance", "constant=0.25")[0]
    # Expected relevant: a and z, d and y a quarter each.
    assert row["score"] == pytest.approx(1 / 2.5)
    moments = topic_moments([np.array([0, 1])], np.array([1, 0, 0.25, 1, 0.25]))
    assert row["variance"] == pytest.approx(moments.ap_variance[0])
    # What the model leaves open is no interval that was tried on data.
    assert (row["low"], row["high"]) == (None, None)


def test_the_mean_is_emap_with_its_variance(tmp_path: Path) -> None:
    runs = {"r": {"1": ["a", "b"], "2": ["c", "d", "e"]}, "s": {"2": ["e"]}}
    given = files(tmp_path, runs, "1 0 a 1\n2 0 d 1\n")
    result = run_json("evaluate", *given, "--measure", "EAP", "--per-topic")
    for mean in result["means"]:
        rows = [row for row in result["scores"] if row["run"] == mean["run"]]
        assert mean["score"] == pytest.approx(sum(row["score"] for row in rows) / 2)
        assert mean["variance"] == pytest.approx(sum(row["variance"] for row in rows) / 4)
        assert mean["deviation"] == pytest.approx(mean["variance"] ** 0.5)


def test_models_of_relevance(tmp_path: Path) -> None:
    given = files(tmp_path, {"r": {"1": [*"abcdef"]}, "s": {"1": [*"fbdace"]}}, "1 0 a 1\n1 0 b 1\n1 0 f 0\n")
    rankings = [np.arange(6), np.array([5, 1, 3, 0, 2, 4])]
    nan = float("nan")
    experts = expert_relevance(rankings, np.array([1, 1, nan, nan, nan, 0]))
    rates = {
        "constant": np.array([1, 1, 0.5, 0.5, 0.5, 0]),
        "constant=0.1": np.array([1, 1, 0.1, 0.1, 0.1, 0]),
        "smoothed": np.array([1, 1, 0.6, 0.6, 0.6, 0]),
        "experts": experts,
    }
    for model, relevance in rates.items():
        moments = topic_moments(rankings, relevance)
        rows = eap(*given, "--relevance", model)
        assert [row["score"] for row in rows] == pytest.approx(moments.ap.tolist()), model
        assert [row["variance"] for row in rows] == pytest.approx(moments.ap_variance.tolist()), model


def test_with_all_judged_it_is_ap(tmp_path: Path) -> None:
    given = files(tmp_path, OPPOSITE, "1 0 a 2\n1 0 b 0\n1 0 c 1\n1 0 z 1\n")
    result = run_json("evaluate", *given, "--measure", "EAP", "--measure", "AP")["scores"]
    for ours, plain in zip(result[::2], result[1::2], strict=True):
        assert ours["score"] == pytest.approx(plain["score"])
        assert ours["variance"] == 0


@pytest.mark.parametrize(("model", "p"), [("constant", 1.5), ("constant", -0.1), ("rumour", 0.5)])
def test_models_that_are_none(model: Any, p: float) -> None:
    with pytest.raises(ValueError, match=r"outside \[0, 1\]|no model is called"):
        Relevance(model, p)
