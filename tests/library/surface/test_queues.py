"""Documents to judge next: the same as replays serve, by every method."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import judged
from selection.registry import METHODS, PLANNABLE_METHODS
from tests.campaigns.management.offline.command_files import run_command, run_json
from tests.library.surface.sample_sources import (
    QRELS,
    RUNS,
    TREC_DATA,
    Judgments,
    Runs,
    needs_data,
    write_files,
)

pytestmark = pytest.mark.filterwarnings("ignore::judged.Notice")


def made_runs(runs: int = 6, topics: int = 4, depth: int = 12) -> Runs:
    """Runs that differ, with ties among their scores."""
    drawn = np.random.default_rng(7)
    return {
        f"r{run}": {
            str(topic): {
                f"d{document}": float(drawn.integers(30))
                for document in drawn.permutation(2 * depth)[:depth].tolist()
            }
            for topic in range(topics)
        }
        for run in range(runs)
    }


def made_qrels(runs: Runs) -> Judgments:
    documents = {(t, d) for topics in runs.values() for t, ranking in topics.items() for d in ranking}
    qrels: dict[str, dict[str, int]] = {}
    for topic, docno in sorted(documents):
        qrels.setdefault(topic, {})[docno] = int(hash((int(topic), int(docno[1:]))) % 3 == 0)
    return qrels


LISTS = made_runs()
GRADES = made_qrels(LISTS)


@pytest.mark.parametrize("scope", ["campaign", "topic"])
@pytest.mark.parametrize("method", PLANNABLE_METHODS)
def test_judging_loop_asks_for_what_a_replay_serves(method: str, scope: Any) -> None:
    replay = judged.simulate(LISTS, GRADES, method, judgments=60, scope=scope, seed=3)
    queue = judged.Queue(LISTS, None, method, scope=scope, seed=3)
    served = []
    for _ in range(60):
        if (choice := queue.next()) is None:
            break
        served.append((choice.topic, choice.docno, choice.weight))
        queue.judge(choice.topic, choice.docno, GRADES[choice.topic][choice.docno])
    assert served == [(row.topic, row.docno, row.weight) for row in replay.order]
    assert (
        queue.qrels == {topic: grades for topic, grades in replay.qrels.items() if grades}
        or method == "random"
    )


@pytest.mark.parametrize("scope", ["campaign", "topic"])
@pytest.mark.parametrize("method", PLANNABLE_METHODS)
def test_judgments_so_far_are_as_good_as_judging_them(method: str, scope: Any) -> None:
    queue = judged.Queue(LISTS, None, method, scope=scope)
    for _ in range(25):
        choice = queue.next()
        assert choice is not None
        queue.judge(choice.topic, choice.docno, GRADES[choice.topic][choice.docno])
    again = judged.Queue(LISTS, queue.qrels, method, scope=scope)
    assert again.next() == queue.next()
    first, *_ = judged.next_documents(LISTS, queue.qrels, method, scope=scope)
    assert (first.topic, first.docno, first.weight) == queue.next()
    for topic in LISTS["r0"]:
        [row] = judged.next_documents(LISTS, queue.qrels, method, scope=scope, per_topic=1, topic=topic)
        assert (row.topic, row.docno, row.weight) == queue.next(topic)


@pytest.mark.parametrize("method", ["pooling", "A", "random", "sample", "strata"])
def test_many_next_documents_are_those_of_a_replay_where_judgments_change_nothing(method: str) -> None:
    replay = judged.simulate(LISTS, GRADES, method, judgments=40)
    rows = judged.next_documents(LISTS, None, method, 40)
    assert [(row.topic, row.docno) for row in rows] == [(row.topic, row.docno) for row in replay.order]
    assert [row.place for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize("method", PLANNABLE_METHODS)
def test_next_documents_are_those_of_the_command(tmp_path: Path, method: str) -> None:
    files = write_files(tmp_path)
    command = run_json("next_documents", "--runs", files[0], "--qrels", files[1], "--method", method)
    rows = judged.next_documents(*files, method)
    assert rows.rows == command["documents"]
    assert command["judged"] == 7
    assert len(rows) == 5
    assert not {(row.topic, row.docno) for row in rows} & {
        (t, d) for t in QRELS for d in QRELS[t] if QRELS[t][d] != -1
    }


@needs_data
def test_next_documents_of_real_runs_are_those_of_the_command() -> None:
    runs, qrels = TREC_DATA / "trec-covid-r1" / "runs", TREC_DATA / "trec-covid-r1" / "qrels.txt"
    command = run_json("next_documents", "--runs", runs, "--qrels", qrels, "--method", "C", "--number", 20)
    read = judged.read_runs(runs, cache=True)
    assert judged.next_documents(read, qrels, "C", 20).rows == command["documents"]
    assert judged.next_documents(dict(islice(read.items(), 5)), qrels, "C", 3)[0].place == 1


def test_command_writes_tables_and_a_template_of_qrels(tmp_path: Path) -> None:
    files = write_files(tmp_path)
    given = ("--runs", files[0], "--method", "A", "--per-topic", 2, "--topic", "2")
    out, _ = run_command("next_documents", *given, "--qrels-out", tmp_path / "template.txt")
    assert out.splitlines()[0].split() == ["place", "topic", "docno", "weight", "inclusion"]
    template = judged.read_qrels(tmp_path / "template.txt")
    assert [*template["2"].values()] == [-1, -1]
    assert run_command("next_documents", *given, "--format", "csv")[0].startswith("place,topic,docno,weight")


def test_judgments_are_replaced_and_taken_back() -> None:
    queue = judged.Queue(RUNS, method="C")
    first = queue.next("1")
    assert first is not None
    queue.judge(first.topic, first.docno, 1)
    queue.judge(first.topic, first.docno, 0)
    assert queue.qrels == {"1": {first.docno: 0}}
    assert queue.next("1") != first
    queue.judge(first.topic, first.docno, None)
    assert queue.next("1") == first
    assert not queue.qrels["1"]


def test_explanation_names_the_runs_that_ask() -> None:
    queue = judged.Queue(RUNS, method="A", p=0.5)
    assert {(row.run, row.rank, row.share) for row in queue.explain("1", "e")} == {
        ("beta", 1, 0.5),
        ("gamma", 1, 0.5),
    }


def test_only_contributing_runs_ask() -> None:
    rows = judged.next_documents(RUNS, method="A", contributing=["beta"])
    assert {(row.topic, row.docno) for row in rows} == {
        (topic, docno) for topic, ranking in RUNS["beta"].items() for docno in ranking
    }


def test_teams_weigh_runs() -> None:
    teams = {"alpha": "one", "beta": "two", "gamma": "two"}
    rows = judged.next_documents(RUNS, method="A", options={"run_weights": "team"}, groups=teams)
    assert rows.rows != judged.next_documents(RUNS, method="A").rows


def test_nothing_is_left_when_all_is_judged() -> None:
    queue = judged.Queue({"A": {"1": {"d": 1.0}}}, {"1": {"d": 1}}, "pooling")
    assert queue.next() is None
    assert queue.next("1") is None


WRONG: dict[str, dict[str, Any]] = {
    "'D'": {"method": "D"},
    "depht": {"options": {"depht": 3}},
    "p = 1": {"p": 1},
    "no run is named 'alhpa'; did you mean 'alpha'": {"contributing": ["alhpa"]},
    "no topic is called '11'": {"topic": "11"},
    "0 documents": {"k": 0},
    "needs groups": {"method": "A", "options": {"run_weights": "team"}},
    "scope": {"scope": "world"},
    "seed = -1": {"seed": -1},
}


@pytest.mark.parametrize("detail", WRONG)
def test_wrong_options_are_refused(detail: str) -> None:
    with pytest.raises(ValueError, match=detail):
        judged.next_documents(RUNS, QRELS, **WRONG[detail])


def test_methods_that_read_documents_say_so() -> None:
    assert set(METHODS) - set(PLANNABLE_METHODS) == {"cal"}
    with pytest.raises(ValueError, match="text"):
        judged.next_documents(RUNS, QRELS, "cal")


def test_wrong_judgments_are_refused() -> None:
    queue = judged.Queue(RUNS, gains=[0, 1])
    with pytest.raises(ValueError, match="no run ranks 'k' in topic 1"):
        queue.judge("1", "k", 1)
    with pytest.raises(ValueError, match="no topic is called '5'"):
        queue.judge("5", "k", 1)
    with pytest.raises(ValueError, match="grade 3, but gains are given for 0 to 1 only"):
        queue.judge("1", "a", 3)
    assert queue.qrels == {}
