from __future__ import annotations

import json
import re
from argparse import ArgumentError
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.formats.compressed_files import find_files
from campaigns.formats.grading import Grading
from campaigns.management.offline.command_line import CommandError
from campaigns.management.offline.files import read_files
from campaigns.management.offline.method_options import options_of_methods
from campaigns.scoring.judged_collection import JudgedCollection
from evaluation.estimation.statap import JudgedSample, stat_ap
from selection.pool import build_topic_pool
from selection.randomness import topic_key
from selection.registry import METHODS
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

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
    "options",
    "seed",
]
every_method = pytest.mark.parametrize("method", ["pooling", "A", "B", "C"])


@pytest.fixture
def given(tmp_path: Path) -> list[Any]:
    return ["--runs", write_runs(tmp_path / "runs"), "--qrels", write_qrels(tmp_path)]


def test_the_shape_that_scripts_rely_on(given: list[Any]) -> None:
    result = run_json("simulate", *given, "--method", "C", "--judgments", 3)
    assert result.pop("gains") == {"-2": 0, "0": 0, "1": 1, "2": 1}
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


def test_outputs_stay_as_they_are_when_the_input_is_wrong(given: list[Any], tmp_path: Path) -> None:
    kept, new = tmp_path / "kept", tmp_path / "new"
    kept.write_text("of an earlier replay\n")
    outputs = ["--order-out", kept, "--qrels-out", new]
    words = ["simulate", *given, "--method", "mtc", "--judgments", 3, *outputs]
    before = sorted(tmp_path.iterdir())
    with pytest.raises(CommandError) as stopped:
        run_command(*words, "--option", "first=0", "--option", "second=7")
    assert stopped.value.returncode == 2
    assert kept.read_text() == "of an earlier replay\n"
    assert sorted(tmp_path.iterdir()) == before
    run_command(*words)
    assert len(kept.read_text().splitlines()) == len(new.read_text().splitlines()) == 3
    assert sorted(tmp_path.iterdir()) == sorted([*before, new])


def test_a_link_stays_a_link_and_a_device_is_written_as_it_is(given: list[Any], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    outputs = ["--order-out", tmp_path / "link", "--qrels-out", "/dev/null"]
    run_command("simulate", *given, "--method", "A", "--judgments", 3, *outputs)
    assert (tmp_path / "link").is_symlink()
    assert len((tmp_path / "real").read_text().splitlines()) == 3
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("method", ["mtc", "mtc+statap"])
def test_mtc_says_that_one_run_gives_it_nothing_to_compare(
    given: list[Any], tmp_path: Path, method: str
) -> None:
    (tmp_path / "names").write_text("beta\n")
    words = ["simulate", *given, "--method", method, "--judgments", 3]
    _, notices = run_command(*words, "--contributing", tmp_path / "names")
    assert f"{method} compares runs and fewer than two contribute" in notices
    assert "fewer than two" not in run_command(*words)[1]


# Topic by topic, "good" ranks what is relevant and "poor" what is not.
CLEAR = {
    "good": {topic: [f"r{rank}" for rank in range(6)] for topic in "123"},
    "poor": {topic: [f"n{rank}" for rank in range(6)] for topic in "123"},
    "both": {topic: ["n0", "r0", "n1"] for topic in "123"},
}


@pytest.fixture
def clear(tmp_path: Path) -> list[Any]:
    relevant = "".join(f"{topic} 0 r{rank} 1\n" for topic in "123" for rank in range(6))
    return ["--runs", write_runs(tmp_path / "runs", CLEAR), "--qrels", write_qrels(tmp_path, relevant)]


@pytest.mark.parametrize(
    "test",
    [
        "top-distinct",
        "pairs=2",
        "pairs=3",
        "separated=poor,good",
        "confidence=0.9,2",
        "confidence=0.9,3,model",
        "confidence=0.9,3,smoothed",
    ],
)
def test_the_replay_stops_where_the_test_first_passes(clear: list[Any], test: str) -> None:
    words = ["simulate", *clear, "--method", "A", "--p", 0.5]
    made = run_json(*words, "--judgments", 99, "--until", test)
    at = made["judged"]
    left = {"topics_without_judgment": 0} if test.startswith("confidence") else {}
    assert made["stopped"] == {"until": test, "test_every": 1, "passed": True, "at": at} | left
    assert 0 < at < 36
    assert list(made) == [*SHAPE, "stopped"]
    if at > 1:
        short = run_json(*words, "--judgments", at - 1, "--until", test)
        assert short["stopped"] == {"until": test, "test_every": 1, "passed": False, "at": None} | left
        assert short["judged"] == at - 1
    coarse = run_json(*words, "--judgments", 99, "--until", test, "--test-every", 4)
    assert coarse["judged"] % 4 == 0
    assert coarse["judged"] >= at
    table, _ = run_command(*words, "--judgments", 99, "--until", test)
    assert table.splitlines()[-1] == f"{test}: passed at {at} judgments"


@pytest.mark.parametrize("seeds", ["0", "0,1"])
@pytest.mark.parametrize("relevance", ["model", "constant"])
def test_confidence_warns_while_topics_have_no_judgment(clear: list[Any], relevance: str, seeds: str) -> None:
    given = ["simulate", *clear, "--method", "A", "--per-topic", 4, "--seed", seeds, "--format", "json"]
    given += ["--topic-method", "random-topics", "--release", 1]
    test = f"confidence=0.999,2,{relevance}"
    text, warnings = run_command(*given, "--until", test)
    made = json.loads(text)
    stopped = [one["stopped"] for one in made.get("each", [made])]
    assert [one["topics_without_judgment"] for one in stopped] == [2] * len(stopped)
    assert warnings.count(f"2 of 3 topics have no judgment: there, {test} presumes") == len(stopped)
    _, certain = run_command(*given, "--until", "top-distinct")
    assert "no judgment" not in certain


def test_top_distinct_means_that_base_is_above_every_top(clear: list[Any]) -> None:
    made = run_json(
        "simulate", *clear, "--method", "C", "--p", 0.5, "--judgments", 99, "--until", "top-distinct"
    )
    good, *others = sorted(made["scores"], key=lambda run: -run["base"])
    assert good["run"] == "good"
    assert good["base"] > max(run["base"] + run["residual"] for run in others)


def test_a_test_that_does_not_pass(given: list[Any]) -> None:
    # A topic without runs leaves everything open.
    table, _ = run_command("simulate", *given, "--method", "A", "--judgments", 99, "--until", "pairs=2")
    assert table.splitlines()[-1] == "pairs=2: not passed after 10 judgments"


def test_what_the_method_is_told_reaches_it(clear: list[Any], tmp_path: Path) -> None:
    orders = []
    for beta in ("0.1", "0.9"):
        out = tmp_path / beta
        made = run_json(
            "simulate", *clear, "--method", "hedge", "--judgments", 30, "--option", f"beta={beta}",
            "--seed", 7, "--order-out", out,
        )  # fmt: skip
        assert (made["options"], made["seed"]) == ({"beta": beta}, 7)
        orders.append(out.read_text())
    assert orders[0] != orders[1]
    table, _ = run_command("simulate", *clear, "--method", "hedge", "--judgments", 3, "--option", "beta=0.5")
    assert table.splitlines()[-1] == "beta=0.5"


def test_the_help_names_the_options_of_every_method() -> None:
    listed = options_of_methods()
    for method, registered in METHODS.items():
        for field in fields(registered.options):
            assert field.name in listed.split(f"{method}: ")[1].split(";")[0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--until", "never"], "'never' is no stop test"),
        (["--until", "top-distinct=3"], "no stop test"),
        (["--until", "pairs"], "no stop test"),
        (["--until", "pairs=1"], "'1' is not a whole number above 1"),
        (["--until", "pairs=4"], "top 4 of 3 runs"),
        (["--until", "separated=good"], "no stop test"),
        (["--until", "separated=good,other"], "no run is named 'other'"),
        (["--until", "separated=good,good"], "is no pair of 3 runs"),
        (["--until", "confidence=high"], "could not convert"),
        (["--until", "confidence=0.4"], "confidence = 0.4 is not inside"),
        (["--until", "confidence=0.9,2,guessed"], "'guessed'"),
        (["--until", "confidence=0.9,2,constant,4"], "no stop test"),
        (["--until", "pairs=2", "--test-every", 0], "above 0"),
        (["--option", "beta"], "'beta' is not NAME=VALUE"),
        (["--option", "beta=0.5"], "method A has no option 'beta'"),
        (["--method", "hedge", "--option", "beta=warm"], "beta = 'warm'"),
        (["--method", "hedge", "--option", "beta=7"], "beta"),
        (["--method", "hedge", "--option", "beta=0.1", "--option", "beta=0.2"], "beta is given twice"),
        (["--method", "mtc", "--option", "first=0", "--option", "second=9"], "9"),
        (["--seed", "-1"], "'-1' is not a whole number"),
    ],
)
def test_wrong_stop_tests_and_options_are_wrong_usage(
    clear: list[Any], wrong: list[Any], message: str
) -> None:
    with pytest.raises(CommandError, match=message) as stopped:
        run_command("simulate", *clear, "--method", "A", "--judgments", 5, *wrong)
    # An error of the parser itself has no code here: it exits with 2 from the command line.
    assert stopped.value.returncode == 2 or isinstance(stopped.value.__context__, ArgumentError)


def test_infap_of_a_random_sample_is_about_the_ap_of_all_judgments(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    topics = [str(topic) for topic in range(1, 31)]
    relevant = {topic: set(rng.choice(120, 30, replace=False).tolist()) for topic in topics}
    runs: dict[str, dict[str, list[str]]] = {"good": {}, "poor": {}}
    for (tag, lists), skill in zip(runs.items(), (2.0, 0.5), strict=True):
        for topic in topics:
            better = np.array([skill * (place in relevant[topic]) for place in range(120)])
            lists[topic] = [f"d{place}" for place in np.argsort(-(better + rng.normal(0, 1, 120)))]
        assert tag in runs
    lines = [
        f"{topic} 0 d{place} {int(place in relevant[topic])}\n" for topic in topics for place in range(120)
    ]
    files = ["--runs", write_runs(tmp_path / "runs", runs)]
    whole, drawn = write_qrels(tmp_path, "".join(lines)), tmp_path / "drawn"
    sample = ["--method", "random", "--option", "depth=80", "--per-topic", 40, "--seed", 5]
    run_command("simulate", *files, "--qrels", whole, *sample, "--qrels-out", drawn)
    rows = [line.split() for line in drawn.read_text().splitlines()]
    assert sum(row[3] != "-1" for row in rows) == 40 * 30
    for topic in topics:
        pool = {docno for lists in runs.values() for docno in lists[topic][:80]}
        assert {row[2] for row in rows if row[0] == topic} == pool
    assert len({(row[0], row[2]) for row in rows}) == len(rows)

    def scores(qrels: Path, measure: str) -> dict[str, float]:
        made = run_json("evaluate", *files, "--qrels", qrels, "--measure", measure)
        return {row["run"]: row["score"] for row in made["scores"]}

    true, inferred, found = scores(whole, "AP"), scores(drawn, "infAP"), scores(drawn, "AP")
    for run in runs:
        assert inferred[run] == pytest.approx(true[run], abs=0.05)
        assert abs(found[run] - true[run]) > 0.08


def sampled_runs(rng: np.random.Generator) -> dict[str, dict[str, list[str]]]:
    """Six runs that rank 40 of 120 documents of five topics; the first documents are more often relevant."""
    return {
        f"run{run}": {
            str(topic): [f"d{d:03}" for d in np.argsort(np.arange(120) / 30 + rng.normal(size=120))[:40]]
            for topic in range(1, 6)
        }
        for run in range(6)
    }


@pytest.fixture
def samples(tmp_path: Path) -> list[Any]:
    rng = np.random.default_rng(2)
    runs = write_runs(tmp_path / "runs", sampled_runs(rng))
    lines = [
        f"{topic} 0 d{d:03} {int(rng.random() < np.exp(-d / 20))}\n"
        for topic in range(1, 6)
        for d in range(120)
    ]
    return ["--runs", runs, "--qrels", write_qrels(tmp_path, "".join(lines))]


def stat_map_of(campaign: JudgedCollection, run: int, size: int) -> float:
    """From the samples themselves, as the method draws them, without any file of judgments."""
    everybody = np.ones(len(campaign.runs), dtype=np.bool_)
    pools = [build_topic_pool(topic.rankings, 0.8, everybody) for topic in campaign.topics]
    state = CampaignState(
        pools,
        CampaignSpec(
            runs=len(campaign.runs),
            p=0.8,
            method="statap",
            scope="campaign",
            contributing=everybody,
            options={"size": size},
            keys=[topic_key(topic.number) for topic in campaign.topics],
        ),
    )
    found = []
    for at, topic in enumerate(campaign.topics):
        drawn, ranking = state.sample(at), topic.rankings[run]
        assert drawn is not None
        assert ranking is not None
        gains, inclusion = np.full((2, len(topic.docnos)), np.nan)
        gains[drawn.documents] = topic.gains(Grading())[drawn.documents] > 0
        inclusion[drawn.documents] = drawn.inclusion
        sample = JudgedSample(gains[drawn.documents], drawn.inclusion)
        found.append(float(stat_ap(gains[ranking], inclusion[ranking], sample)))
    return float(np.nanmean(found))


def test_prels_hold_the_sample_that_was_drawn(samples: list[Any], tmp_path: Path) -> None:
    out = tmp_path / "prels"
    words = ["--method", "statap", "--option", "size=20", "--per-topic", 20, "--prels-out", out]
    _, notices = run_command("simulate", *samples, *words)
    assert notices == ""
    assert len(out.read_text().splitlines()) == 100
    assert {line.split()[3] for line in out.read_text().splitlines()} == {"1"}
    found = run_json("evaluate", *samples, "--prels", out, "--measure", "statAP")["scores"]
    campaign = read_files(find_files([samples[1]]), samples[3], Grading())
    for row in found:
        truth = stat_map_of(campaign, campaign.runs.index(row["run"]), size=20)
        assert row["score"] == pytest.approx(truth, abs=1e-12)
        assert row["low"] < row["score"] < row["high"]


def test_prels_say_what_mtc_asked_for_as_well(samples: list[Any], tmp_path: Path) -> None:
    out, order = tmp_path / "prels", tmp_path / "order"
    words = ["--method", "mtc+statap", "--option", "size=10", "--per-topic", 25, "--prels-out", out]
    made = run_json("simulate", *samples, *words, "--order-out", order)
    rows = [line.split() for line in out.read_text().splitlines()]
    assert len(rows) == made["judged"]
    assert {(topic, docno) for topic, docno, *_ in rows} == {
        tuple(line.split()[:2]) for line in order.read_text().splitlines()
    }
    methods = [int(row[3]) for row in rows]
    assert set(methods) == {0, 1, 2}
    # Ten documents are drawn of each topic; what MTC alone asked for was certain.
    assert sum(method > 0 for method in methods) == 50
    assert all(float(row[4]) == 1 for row in rows if row[3] == "0")
    assert run_json("evaluate", *samples, "--prels", out, "--measure", "statAP")["scores"][0]["score"] > 0


def test_prels_of_a_sample_that_was_not_judged_to_its_end(samples: list[Any], tmp_path: Path) -> None:
    words = [
        "--method",
        "statap",
        "--option",
        "size=20",
        "--per-topic",
        15,
        "--prels-out",
        tmp_path / "prels",
    ]
    _, notices = run_command("simulate", *samples, *words)
    assert "25 documents were drawn and not judged: the probabilities in --prels-out are too high" in notices


def test_strata_are_written_and_estimate_without_bias(samples: list[Any], tmp_path: Path) -> None:
    strata, prels = tmp_path / "strata", tmp_path / "prels"
    given = ["--method", "strata", "--option", "strata=2:1,40:0.5", "--per-topic", 60]

    def scores(measure: str, *words: Any) -> dict[str, float]:
        made = run_json("evaluate", *samples, "--measure", measure, *words)
        return {row["run"]: row["score"] for row in made["scores"]}

    true = scores("AP")
    inferred, sampled = [], []
    for seed in range(12):
        words = [*given, "--seed", seed, "--strata-out", strata]
        run_command("simulate", *samples, *words, "--prels-out", prels)
        inferred.append(scores("xinfAP", "--strata", strata))
        sampled.append(scores("statAP", "--prels", prels))
    rows = [line.split() for line in strata.read_text().splitlines()]
    assert {row[3] for row in rows} == {"1", "2"}
    assert all(row[4] != "-1" for row in rows if row[3] == "1")
    for found in (inferred, sampled):
        for run, score in true.items():
            assert np.mean([one[run] for one in found]) == pytest.approx(score, abs=0.06)


def test_strata_files_need_strata(given: list[Any], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="C has no strata: --strata-out needs --method strata") as stopped:
        run_command(
            "simulate", *given, "--method", "C", "--judgments", 3, "--strata-out", tmp_path / "strata"
        )
    assert stopped.value.returncode == 2


@pytest.mark.parametrize("method", ["pooling", "C", "mtc", "random"])
def test_prels_need_a_method_that_draws(given: list[Any], tmp_path: Path, method: str) -> None:
    with pytest.raises(CommandError, match=f"{method} draws no sample") as stopped:
        run_command(
            "simulate", *given, "--method", method, "--judgments", 3, "--prels-out", tmp_path / "prels"
        )
    assert stopped.value.returncode == 2
    assert not (tmp_path / "prels").exists()


def test_prels_of_a_random_sample_hold_its_beginning(samples: list[Any], tmp_path: Path) -> None:
    words = ["--method", "sample", "--option", "size=8", "--per-topic", 6, "--prels-out", tmp_path / "prels"]
    run_command("simulate", *samples, *words)
    rows = [line.split() for line in (tmp_path / "prels").read_text().splitlines()]
    assert {row[3] for row in rows} == {"1"}
    by_topic = Counter(row[0] for row in rows)
    assert set(by_topic.values()) == {6}


def test_runs_are_weighed_by_team(clear: list[Any], tmp_path: Path) -> None:
    groups = tmp_path / "groups.txt"
    groups.write_text("good us\nboth us\npoor them\n")
    words = ["simulate", *clear, "--method", "A", "--per-topic", 4]
    by_team = ["--option", "run_weights=team", "--groups", groups]
    plain, weighed = run_json(*words), run_json(*words, *by_team)
    assert weighed["options"] == {"run_weights": "team"}
    assert plain["relevant"] > weighed["relevant"]
    alone = tmp_path / "alone.txt"
    alone.write_text("good one\nboth two\n")
    same = run_json(*words, "--option", "run_weights=team", "--groups", alone)
    assert same["scores"] == plain["scores"]
    for wrong, message in (
        (by_team[:2], "needs --groups FILE"),
        (by_team[2:], "--groups is read with --option run_weights=team only"),
        (["--option", "run_weights=none"], "run_weights = 'none' is none of equal, team, similarity"),
    ):
        with pytest.raises(CommandError, match=re.escape(message)):
            run_command(*words, *wrong)
