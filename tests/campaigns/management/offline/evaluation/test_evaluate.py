from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.management.offline.command_line import CommandError
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

FIELDS = ["run", "measure", "score", "base", "residual", "top", "projected"]
ESTIMATES = ["simplistic", "background", "interpolated", "smoothed"]


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def rows(result: Any, run: str) -> dict[str, Any]:
    return {
        row.get("topic", "mean"): row
        for row in result["scores"] + result.get("means", [])
        if row["run"] == run
    }


def test_the_shape_that_scripts_rely_on(given: list[Any]) -> None:
    result = run_json("evaluate", *given)
    assert list(result) == ["topics", "judged", "gains", "scores"]
    assert (result["topics"], result["judged"]) == (4, 7)
    assert [row["run"] for row in result["scores"]] == ["alpha", "beta"]
    assert list(result["scores"][0]) == FIELDS + ESTIMATES
    assert result["scores"][0]["measure"] == "RBP(p=0.8)"


def test_each_topic_and_the_mean(given: list[Any]) -> None:
    result = run_json("evaluate", *given, "--per-topic", "--measure", "RBP(p=0.5)")
    assert list(result["scores"][0]) == ["run", "measure", "topic", "score", *FIELDS[3:], *ESTIMATES]
    alpha = rows(result, "alpha")
    # Topic 1: a relevant, b not, c, d and the tail open.
    assert (alpha["1"]["base"], alpha["1"]["residual"], alpha["1"]["top"]) == (0.5, 0.25, 0.75)
    assert alpha["1"]["projected"] == pytest.approx(0.5 / 0.75)
    # Topic 2: k relevant, l given as -1, which is not judged.
    assert (alpha["2"]["base"], alpha["2"]["residual"]) == (0.5, 0.5)
    # Topic 3 is in no run, topic 10 has no judgments: all open, and the mean counts them.
    assert (alpha["3"]["base"], alpha["3"]["residual"], alpha["3"]["projected"]) == (0.0, 1.0, 1.0)
    assert (alpha["10"]["base"], alpha["10"]["residual"]) == (0.0, 1.0)
    assert (alpha["mean"]["base"], alpha["mean"]["residual"]) == (0.25, 0.6875)
    # Estimates are made by topic. Topics 3 and 10 have the background rate, and no projection.
    assert alpha["mean"]["interpolated"] == pytest.approx((0.5 / 0.75 + 1 + 0.01 + 0.01) / 4)
    assert alpha["mean"]["projected"] == pytest.approx((0.5 / 0.75 + 1) / 2)
    assert alpha["mean"]["score"] == alpha["mean"]["base"] == alpha["mean"]["simplistic"]
    assert alpha["mean"]["background"] == pytest.approx(0.25 + 0.01 * 0.6875)
    smoothed = (0.5 * 1.25 + 0.01 * 0.25**2, 0.5 * 1.5 + 0.01 * 0.5**2, 0.01, 0.01)
    assert alpha["mean"]["smoothed"] == pytest.approx(sum(smoothed) / 4)


def test_gains_of_grades(given: list[Any]) -> None:
    result = run_json("evaluate", *given, "--per-topic", "--measure", "RBP(p=0.5)", "--gains", "0,0.5,1")
    assert rows(result, "alpha")["1"]["base"] == 0.5
    assert rows(result, "beta")["1"]["base"] == 0.125
    # The junk document m is judged: only n and the tail are open.
    assert (rows(result, "beta")["2"]["base"], rows(result, "beta")["2"]["residual"]) == (0.125, 0.25)


def test_topics_without_judgments_are_told_of_and_can_be_left_out(given: list[Any]) -> None:
    _, notices = run_command("evaluate", *given)
    assert "1 of 4 topics have no judgments" in notices
    assert "(10)" in notices
    result = run_json("evaluate", *given, "--topics", "judged")
    assert result["topics"] == 3


def test_several_measures(given: list[Any]) -> None:
    result = run_json("evaluate", *given, "--measure", "RBP(p=0.5)", "--measure", "RBP(p=.95)")
    assert [(row["run"], row["measure"]) for row in result["scores"]] == [
        ("alpha", "RBP(p=0.5)"),
        ("alpha", "RBP(p=0.95)"),
        ("beta", "RBP(p=0.5)"),
        ("beta", "RBP(p=0.95)"),
    ]


def test_several_persistences_at_once(given: list[Any]) -> None:
    result = run_json("evaluate", *given, "--measure", "RBP(p=0.5,.95)", "--measure", "RBP(p=0.5)")
    assert [row["measure"] for row in result["scores"]] == ["RBP(p=0.5)", "RBP(p=0.95)"] * 2


def test_options_of_the_estimates(given: list[Any]) -> None:
    plain = rows(run_json("evaluate", *given, "--per-topic"), "alpha")["1"]
    asked = run_json("evaluate", *given, "--background", 0.2, "--smoothing", 0.25, "--per-topic")
    base, rest = plain["base"], plain["residual"]
    row = rows(asked, "alpha")["1"]
    assert row["background"] == pytest.approx(base + 0.2 * rest)
    assert row["smoothed"] == pytest.approx(0.25 * base / (1 - rest) + 0.75 * (base + 0.2 * rest))
    assert {name: row[name] for name in ("base", "projected", "interpolated")} == {
        name: plain[name] for name in ("base", "projected", "interpolated")
    }


def test_the_residual_in_two_parts(given: list[Any]) -> None:
    asked = ["--split", "--per-topic", "--measure", "RBP(p=0.5)", "--measure", "P@4", "--measure", "AP"]
    result = run_json("evaluate", *given, *asked)
    by_place = {(row["measure"], row["run"], row.get("topic")): row for row in result["scores"]}
    # Topic 1: alpha's c and d are open and end at rank 4; beta ends at rank 2, with both judged.
    assert by_place["RBP(p=0.5)", "alpha", "1"]["unjudged"] == 3 / 16
    assert by_place["RBP(p=0.5)", "alpha", "1"]["tail"] == 1 / 16
    beta = by_place["RBP(p=0.5)", "beta", "1"]
    assert (beta["unjudged"], beta["tail"]) == (0.0, 0.25)
    assert (by_place["P@4", "beta", "1"]["unjudged"], by_place["P@4", "beta", "1"]["tail"]) == (0.0, 0.5)
    # A run without the topic is all tail; a measure without bounds has no parts.
    assert by_place["RBP(p=0.5)", "beta", "10"]["tail"] == 1.0
    assert "tail" not in by_place["AP", "alpha", "1"]
    for row in result["scores"] + result["means"]:
        if row["residual"] is not None:
            assert row["unjudged"] + row["tail"] == pytest.approx(row["residual"])
    lines = list(csv.DictReader(run_command("evaluate", *given, *asked, "--format", "csv")[0].splitlines()))
    assert {line["tail"] for line in lines if line["measure"] == "AP"} == {""}


def test_a_fitted_background_rate(tmp_path: Path) -> None:
    # Document n of ten is asked for by n % 5 + 1 runs; of those that more ask for more are relevant.
    runs = {f"r{run}": {"1": [f"d{n}" for n in range(50) if n % 5 + 1 > run]} for run in range(5)}
    relevant = {(level, n): n < 2 * level for level in range(1, 6) for n in range(10)}
    lines = [f"1 0 d{n * 5 + level - 1} {int(hit)}\n" for (level, n), hit in relevant.items()]
    files = ["--runs", write_runs(tmp_path / "runs", runs), "--qrels", write_qrels(tmp_path, "".join(lines))]
    result = run_json("evaluate", *files, "--background", "fit")
    # Rates .2, .4 … 1 lie on a line through 0, so that the rate of the least requested documents is taken.
    assert result["background"] == pytest.approx(0.2)
    said = run_command("evaluate", *files, "--background", "fit")[1]
    assert "The fitted background rate is" in said
    assert "taken as 0.2" in said
    assert "with equal weights for all numbers of runs, the fit gives" in said


def test_too_few_runs_for_a_fit(given: list[Any]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given, "--background", "fit")
    assert str(stopped.value.__cause__).startswith(f"{given[3]}: no background rate: 2 different numbers")


def test_shared_ties_take_no_notice_of_names(tmp_path: Path) -> None:
    folder, scores = tmp_path / "runs", []
    folder.mkdir()
    for first, second in (("a", "b"), ("b", "a")):
        (folder / "r.txt").write_text(f"1 Q0 {first} 1 2.5 r\n1 Q0 {second} 2 2.5 r\n1 Q0 c 3 1 r\n")
        files = ["--runs", folder, "--qrels", write_qrels(tmp_path, f"1 0 {first} 1\n1 0 {second} 0\n")]
        made = run_json("evaluate", *files, "--measure", "RBP(p=0.5,ties=shared)", "--measure", "RBP(p=0.5)")
        scores.append([(row["base"], row["residual"]) for row in made["scores"]])
    assert scores[0][0] == scores[1][0] == (0.375, 0.25)
    assert {scores[0][1][0], scores[1][1][0]} == {0.5, 0.25}


def test_qrels_without_relevant_documents(given: list[Any]) -> None:
    write_qrels(Path(given[3]).parent, "1 0 a 0\n")
    asked = ["AP", "nDCG", "infAP", "RBP(p=0.5)", "EAP", "Q", "Bpref"]
    made = run_json("evaluate", *given, "--topics", "judged", *[p for m in asked for p in ("--measure", m)])
    found = {row["measure"]: row["score"] for row in made["scores"] if row["run"] == "alpha"}
    # Of five documents four are not judged, half of which are expected to be relevant: EAP is not 0.
    assert {name for name, score in found.items() if score != 0} == {"EAP"}


def test_a_run_without_topics(given: list[Any]) -> None:
    (Path(given[1]) / "beta.txt").write_text("")
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given)
    assert str(stopped.value.__cause__) == f"{given[1]}/beta.txt: no lines in it: an empty file"


def test_csv_says_what_json_says(given: list[Any]) -> None:
    out, _ = run_command("evaluate", *given, "--per-topic", "--format", "csv")
    lines = list(csv.DictReader(out.splitlines()))
    result = run_json("evaluate", *given, "--per-topic")
    by_place = {(line["run"], line["topic"]): line for line in lines}
    assert len(by_place) == 2 * 5
    for row in result["scores"] + result["means"]:
        line = by_place[row["run"], row.get("topic", "all")]
        assert [float(line[name]) for name in FIELDS[2:] + ESTIMATES] == [
            row[name] for name in FIELDS[2:] + ESTIMATES
        ]


def test_the_table_has_the_best_run_first(given: list[Any]) -> None:
    out, _ = run_command("evaluate", *given, "--measure", "RBP(p=0.5)")
    head, *body = [line.split() for line in out.splitlines()]
    assert head == FIELDS + ESTIMATES
    assert [line[0] for line in body] == ["alpha", "beta"]
    assert body[0][2:5] == ["0.2500", "0.2500", "0.6875"]


def test_errors_of_files_name_the_line(given: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    bad = write_qrels(Path(given[3]).parent, "1 0 a 1\n1 0 b\n1 0 c x\n")
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given)
    assert stopped.value.code == 1
    assert f"{bad}:2: " in str(stopped.value.__cause__)
    assert f"{bad}:3: " in str(stopped.value.__cause__)


def test_a_grade_that_the_gains_do_not_reach(given: list[Any]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given, "--gains", "0,1")
    assert str(stopped.value.__cause__) == f"{given[3]}:1: grade 2, but gains are given for 0 to 1 only"


def test_fractions_are_their_own_gains(given: list[Any]) -> None:
    write_qrels(Path(given[3]).parent, "1 0 a 0.5\n1 0 b 0\n1 0 c 1.0\n1 0 d -2\n")
    asked = [p for name in ("RBP(p=0.5)", "AP", "AP(rel=1)", "nDCG") for p in ("--measure", name)]
    made = run_json("evaluate", *given, *asked, "--topics", "judged")
    found = {row["measure"]: row["score"] for row in made["scores"] if row["run"] == "alpha"}
    assert found["RBP(p=0.5)"] == 0.25 + 0.125
    # Any gain is relevant to AP; AP(rel=1) leaves only c.
    assert found["AP"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["AP(rel=1)"] == pytest.approx(1 / 3)
    assert found["nDCG"] == pytest.approx((0.5 + 0.5) / (1 + 0.5 / np.log2(3)))


@pytest.mark.parametrize(
    ("qrels", "options", "wrong"),
    [
        ("1 0 a 0.5\n1 0 b 2\n", [], ":2: grade 2 beside fractions such as 0.5, which are gains up to 1"),
        ("1 0 a 1.5\n", [], ":1: grade 1.5 beside fractions such as 1.5"),
        ("1 0 a 1\n1 0 b 0.5\n", ["--gains", "0,1"], ":2: grade 0.5 is no whole number"),
        ("1 0 a 1\n1 0 b -0.5\n", [], ":2: grade '-0.5' has no meaning"),
        ("1 0 a 1\n1 0 b 5\n", ["--measure", "ERR@20"], ":2: grade 5 is above 4"),
        ("1 0 a 3\n", ["--measure", "ERR(max_rel=2)@5"], ":1: grade 3 is above 2"),
        (
            "1 0 a 3\n",
            ["--measure", "ERR@5", "--measure", "DCG(max_rel=2)@5"],
            ":1: grade 3 is above 2, the highest that DCG(max_rel=2)@5 takes: name the scale, as in "
            "DCG(max_rel=3)@5",
        ),
        ("1 0 a 1001\n", ["--measure", "nDCG(gains=exp)"], ":1: grade 1001 is above 1000, the highest that"),
    ],
)
def test_grades_that_have_no_gain(given: list[Any], qrels: str, options: list[str], wrong: str) -> None:
    write_qrels(Path(given[3]).parent, qrels)
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given, *options)
    assert stopped.value.code == 1
    assert str(stopped.value.__cause__).startswith(f"{given[3]}{wrong}")


def test_measures_that_read_grades(given: list[Any]) -> None:
    """Alpha ranks a, of grade 2, first in topic 1, and k, of grade 1, first in topic 2."""
    names = ["AP(rel=2)", "P(rel=2)@2", "ERR@20", "ERR(max_rel=2)@20", "INST(T=1,max_rel=2)", "Judged@2"]
    asked = [part for name in names for part in ("--measure", name)]
    found = {
        (row["measure"], row["topic"]): row["score"]
        for row in run_json("evaluate", *given, *asked, "--per-topic")["scores"]
        if row["run"] == "alpha"
    }
    of = [[found[name, topic] for topic in ("1", "2", "10")] for name in names]
    assert of[:4] == [[1, 0, 0], [0.5, 0, 0], [3 / 16, 1 / 16, 0], [3 / 4, 1 / 4, 0]]
    assert 0 < of[4][1] < of[4][0]
    assert of[5] == [1, 0.5, 0]
    # Given gains are the probabilities of stopping; rel reads the grades whatever they are.
    gained = run_json("evaluate", *given, *asked, "--per-topic", "--gains", "0,0.1,0.5")["scores"]
    now = {(row["measure"], row["topic"]): row["score"] for row in gained if row["run"] == "alpha"}
    assert (now["ERR@20", "1"], now["AP(rel=2)", "1"]) == (0.5, 1.0)
    assert now["INST(T=1,max_rel=2)", "1"] == found["INST(T=1,max_rel=2)", "1"]


def test_cumulated_gain_reads_grades(tmp_path: Path) -> None:
    """Grade 1 above grade 3. The highest grade of any topic is the gain that is still open."""
    runs = write_runs(tmp_path / "runs", {"s": {"1": ["b", "a", "c"], "2": ["x", "y"]}})
    given = ["--runs", runs, "--qrels", write_qrels(tmp_path, "1 0 a 3\n1 0 b 1\n1 0 c -2\n2 0 y 1\n")]
    names = ["nDCG@10", "DCG@2", "DCG(gains=exp)@2", "DCG(max_rel=4)@2", "nDCG(gains=exp)@10"]
    asked = [part for name in names for part in ("--measure", name)]
    result, notices = run_command("evaluate", *given, *asked, "--per-topic", "--format", "json")
    found = {(row["measure"], row["topic"]): row for row in json.loads(result)["scores"]}
    assert "gains" not in json.loads(result)
    assert "Gains of" not in notices
    assert found["nDCG@10", "1"]["score"] == pytest.approx(0.7967, abs=5e-5)
    assert found["nDCG(gains=exp)@10", "1"]["score"] == pytest.approx(0.7098, abs=5e-5)
    assert (found["DCG@2", "1"]["base"], found["DCG@2", "1"]["residual"]) == (4, 0)
    assert (found["DCG@2", "2"]["base"], found["DCG@2", "2"]["residual"]) == (1, 3)
    assert found["DCG@2", "2"]["projected"] == pytest.approx(2)
    assert found["DCG@2", "2"]["background"] == pytest.approx(1 + 0.01 * 3)
    assert found["DCG(gains=exp)@2", "2"]["residual"] == 7
    assert found["DCG(max_rel=4)@2", "2"]["residual"] == 4
    # A file of gains applies to all measures but those that name theirs.
    given_gains = run_json("evaluate", *given, *asked, "--per-topic", "--gains", "0,1,1,1")["scores"]
    now = {(row["measure"], row["topic"]): row for row in given_gains}
    assert (now["nDCG@10", "1"]["score"], now["DCG@2", "2"]["residual"]) == (1, 1)
    assert now["nDCG(gains=exp)@10", "1"] == found["nDCG(gains=exp)@10", "1"]


def test_a_file_of_gains(given: list[Any], tmp_path: Path) -> None:
    file = tmp_path / "gains"
    file.write_text("# grade gain\n\n2 1\n0 0.0\n1 0.5\n0 0\n")
    listed = run_json("evaluate", *given, "--gains", "0,0.5,1")
    assert run_json("evaluate", *given, "--gains", file) == listed
    # Junk has the gain that the file gives it, and that of grade 0 elsewhere.
    file.write_text("-2 0.25\n0 0\n1 0.5\n2 1\n")
    assert run_json("evaluate", *given, "--gains", file)["gains"]["-2"] == 0.25


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("0 0 x\n", ":1: 3 columns where gains have 2 (grade, gain)"),
        ("0 0\n1.5 1\n", ":2: grade '1.5' is not a whole number from -2 on"),
        ("-3 0\n", ":1: grade '-3' is not a whole number from -2 on"),
        ("1 2\n", ":1: gain '2' is not a number from 0 to 1"),
        ("1 nan\n", ":1: gain 'nan' is not a number from 0 to 1"),
        ("1 x\n", ":1: gain 'x' is not a number from 0 to 1"),
        ("1 0.5\n1 0.6\n", ":2: grade 1 has gain 0.6 here and 0.5 above"),
        ("\n", ": no lines in it: an empty file"),
    ],
)
def test_wrong_files_of_gains(given: list[Any], tmp_path: Path, text: str, wrong: str) -> None:
    (tmp_path / "gains").write_text(text)
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given, "--gains", tmp_path / "gains")
    assert stopped.value.code == 1
    assert str(stopped.value.__cause__).startswith(f"{tmp_path / 'gains'}{wrong}")


def test_a_scale_that_does_not_begin_at_zero(given: list[Any], tmp_path: Path) -> None:
    (tmp_path / "gains").write_text("1 0.5\n3 1\n")
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given, "--gains", tmp_path / "gains")
    assert "grade 2, but gains are given for 1, 3 only" in str(stopped.value.__cause__)


def test_gains_that_were_used_are_said(given: list[Any]) -> None:
    asked = ["--measure", "Q", "--measure", "AP", "--measure", "SDCG@5"]
    result, notices = run_command("evaluate", *given, *asked, "--format", "json")
    assert json.loads(result)["gains"] == {"-2": 0, "0": 0, "1": 1, "2": 1}
    assert "Gains of Q, SDCG@5: 1 for grades 1 to 2, 0 for lower ones (default)." in notices
    result, notices = run_command("evaluate", *given, *asked, "--gains", "0,0.5,1", "--format", "json")
    assert json.loads(result)["gains"] == {"-2": 0, "0": 0, "1": 0.5, "2": 1}
    assert "Gains" not in notices
    assert "gains" not in run_json("evaluate", *given, "--measure", "AP", "--measure", "ERR@5")
    write_qrels(Path(given[3]).parent, "1 0 a 1\n1 0 b 0.5\n")
    assert "gains" not in run_json("evaluate", *given, *asked)


def test_measures_without_bounds_have_no_estimates(given: list[Any]) -> None:
    result = run_json("evaluate", *given, "--per-topic", "--measure", "AP", "--measure", "P@2")
    by_measure = {row["measure"]: row for row in result["means"] if row["run"] == "alpha"}
    assert {by_measure["AP"][name] for name in FIELDS[3:] + ESTIMATES} == {None}
    # Of four topics: one of three relevant found; the only one found; no run; no judgments.
    assert by_measure["AP"]["score"] == pytest.approx((1 / 3 + 1) / 4)
    assert (by_measure["P@2"]["base"], by_measure["P@2"]["residual"]) == (0.25, 0.625)


def test_the_table_keeps_measures_together(given: list[Any]) -> None:
    out, _ = run_command("evaluate", *given, "--measure", "RR", "--measure", "P@5")
    body = [line.split() for line in out.splitlines()[1:]]
    assert [line[:2] for line in body] == [["alpha", "RR"], ["beta", "RR"], ["alpha", "P@5"], ["beta", "P@5"]]
    assert body[0][3:] == ["–"] * 8


def test_qrels_of_other_topics(given: list[Any]) -> None:
    write_qrels(Path(given[3]).parent, "77 0 a 1\n")
    with pytest.raises(SystemExit) as stopped:
        run_command("evaluate", *given)
    assert str(stopped.value.__cause__) == f"{given[3]}: judges no topic of the runs"


@pytest.mark.parametrize(
    "wrong",
    [
        ["--measure", "RBQ"],
        ["--measure", "ERR"],
        ["--measure", "AP(rel=few)"],
        ["--measure", "INST(T=0)"],
        ["--measure", "MAPP"],
        ["--measure", "P@0"],
        ["--gains", "0,1,2"],
        ["--gains", "0,x"],
        ["--gains", "0,nan"],
        ["--gains=-1,0"],
        ["--measure", "RBP(p=0.5,1.5)"],
        ["--measure", "nDCG@0"],
        ["--background", "2"],
        ["--background", "guess"],
        ["--smoothing", "1.1"],
        ["--relevance", "rumour"],
        ["--relevance", "constant=2"],
        ["--relevance", "smoothed=0.5"],
        ["--format", "xml"],
        ["--topics", "some"],
    ],
)
def test_wrong_usage(given: list[Any], wrong: list[str]) -> None:
    with pytest.raises(CommandError):
        run_command("evaluate", *given, *wrong)


def test_json_is_one_document(given: list[Any]) -> None:
    json.loads(run_command("evaluate", *given, "--format", "json")[0])


@pytest.mark.parametrize(("order", "base"), [("score", 0.25), ("line", 0.5), ("rank", 0.125)])
def test_the_order_of_documents_can_be_by_score_line_or_rank(tmp_path: Path, order: str, base: float) -> None:
    (tmp_path / "run").write_text("1 Q0 a 3 2 t\n1 Q0 b 1 3 t\n1 Q0 c 2 1 t\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    files = ["--runs", tmp_path / "run", "--qrels", tmp_path / "qrels"]
    for measure in ("RBP(p=0.5)", "RBP(p=0.5,ties=shared)"):
        [row] = run_json("evaluate", *files, "--order", order, "--measure", measure)["scores"]
        assert row["base"] == base
    # Read whole, too.
    [row] = run_json("evaluate", *files, "--order", order, "--measure", "EAP", "--measure", "RBP(p=0.5)")[
        "scores"
    ][1:]
    assert row["base"] == base


def test_a_given_order_has_no_ties(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    files = ["--runs", tmp_path / "run", "--qrels", tmp_path / "qrels", "--measure", "RBP(p=0.5,ties=shared)"]
    found = [
        run_json("evaluate", *files, "--order", order)["scores"][0]["base"] for order in ("score", "line")
    ]
    assert found == [0.375, 0.5]
