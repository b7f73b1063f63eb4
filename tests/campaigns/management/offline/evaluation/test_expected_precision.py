"""EAP and the confidence of pairs, through the commands."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from campaigns.management.offline.command_line import CommandError
from campaigns.scoring.measured_rankings import Relevance
from evaluation.estimation.mtc import topic_moments
from evaluation.estimation.relevance import expert_relevance
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

OPPOSITE = {"forward": {"1": ["a", "b", "c"]}, "backward": {"1": ["c", "b", "a"]}}


def files(tmp_path: Path, runs: Any, qrels: str) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs", runs), "--qrels", write_qrels(tmp_path, qrels)]


def eap(*arguments: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = run_json("evaluate", *arguments, "--measure", "EAP")["scores"]
    return rows


def compared(*arguments: Any) -> list[dict[str, Any]]:
    made = run_json("compare", *arguments, "--measure", "EAP", "--top-share", 1)
    rows: list[dict[str, Any]] = made["comparisons"]
    return rows


@pytest.mark.parametrize(
    ("model", "source"),
    [
        ("constant", "after Carterette 2006 (constant=0.5)"),
        ("smoothed", "after Carterette 2006 (smoothed)"),
        ("experts", "after Carterette 2007 (experts)"),
        ("model", "after Carterette 2007 (experts)"),
    ],
)
def test_published_and_calibrated_confidence_stand_side_by_side(
    tmp_path: Path, model: str, source: str
) -> None:
    given = [*files(tmp_path, OPPOSITE, "1 0 a 1\n"), "--relevance", model]
    line = compared(*given)[0]
    assert (line["better"], line["worse"]) == ("forward", "backward")
    if model == "constant":
        # E[dSP] .375 of two expected relevant documents; the bound leaves out a term of the exact .144097.
        assert line["published_expected"] == line["base"] == pytest.approx(0.375 / 2)
        assert line["published_deviation"] >= np.sqrt(0.144097) / 2
    z = line["published_expected"] / line["published_deviation"]
    assert line["published_confidence"] == pytest.approx(norm.cdf(z))
    # The calibrated one does not depend on the model of the scores.
    calibrated = compared(*given[:-1], "model")[0]
    for name in ("expected", "deviation", "confidence"):
        assert line[name] == calibrated[name]
    asked = ["compare", *given, "--measure", "EAP", "--top-share", 1]
    assert run_json(*asked)["published"] == source
    table = run_command(*asked)[0].splitlines()
    assert table[3].rstrip().endswith(f"calibrated confidence  {source}")
    assert table[4].split()[-2:] == [f"{line[of]:.4f}" for of in ("confidence", "published_confidence")]
    [row] = csv.DictReader(run_command(*asked, "--format", "csv")[0].splitlines())
    assert float(row["published_confidence"]) == line["published_confidence"]


def test_confidence_by_the_calibrated_model(tmp_path: Path) -> None:
    given = files(tmp_path, OPPOSITE, "1 0 a 1\n")
    line = compared(*given)[0]
    assert line == compared(*given, "--relevance", "model")[0]
    assert (line["better"], line["worse"]) == ("forward", "backward")
    assert line["expected"] > 0 < line["deviation"]
    assert 0.5 < line["confidence"] < 1
    assert "confidence" in run_command("compare", *given, "--measure", "EAP", "--top-share", 1)[0]
    other = run_json("compare", *given, "--measure", "AP", "--top-share", 1)["comparisons"][0]
    assert "confidence" not in other


@pytest.mark.parametrize("names", [("short", "long"), ("b-short", "a-long")])
@pytest.mark.parametrize("rest", ["", "judged"])
def test_a_long_list_does_not_beat_a_short_one_by_its_length(
    tmp_path: Path, names: tuple[str, str], rest: str
) -> None:
    # Ten topics; of the first ten documents ten and five are relevant, and the long list goes on.
    short, long = names
    topics = [str(topic) for topic in range(1, 11)]
    lists = {
        short: {topic: [f"s{rank}" for rank in range(10)] for topic in topics},
        long: {topic: [f"l{rank}" for rank in range(1000)] for topic in topics},
    }
    judged = [*(f"s{rank} 1" for rank in range(10)), *(f"l{rank} 1" for rank in range(5))]
    judged += [f"l{rank} 0" for rank in range(5, 1000)] if rest else []
    qrels = "".join(f"{topic} 0 {one}\n" for topic in topics for one in judged)
    line = compared(*files(tmp_path, lists, qrels))[0]
    assert (line["better"], line["worse"]) == (short, long)
    # How much an unjudged rest may hold stays open; a judged one leaves nothing open.
    assert (line["confidence"] == 1) == bool(rest)


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


def test_the_calibrated_model_expects_nothing_of_ends_and_counts_judged_documents_of_no_run(
    tmp_path: Path,
) -> None:
    runs = {"r": {"1": ["a", "c", "b"]}, "s": {"1": ["d", "a", "c"]}}
    given = files(tmp_path, runs, "1 0 a 1\n1 0 z 1\n1 0 d 0\n1 0 y -1\n")
    # a and z are relevant and only c is open: b is an end, and y is ranked by none.
    found = []
    for measure in ("EAP", "EAP(calibrated)"):
        first, second = run_json("evaluate", *given, "--measure", measure)["scores"]
        assert first["measure"] == measure
        p = (2 * first["score"] - 1) / (1 - first["score"])
        assert second["score"] == pytest.approx((1 / 2 + 2 / 3 * p) / (2 + p))
        found.append(p)
    # The first is the model's probability itself, of the second what orders past runs best.
    assert 0 < found[0] < 1
    assert found[1] == pytest.approx(0.3 * found[0])


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_only_the_calibrated_model_has_a_calibrated_expectation(tmp_path: Path, command: str) -> None:
    given = files(tmp_path, OPPOSITE, "1 0 a 1\n")
    with pytest.raises(CommandError, match="needs --relevance model") as wrong:
        run_command(command, *given, "--measure", "EAP(calibrated)", "--relevance", "constant")
    assert wrong.value.returncode == 2


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
