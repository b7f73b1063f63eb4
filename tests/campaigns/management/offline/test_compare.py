from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from scipy import stats

from campaigns.management.offline.command_line import CommandError
from campaigns.management.offline.comparison import gather
from campaigns.scoring.score_tables import ScoreRow, ScoreTable, score_runs
from evaluation.comparison import rank_correlation
from evaluation.comparison.significance import p_values
from evaluation.measure import Score
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs
from tests.campaigns.management.offline.evaluation.test_trec_covid import DATA, FILES

TOPICS = [str(number) for number in range(1, 9)]
# good finds its relevant document first; fair second; poor never; blind ranks unjudged documents.
RUNS = {
    "poor": {topic: ["n", "m", "k"] for topic in TOPICS},
    "good": {topic: ["r", "n", "m"] for topic in TOPICS},
    "fair": {topic: ["n", "r", f"u{topic}"] for topic in TOPICS},
    "blind": {topic: ["u", "v", "w"] for topic in TOPICS},
}
QRELS = "".join(f"{topic} 0 r 1\n{topic} 0 n 0\n{topic} 0 m 0\n{topic} 0 k 0\n" for topic in TOPICS)


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    files = ["--runs", write_runs(tmp_path / "runs", RUNS), "--qrels", write_qrels(tmp_path, QRELS)]
    return [*files, "--top-share", 1, "--measure", "RBP(p=0.5)"]


def pair(result: Any, better: str, worse: str) -> dict[str, Any]:
    found = [line for line in result["comparisons"] if {line["better"], line["worse"]} == {better, worse}]
    assert len(found) == 1
    assert found[0]["better"] == better
    line: dict[str, Any] = found[0]
    return line


def test_the_shape_that_scripts_rely_on(given: list[Any]) -> None:
    result = run_json("compare", *given)
    head = ["topics", "judged", "measure", "test", "tails", "alpha", "correction", "runs", "of_runs", "pairs"]
    assert list(result) == [*head, "fractions", "comparisons"]
    assert [result[name] for name in head] == [8, 32, "RBP(p=0.5)", "wilcoxon", 1, 0.05, "none", 4, 4, 6]
    assert list(result["fractions"]) == ["base-vs-base", "base-vs-top", "base-vs-projected"]


@pytest.mark.parametrize(("count", "compared"), [(2, 2), (3, 3), (4, 4), (5, 2), (13, 4)])
def test_few_runs_are_compared_without_an_option(tmp_path: Path, count: int, compared: int) -> None:
    lists = {f"r{n:02}": {topic: [f"{n}", "r"] for topic in TOPICS} for n in range(count)}
    files = ["--runs", write_runs(tmp_path / "runs", lists), "--qrels", write_qrels(tmp_path, QRELS)]
    result = run_json("compare", *files)
    sizes = result["runs"], result["of_runs"], result["pairs"]
    assert sizes == (compared, count, compared * (compared - 1) // 2)
    assert f"{compared} of {count}" in run_command("compare", *files)[0].splitlines()[1]


@pytest.mark.parametrize(
    ("count", "share", "message"),
    [
        (1, [], "needs two runs or more, and --runs holds one"),
        (4, ["--top-share", "0.3"], "give --top-share 0.375 or more"),
        (7, ["--top-share", "0.1"], "give --top-share 0.215 or more"),
    ],
)
def test_too_few_runs_name_the_way_out(tmp_path: Path, count: int, share: list[str], message: str) -> None:
    lists = {f"r{n}": {topic: [f"{n}", "r"] for topic in TOPICS} for n in range(count)}
    files = ["--runs", write_runs(tmp_path / "runs", lists), "--qrels", write_qrels(tmp_path, QRELS)]
    with pytest.raises(CommandError, match=message) as wrong:
        run_command("compare", *files, *share)
    assert wrong.value.returncode == 2
    if share:
        enough = message.split()[2]
        assert run_json("compare", *files, "--top-share", enough)["runs"] == 2


def test_each_pair_by_hand(given: list[Any]) -> None:
    result = run_json("compare", *given)
    # Base .5 and .25 on every topic; fair's third document and its tail leave .25 open.
    line = pair(result, "good", "fair")
    assert (line["base"], line["top"]) == (0.25, 0.0)
    assert line["projected"] == pytest.approx(0.5 - 0.25 / 0.75)
    assert (line["base_p"], line["top_p"]) == (1 / 256, 1.0)
    assert (line["base_significant"], line["top_significant"], line["projected_significant"]) == (
        True,
        False,
        True,
    )
    # Nothing of blind is judged: its top is 1, and it has no projection.
    line = pair(result, "good", "blind")
    assert (line["base_significant"], line["top_significant"], line["projected_significant"]) == (
        True,
        False,
        False,
    )
    assert (line["top"], line["projected"], line["projected_p"], line["projected_topics"]) == (
        -0.5,
        None,
        None,
        0,
    )
    # poor and blind have base 0 both.
    assert pair(result, "blind", "poor")["base_p"] == 1.0
    # Differences without variance: d is infinite, and null in JSON.
    assert line["cohen_d"] is None


def test_fractions_count_the_pairs(given: list[Any]) -> None:
    result = run_json("compare", *given)
    for name, fraction in result["fractions"].items():
        column = f"{name.removeprefix('base-vs-')}_significant"
        assert fraction == np.mean([line[column] for line in result["comparisons"]])
    assert result["fractions"]["base-vs-base"] == 5 / 6
    assert result["fractions"]["base-vs-top"] == 2 / 6


def test_options_reach_the_test(given: list[Any]) -> None:
    assert pair(run_json("compare", *given, "--tails", 2), "good", "fair")["base_p"] == 2 / 256
    assert pair(run_json("compare", *given, "--test", "t"), "good", "fair")["base_p"] == 0.0
    strict = run_json("compare", *given, "--alpha", 0.001)
    assert strict["fractions"]["base-vs-base"] == 0.0
    holm = run_json("compare", *given, "--correction", "holm")
    assert pair(holm, "good", "fair")["base_p"] == pytest.approx(6 / 256)
    assert run_json("compare", *given, "--top-share", 0.5)["pairs"] == 1
    drawn = [*given, "--test", "randomisation"]
    assert pair(run_json("compare", *drawn), "good", "fair")["base_p"] == 1 / 256


def test_csv_and_table_say_the_same(given: list[Any]) -> None:
    lines = list(csv.DictReader(run_command("compare", *given, "--format", "csv")[0].splitlines()))
    result = run_json("compare", *given)
    assert [(line["better"], float(line["top_p"])) for line in lines] == [
        (line["better"], line["top_p"]) for line in result["comparisons"]
    ]
    head, figures, blank, _, *rows = run_command("compare", *given)[0].splitlines()
    assert head.split()[-3:] == ["base-vs-base", "base-vs-top", "base-vs-projected"]
    assert figures.split()[-3:] == [f"{value:.4f}" for value in result["fractions"].values()]
    assert (blank, len(rows)) == ("", 6)


def test_effects_come_with_intervals(given: list[Any]) -> None:
    line = pair(run_json("compare", *given), "good", "fair")
    assert (line["superiority"], line["rank_biserial"]) == (1.0, 1.0)
    expected = stats.binomtest(8, 8).proportion_ci(0.95, "wilson")
    assert line["superiority_low"] == pytest.approx(expected.low)
    assert -1 < line["rank_biserial_low"] < 1 == pytest.approx(line["rank_biserial_high"])
    assert "1.00 [0.68, 1.00]" in run_command("compare", *given)[0]


def test_topics_without_a_value_are_left_out_and_bounds_may_be_missing() -> None:
    values = {"a": [0.5, float("nan"), 0.2], "b": [0.1, 0.3, 0.4]}
    rows = [
        ScoreRow(run, "M", str(topic), Score(score, None))
        for run, scores in values.items()
        for topic, score in enumerate(scores)
    ]
    scores = gather(ScoreTable([], rows), "M")
    assert (scores.topics, scores.base.tolist()) == (("0", "2"), [[0.5, 0.2], [0.1, 0.4]])
    with pytest.raises(ValueError, match="M has no bounds, and so no top scores"):
        scores.of("top")
    with pytest.raises(ValueError, match="M has no value on any topic"):
        gather(ScoreTable([], rows[:2][1:] + rows[4:5]), "M")


def test_topics_left_out_are_told_of(given: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def without_topic_3(*arguments: Any) -> ScoreTable:
        rows = score_runs(*arguments).by_topic
        nothing = Score(float("nan"), None)
        return ScoreTable([], [replace(row, scored=nothing) if row.topic == "3" else row for row in rows])

    monkeypatch.setattr("campaigns.management.commands.compare.score_runs", without_topic_3)
    out, notices = run_command("compare", *given, "--format", "json")
    assert json.loads(out)["topics"] == 7
    assert "1 of 8 topics have no value for some run and are left out" in notices


@pytest.mark.parametrize(
    "wrong",
    [
        ["--alpha", "0"],
        ["--tails", "3"],
        ["--test", "z"],
        ["--top-share", "0"],
        ["--top-share", "0.1"],
        ["--correction", "tukey"],
        ["--measure", "MAPP"],
        ["--measure", "RBP(p=0.5,0.8)"],
        ["--relevance", "rumour"],
    ],
)
def test_wrong_usage(given: list[Any], wrong: list[str]) -> None:
    with pytest.raises(CommandError):
        run_command("compare", *given, *wrong)


def test_t_needs_two_topics(tmp_path: Path) -> None:
    runs = {tag: {"1": lists["1"]} for tag, lists in RUNS.items()}
    files = ["--runs", write_runs(tmp_path / "runs", runs), "--qrels", write_qrels(tmp_path, "1 0 r 1\n")]
    with pytest.raises(CommandError, match="at least 2 topics, got 1"):
        run_command("compare", *files, "--test", "t", "--top-share", 1)
    assert run_json("compare", *files, "--top-share", 1)["comparisons"][0]["cohen_d"] is None


@pytest.mark.skipif(not DATA.is_dir(), reason="TREC_DATA does not name a folder with trec-covid-r1")
def test_the_best_third_of_143_runs() -> None:
    result = run_json("compare", *FILES)
    assert (result["runs"], result["pairs"]) == (48, 1128)
    fractions = result["fractions"]
    assert fractions["base-vs-top"] <= fractions["base-vs-projected"] <= fractions["base-vs-base"]
    # One pair again, from what `evaluate` prints.
    cells = run_json("evaluate", *FILES, "--per-topic")["scores"]
    line = result["comparisons"][40]
    better, worse = (
        {row["topic"]: row for row in cells if row["run"] == line[name]} for name in ("better", "worse")
    )
    gaps = [better[topic]["base"] - worse[topic]["top"] for topic in better]
    assert line["top"] == pytest.approx(np.mean(gaps))
    assert line["top_p"] == pytest.approx(stats.wilcoxon(np.round(gaps, 12), alternative="greater").pvalue)


def write_order(folder: Path, *tags: str) -> Path:
    file = folder / "order"
    file.write_text("# the official order\n\n" + "".join(f"{tag}\n" for tag in tags))
    return file


def test_the_same_order_agrees_fully(given: list[Any], tmp_path: Path) -> None:
    order = write_order(tmp_path, "good", "fair", "blind", "poor")
    result = run_json("compare", *given, "--orders", order)
    rows = {row.pop("coefficient"): row for row in result["agreement"]}
    assert list(rows) == ["kendall", "tau_ap", "spearman", "rbo", "overlap"]
    # At depth 3 the tie makes prefixes of 3 and of 4 runs.
    expected = 0.1 * (1 + 0.9 + 0.9**2 * 6 / 7 + 0.9**3) + 0.9**4
    assert rows["rbo"]["value"] == pytest.approx(expected)
    names = {"first": "order", "second": "RBP(p=0.5)"}
    assert rows["overlap"] == {**names, "value": 1.0, "low": 1.0, "high": 1.0}
    # blind and poor score 0 both: tau-b of one tied pair in six.
    assert rows["kendall"]["value"] == pytest.approx(5 / np.sqrt(6 * 5))
    assert rows["kendall"]["low"] <= rows["kendall"]["value"] <= rows["kendall"]["high"]


def test_the_order_may_name_some_runs_and_the_top_share_of_them_overlaps(
    given: list[Any], tmp_path: Path
) -> None:
    order = write_order(tmp_path, "fair", "good", "poor")
    given[given.index("--top-share") + 1] = 0.67
    out, error = run_command("compare", *given, "--orders", order, "--format", "json")
    rows = {row["coefficient"]: row["value"] for row in json.loads(out)["agreement"]}
    assert rows["kendall"] == pytest.approx(1 / 3)
    assert rows["tau_ap"] == pytest.approx((0 + 1) / 2 * 2 - 1)
    assert rows["overlap"] == 1.0
    assert f"1 of 4 runs are not in {order} and are left out" in error


def test_the_reference_of_tau_ap_is_the_given_order(given: list[Any], tmp_path: Path) -> None:
    order = write_order(tmp_path, "good", "poor", "fair")
    result = run_json("compare", *given, "--orders", order)
    rows = {row["coefficient"]: row["value"] for row in result["agreement"]}
    # By score good, fair, poor: one of one is right above the second, one of two above the third.
    assert rows["tau_ap"] == pytest.approx((1 + 1 / 2) / 2 * 2 - 1)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("good\nother\n", "order:2: no run is named 'other'"),
        ("good\ngod\n", "order:2: no run is named 'god'; did you mean 'good'?"),
        ("good\n# a comment\nfair\ngood\n", "order:4: run 'good' is named in line 1 already"),
        ("good\n", "order: names one run only"),
        ("\n", "order: names no run"),
        ("\xff", "order: is not UTF-8 text"),
    ],
)
def test_a_wrong_order_is_named_by_file_and_line(
    given: list[Any], tmp_path: Path, text: str, wrong: str
) -> None:
    (tmp_path / "order").write_bytes(text.encode("latin-1"))
    err = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("compare", *map(str, given), "--orders", str(tmp_path / "order"), stderr=err)
    assert stopped.value.code == 1
    assert wrong in err.getvalue()


def per_topic(given: list[Any], name: str) -> dict[str, list[float]]:
    """A column of `evaluate`, by run."""
    files = [given[n] for n in (0, 1, 2, 3, 6, 7)]
    found: dict[str, list[float]] = {}
    for row in run_json("evaluate", *files, "--per-topic")["scores"]:
        found.setdefault(row["run"], []).append(row[name])
    return found


@pytest.fixture
def uneven(given: list[Any], tmp_path: Path) -> list[Any]:
    """As `given`; of some topics nothing is judged, and a run does without a topic."""
    lines = [line for line in QRELS.splitlines(keepends=True) if line[0] not in "67"]
    write_qrels(tmp_path, "".join([*lines, "6 0 u 1\n6 0 n 1\n", "1 0 u 1\n", "2 0 v 1\n"]))
    return given


@pytest.mark.parametrize("on", ["background", "interpolated", "smoothed", "projected"])
def test_estimates_of_both_runs_are_tested(uneven: list[Any], on: str) -> None:
    result = run_json("compare", *uneven, "--on", on, "--test", "t")
    assert (result["on"], list(result["fractions"])) == (on, [f"{on}-vs-{on}"])
    scores = {run: np.array(values) for run, values in per_topic(uneven, on).items()}
    if on == "projected":
        # Where nothing of a run is judged, it has no projection to test.
        residuals = per_topic(uneven, "residual")
        scores = {run: np.where(np.array(residuals[run]) < 1, scores[run], np.nan) for run in scores}
    best_first = sorted(scores, key=lambda run: -np.nanmean(scores[run]))
    assert [line["better"] for line in result["comparisons"]] == [best_first[n] for n in (0, 0, 0, 1, 1, 2)]
    for line in result["comparisons"]:
        better, worse = scores[line["better"]], scores[line["worse"]]
        both = ~np.isnan(better - worse)
        assert line[on] == pytest.approx(np.mean(better[both]) - np.mean(worse[both]))
        expected = stats.ttest_rel(better[both], worse[both], alternative="greater").pvalue
        assert line[f"{on}_p"] == pytest.approx(expected)
        assert line.get("projected_topics", 8) == (both.sum() if on == "projected" else 8)
        assert "base" not in line
    assert f"p vs {on}" in run_command("compare", *uneven, "--on", on)[0]


def test_projections_leave_out_topics_without_a_judgment(uneven: list[Any]) -> None:
    out, notices = run_command("compare", *uneven, "--format", "json")
    bases, residuals = per_topic(uneven, "base"), per_topic(uneven, "residual")
    counts = set()
    for line in json.loads(out)["comparisons"]:
        base, residual = np.array(bases[line["worse"]]), np.array(residuals[line["worse"]])
        begun = residual < 1
        gaps = np.array(bases[line["better"]])[begun] - base[begun] / (1 - residual[begun])
        assert (line["projected"], line["projected_topics"]) == (pytest.approx(gaps.mean()), begun.sum())
        assert line["projected_p"] == pytest.approx(p_values(gaps)[0])
        counts.add(begun.sum())
    assert f"Projections are compared on {min(counts)} to {max(counts)} of 8 topics" in notices
    assert line["base"] == pytest.approx(np.mean(bases[line["better"]]) - np.mean(bases[line["worse"]]))


def test_estimates_need_bounds(given: list[Any]) -> None:
    given[-1] = "AP"
    with pytest.raises(CommandError, match="AP has no bounds, and so no smoothed scores") as wrong:
        run_command("compare", *given, "--on", "smoothed")
    assert wrong.value.returncode == 2


def test_another_measure_chooses_the_runs(uneven: list[Any]) -> None:
    uneven[uneven.index("--top-share") + 1] = 0.5
    own = run_json("compare", *uneven)["comparisons"]
    other = run_json("compare", *uneven, "--top-by", "Judged@1")
    assert [(line["better"], line["worse"]) for line in own] == [("good", "fair")]
    # blind's first documents are judged for few topics only, poor's and the others' for nearly all.
    judged = [*uneven[:4], "--measure", "Judged@1"]
    best = {row["run"]: row["score"] for row in run_json("evaluate", *judged)["scores"]}
    chosen = sorted(best, key=lambda run: -best[run])[:2]
    assert other["top_by"] == "Judged@1"
    assert set(chosen) != {"good", "fair"}
    # The pair is in the order of the measure that is tested.
    base = {run: np.mean(values) for run, values in per_topic(uneven, "base").items()}
    [line] = other["comparisons"]
    assert [line["better"], line["worse"]] == sorted(chosen, key=lambda run: -base[run])


def agreement(result: Any) -> dict[tuple[str, str], dict[str, float]]:
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in result["agreement"]:
        found.setdefault((row["first"], row["second"]), {})[row["coefficient"]] = row["value"]
    return found


def test_orders_by_several_measures_are_compared(uneven: list[Any]) -> None:
    names = ["RBP(p=0.5)", "AP", "P@2"]
    asked = ["--measure", "AP", "--measure", "P@2", "--measure", "AP"]
    found = agreement(run_json("compare", *uneven, *asked))
    assert list(found) == [(names[0], names[1]), (names[0], names[2]), (names[1], names[2])]
    files = [uneven[n] for n in range(4)]
    scores = run_json("evaluate", *files, *[part for name in names for part in ("--measure", name)])["scores"]
    means = {name: np.array([row["score"] for row in scores if row["measure"] == name]) for name in names}
    for (first, second), values in found.items():
        assert values["kendall"] == pytest.approx(rank_correlation.kendall(means[first], means[second]))
        assert values["tau_ap"] == pytest.approx(rank_correlation.tau_ap(means[first], means[second]))
        assert values["rbo"] == pytest.approx(rank_correlation.rbo(means[first], means[second]))


def test_orders_by_several_qrels_are_compared_on_the_topics_of_both(given: list[Any], tmp_path: Path) -> None:
    # By these judgments fair is the best, and poor finds something, too.
    other = tmp_path / "other.txt"
    lines = [f"{topic} 0 {docno} {int(docno in 'nk')}\n" for topic in TOPICS for docno in "nrmk"]
    other.write_text("".join(lines) + "9 0 n 1\n")
    given[given.index("--qrels") + 1 : given.index("--qrels") + 2] = [given[3], other]
    out, said = run_command("compare", *given, "--format", "json")
    result = json.loads(out)
    # Pairs are those of the first qrels alone.
    assert (result["judged"], result["topics"]) == (32, 8)
    found = agreement(result)
    assert list(found) == [("RBP(p=0.5), qrels.txt", "RBP(p=0.5), other.txt")]
    # good, fair, poor = blind; then poor (rank 1 and 3), fair (1), good (2), blind.
    first, second = np.array([3.0, 2, 1, 1]), np.array([2.0, 3, 4, 1])
    [values] = found.values()
    assert values["kendall"] == pytest.approx(rank_correlation.kendall(first, second))
    assert values["tau_ap"] == pytest.approx(rank_correlation.tau_ap(first, second))
    assert "Some topics are not in all orders" in said
    assert "Some topics" not in run_command("compare", *given[:4], *given[5:], "--measure", "AP")[1]


def test_given_orders_are_compared_with_each_other(given: list[Any], tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("good\nfair\nblind\npoor\n")
    two.write_text("poor\nfair\ngood\n")
    found = agreement(run_json("compare", *given, "--orders", one, two))
    assert list(found) == [("one", "two"), ("one", "RBP(p=0.5)"), ("two", "RBP(p=0.5)")]
    # Over the runs that both name the second is the first turned round.
    assert found["one", "two"]["kendall"] == found["one", "two"]["tau_ap"] == -1
    assert found["two", "RBP(p=0.5)"]["kendall"] == -1


def test_orders_need_something_in_common(given: list[Any], tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("good\nfair\n")
    two.write_text("poor\nblind\n")
    with pytest.raises(CommandError, match="one and two: an order needs at least 2 runs, got 0"):
        run_command("compare", *given, "--orders", one, two)


def test_agreements_on_screen_are_a_line_for_each_pair(given: list[Any], tmp_path: Path) -> None:
    asked = [*given, "--orders", write_order(tmp_path, "good", "poor", "fair"), "--measure", "AP"]
    head, *rows = run_command("compare", *asked)[0].split("\n\n")[2].splitlines()
    assert head.split() == ["first", "second", "kendall", "tau_ap", "spearman", "rbo", "overlap"]
    assert [row.split()[:2] for row in rows] == [
        ["order", "RBP(p=0.5)"],
        ["order", "AP"],
        ["RBP(p=0.5)", "AP"],
    ]
    lines = list(csv.DictReader(run_command("compare", *asked, "--format", "csv")[0].splitlines()))
    assert len(lines) == 3 * 5


def test_variance_components_of_all_runs(given: list[Any]) -> None:
    result = run_json("compare", *given, "--components")
    # Every run has the same score on every topic: all variance is between runs.
    line = result["components"]
    assert (line["runs"], line["topics"]) == (4, 8)
    assert line["system"] == pytest.approx(np.var([0.5, 0.25, 0, 0], ddof=1))
    assert (line["topic"], line["interaction"]) == pytest.approx((0, 0))
    assert (line["relative"], line["absolute"]) == pytest.approx((1, 1))
    assert (line["topics_for_relative"], line["topics_for_absolute"]) == (1, 1)


def test_variance_needs_two_topics(tmp_path: Path) -> None:
    runs = {name: {"1": docnos["1"]} for name, docnos in RUNS.items()}
    files = ["--runs", write_runs(tmp_path / "one", runs), "--qrels", write_qrels(tmp_path, "1 0 r 1\n")]
    with pytest.raises(CommandError, match="at least 2 runs and 2 topics") as wrong:
        run_command("compare", *files, "--top-share", 1, "--components")
    assert wrong.value.returncode == 2


def test_pessimistic_counts_gaps_between_score_ranges(given: list[Any]) -> None:
    result = run_json("compare", *given, "--pessimistic")
    assert list(result["fractions"])[3:] == ["pessimistic"]
    # good is in [.5, .625], fair in [.25, .5]: they touch. poor is in [0, .125].
    near, far = pair(result, "good", "fair"), pair(result, "good", "poor")
    assert (near["pessimistic"], near["pessimistic_p"], near["pessimistic_significant"]) == (0.0, 1.0, False)
    assert far["pessimistic"] == 0.375
    assert (far["pessimistic_p"], far["pessimistic_significant"]) == (1 / 256, True)


def test_pessimistic_needs_bounds(given: list[Any]) -> None:
    given[-1] = "AP"
    result = run_json("compare", *given, "--pessimistic")
    assert result["fractions"]["pessimistic"] is None
    assert all(line["pessimistic_p"] is None for line in result["comparisons"])


def test_tables_on_screen_and_as_csv(given: list[Any], tmp_path: Path) -> None:
    order = ["--orders", write_order(tmp_path, "good", "poor")]
    text, _ = run_command("compare", *given, *order, "--components", "--pessimistic")
    assert [part.split()[0] for part in text.split("\n\n")] == ["judgments", "better", "first", "runs"]
    assert "p pessimistic" in text
    rows = list(csv.DictReader(run_command("compare", *given, *order, "--format", "csv")[0].splitlines()))
    assert [row["coefficient"] for row in rows][:2] == ["kendall", "tau_ap"]
    one = list(
        csv.DictReader(run_command("compare", *given, "--components", "--format", "csv")[0].splitlines())
    )
    assert [row["topics"] for row in one] == ["8"]
    with pytest.raises(CommandError, match="csv holds one table") as wrong:
        run_command("compare", *given, *order, "--components", "--format", "csv")
    assert wrong.value.returncode == 2


def test_qrels_of_relevant_documents_alone_have_a_confidence(tmp_path: Path) -> None:
    lists = {f"r{run}": {"1": [f"d{run}", "a", "b"], "2": ["b", f"d{run}", "c"]} for run in range(2)}
    qrels = write_qrels(tmp_path, "1 0 a 1\n1 0 b 1\n1 0 d0 1\n2 0 b 1\n2 0 d1 1\n2 0 c 1\n")
    runs = write_runs(tmp_path / "runs", lists)
    (found,) = run_json("compare", "--runs", runs, "--qrels", qrels, "--measure", "EAP")["comparisons"]
    assert 0 <= found["confidence"] <= 1
