"""`select_topics`: orders with reasons, from files alone."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from campaigns.management.offline.command_line import CommandError
from selection.topics.methods import TOPIC_METHODS
from tests.campaigns.management.offline.command_files import run_command, run_json

TOPICS, DOCUMENTS, RUNS = 6, 12, 5


@pytest.fixture
def files(tmp_path: Path) -> list[Any]:
    """Five runs of falling quality on six topics; the first documents of each topic are relevant."""
    generator = np.random.default_rng(3)
    folder = tmp_path / "runs"
    folder.mkdir()
    for run in range(RUNS):
        lines = []
        for topic in range(1, TOPICS + 1):
            noise = (0.2 + run / RUNS) * DOCUMENTS * generator.random(DOCUMENTS)
            for rank, document in enumerate(np.argsort(np.arange(DOCUMENTS) + noise).tolist(), 1):
                lines.append(f"{topic} Q0 d{document} {rank} {20 - rank} r{run}\n")
        (folder / f"r{run}.txt").write_text("".join(lines))
    write_judged(tmp_path / "qrels.txt", range(1, TOPICS + 1))
    return ["--runs", folder, "--qrels", tmp_path / "qrels.txt"]


def write_judged(file: Path, topics: Any) -> Path:
    rows = [f"{t} 0 d{n} {int(n < 2 + t % 3)}\n" for t in topics for n in range(DOCUMENTS)]
    file.write_text("".join(rows))
    return file


@pytest.mark.parametrize("method", TOPIC_METHODS)
def test_each_method_orders_the_topics(files: list[Any], method: str) -> None:
    found = run_json("select_topics", *files, "--method", method, "--topics", 6)
    assert (found["method"], found["measures"]) == (method, ["AP"])
    assert sorted(row["topic"] for row in found["topics"]) == [str(n) for n in range(1, 7)]
    assert [row["place"] for row in found["topics"]] == [1, 2, 3, 4, 5, 6]
    assert all(row["judged"] for row in found["topics"])


def test_the_reasons_of_the_last_topic_speak_of_all(files: list[Any]) -> None:
    """All topics together are what they are compared with."""
    options = ["--method", "adaptive", "--option", "variance=delta"]
    found = run_json("select_topics", *files, *options, "--topics", 6)
    assert found["options"] == {"variance": "delta"}
    last = found["topics"][-1]
    assert last["expected"] == pytest.approx(1, abs=0.05)
    assert -1 <= last["correlation"] <= 1


def test_next_goes_on_from_the_judged_topics(files: list[Any], tmp_path: Path) -> None:
    judged = write_judged(tmp_path / "some.txt", [2, 5])
    given = [*files[:2], "--qrels", judged, "--method", "adaptive", "--next"]
    found = run_json("select_topics", *given, "--topics", 3)["topics"]
    assert len(found) == 3
    assert not {row["topic"] for row in found} & {"2", "5"}
    assert not any(row["judged"] for row in found)
    assert all(row["gamma"] is not None for row in found)


def test_random_is_a_name_for_random_topics(files: list[Any]) -> None:
    one, other = (
        run_json("select_topics", *files, "--method", name, "--topics", 4, "--seed", 5)
        for name in ("random", "random-topics")
    )
    assert one == other


def test_several_measures(files: list[Any]) -> None:
    measures = ["--measure", "P@5", "--measure", "RBP(p=0.8)", "--measure", "R@10"]
    found = run_json("select_topics", *files, "--method", "adaptive*", *measures, "--topics", 3)
    assert found["measures"] == ["P@5", "RBP(p=0.8)", "R@10"]
    with pytest.raises(CommandError, match="adaptive takes one measure"):
        run_command("select_topics", *files, "--method", "adaptive", *measures, "--topics", 3)


def test_table_and_csv_have_the_same_rows(files: list[Any]) -> None:
    given = [*files, "--method", "adaptive+", "--topics", 3, "--option", "groups=10"]
    table = run_command("select_topics", *given)[0]
    rows = list(csv.DictReader(io.StringIO(run_command("select_topics", *given, "--format", "csv")[0])))
    assert [row["topic"] for row in rows] == [line.split()[1] for line in table.splitlines()[1:]]
    assert rows[0]["votes"] == ""
    assert 1 <= int(rows[1]["votes"]) <= 10


def test_more_topics_than_there_are(files: list[Any]) -> None:
    out, err = run_command("select_topics", *files, "--method", "adaptive", "--topics", 9, "--format", "json")
    assert "9 topics were wanted, and there are 6 of 6 topics to choose" in err
    assert out.count('"place"') == 6


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--measure", "nDCG@10"], "topics are not chosen by 'nDCG@10', only by P@k"),
        (["--option", "first=0"], "first = 0 is below 1"),
        (["--option", "groups=3"], "has no option 'groups'"),
        (["--option", "frist=3"], r"'frist'; did you mean first\? It has first"),
        (["--method", "adaptve"], r"called 'adaptve'; did you mean adaptive\?"),
    ],
)
def test_wrong_usage(files: list[Any], more: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run_command("select_topics", *files, "--method", "adaptive", "--topics", 3, *more)


def test_the_oracle_needs_all_judgments(files: list[Any], tmp_path: Path) -> None:
    some = write_judged(tmp_path / "some.txt", [1, 2])
    given = ["select_topics", *files[:2], "--qrels", some, "--method", "oracle", "--topics", 2]
    with pytest.raises(CommandError, match="the oracle needs judgments of every topic; 3 has none"):
        run_command(*given)
    with pytest.raises(CommandError, match="not with --next"):
        run_command(*given, "--next")


def refusal(*arguments: Any) -> str:
    err = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("select_topics", *map(str, arguments), stdout=io.StringIO(), stderr=err)
    assert ended.value.code == 1
    return err.getvalue()


def test_scores_that_are_all_equal_are_named(files: list[Any]) -> None:
    run = files[1] / "r2.txt"
    words = [line.split() for line in run.read_text().splitlines()]
    run.write_text("".join(" ".join([*word[:4], "1", word[5]]) + "\n" for word in words))
    said = refusal(*files, "--method", "adaptive", "--topics", 3)
    assert "r2: gives every document the score 1; topics are chosen by scores that differ" in said


def test_two_runs_are_too_few(files: list[Any]) -> None:
    for name in ("r2", "r3", "r4"):
        (files[1] / f"{name}.txt").unlink()
    said = refusal(*files, "--method", "adaptive", "--topics", 3)
    assert "2 runs: topics are chosen with 3 or more" in said


def test_a_topic_that_only_the_qrels_know(files: list[Any], tmp_path: Path) -> None:
    more = write_judged(tmp_path / "more.txt", range(1, 9))
    found = run_json("select_topics", *files[:2], "--qrels", more, "--method", "adaptive", "--topics", 8)
    assert len(found["topics"]) == 8


@pytest.mark.parametrize("method", TOPIC_METHODS)
def test_a_simulation_judges_the_topics_as_they_are_released(files: list[Any], method: str) -> None:
    given = [*files, "--method", "A", "--scope", "topic", "--per-topic", 4, "--topic-method", method]
    found = run_json("simulate", *given, "--release", 3)
    assert (found["topic_method"], found["judged"], len(found["released"])) == (method, 12, 3)
    assert len(run_json("simulate", *given)["released"]) == 6


def test_released_topics_are_judged_one_after_the_other(files: list[Any], tmp_path: Path) -> None:
    order = tmp_path / "order.txt"
    given = [*files, "--method", "C", "--per-topic", 3, "--topic-method", "adaptive", "--order-out", order]
    released = run_json("simulate", *given)["released"]
    topics = [line.split()[0] for line in order.read_text().splitlines()]
    assert topics == [topic for topic in released for _ in range(3)]


def test_a_whole_pool_is_judged_as_select_topics_says(files: list[Any]) -> None:
    """Complete judgments of each topic are what `select_topics` learns from."""
    order = run_json("select_topics", *files, "--method", "adaptive", "--topics", 6)["topics"]
    given = [*files, "--method", "A", "--scope", "topic", "--per-topic", DOCUMENTS]
    released = run_json("simulate", *given, "--topic-method", "adaptive")["released"]
    assert released == [row["topic"] for row in order]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["--judgments", 5, "--topic-method", "adaptive"], "--topic-method needs --per-topic N"),
        (["--per-topic", 5, "--release", 2], "--release needs --topic-method M"),
    ],
)
def test_wrong_simulations(files: list[Any], given: list[Any], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run_command("simulate", *files, "--method", "A", *given)
