"""`study`: tables and figures of papers on small files, and what is kept of an interrupted one."""

from __future__ import annotations

import csv
import io
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.lab.studies.registry import STUDIES
from campaigns.management.offline.command_line import CommandError
from tests.campaigns.management.offline.command_files import run_command, run_json

ROOT = Path(__file__).parents[4]
TOPICS, DOCUMENTS, RUNS = 8, 30, 8
# Of whole lists, each run has every document.
MORE = {"background-rate": ["--depth", 10]}


def write_campaign(folder: Path, topics: int = TOPICS, runs: int = RUNS) -> list[Any]:
    """Runs of falling quality; the first documents of each topic are relevant."""
    generator = np.random.default_rng(3)
    (folder / "runs").mkdir()
    for run in range(runs):
        lines = []
        for topic in range(1, topics + 1):
            noise = (0.2 + run / runs) * DOCUMENTS * generator.random(DOCUMENTS)
            for rank, document in enumerate(np.argsort(np.arange(DOCUMENTS) + noise).tolist(), 1):
                lines.append(f"{topic} Q0 d{document} {rank} {50 - rank} r{run}\n")
        (folder / "runs" / f"r{run}.txt").write_text("".join(lines))
    rows = [f"{t} 0 d{n} {int(n < 2 + t % 5)}\n" for t in range(1, topics + 1) for n in range(DOCUMENTS)]
    (folder / "qrels.txt").write_text("".join(rows))
    return ["--runs", folder / "runs", "--qrels", folder / "qrels.txt", "--kept-in", folder / "kept"]


@pytest.fixture
def files(tmp_path: Path) -> list[Any]:
    return write_campaign(tmp_path)


@pytest.mark.parametrize("name", STUDIES)
def test_each_study_prints_its_table_and_draws_its_figure(
    name: str, files: list[Any], tmp_path: Path
) -> None:
    read = STUDIES[name].kernel.uses
    given = [name, *files, *(["--trials", 2] if "trials" in read else []), *MORE.get(name, [])]
    found = run_json("study", *given)
    assert found["study"] == name
    assert set(read) <= set(found)
    table, _ = run_command("study", *given, "--figure", tmp_path / "figure.svg")
    assert table.startswith(f"{STUDIES[name].title}\n")
    rows = list(csv.DictReader(io.StringIO(run_command("study", *given, "--format", "csv")[0])))
    assert len(rows) == len(found["rows"]) == len(table.strip().splitlines()) - 4
    assert (tmp_path / "figure.svg").read_text().startswith("<svg")


def test_figures_of_other_kinds(files: list[Any], tmp_path: Path) -> None:
    for kind, begins in (("pdf", b"%PDF"), ("png", b"\x89PNG")):
        run_command("study", "initialisation", *files, "--trials", 2, "--figure", tmp_path / f"f.{kind}")
        assert (tmp_path / f"f.{kind}").read_bytes().startswith(begins)


def test_two_processes_find_what_one_finds(files: list[Any], tmp_path: Path) -> None:
    given = ["topic-generalisation", *files[:4], "--trials", 2]
    one = run_json("study", *given, "--kept-in", tmp_path / "one")
    assert run_json("study", *given, "--kept-in", tmp_path / "two", "--jobs", 2) == one


def test_a_killed_study_goes_on_with_the_same_numbers(files: list[Any], tmp_path: Path) -> None:
    given = ["topic-selection", *map(str, files), "--trials", "6", "--format", "json"]
    whole, _ = run_command("study", *given[:-4], "--kept-in", tmp_path / "alone", *given[-4:])
    program = [sys.executable, "manage.py", "study", *given, "--jobs"]
    for lines, jobs in ((3, "1"), (70, "2")):
        running = subprocess.Popen([*program, jobs], cwd=ROOT, stdout=subprocess.DEVNULL)
        while running.poll() is None and kept_lines(tmp_path / "kept") < lines:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL, "it ended before it could be killed"
    before = kept_lines(tmp_path / "kept")
    # And with half a line at the end, as of a kill in the middle of writing.
    (file,) = (tmp_path / "kept").iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    again, _ = run_command("study", *given)
    assert again == whole
    # What was done was not done again: whole lines, and the broken one with the blank line after it.
    assert before >= 70
    assert kept_lines(tmp_path / "kept") <= 60 + 5 * 6 + 5


def kept_lines(folder: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in folder.glob("*")) if folder.exists() else 0


def test_page_gets_table_and_picture(files: list[Any], tmp_path: Path) -> None:
    page = tmp_path / "studies.md"
    begin = f"<!-- study initialisation {tmp_path.name} -->"
    page.write_text(f"# Studies\n\n{begin}\nold\n<!-- end -->\n\nMore.\n")
    run_command("study", "initialisation", *files, "--trials", 2, "--page", page)
    text = page.read_text()
    assert text.startswith(f"# Studies\n\n{begin}\n| topics | lowest |")
    assert text.endswith("<!-- end -->\n\nMore.\n")
    assert "old" not in text
    assert f"](studies/initialisation-{tmp_path.name}.svg)" in text
    assert (tmp_path / "studies" / f"initialisation-{tmp_path.name}.svg").exists()


def test_page_without_a_place_is_refused(
    files: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "studies.md"
    page.write_text("# Studies\n")
    assert "has no lines <!-- study initialisation" in refused("initialisation", *files, "--page", page)
    assert page.read_text() == "# Studies\n"


def test_participants_are_held_out_whole(files: list[Any], tmp_path: Path) -> None:
    groups = tmp_path / "groups.txt"
    groups.write_text("".join(f"r{run},team {run // 4}\n" for run in range(RUNS)))
    given = ["topic-generalisation", *files, "--trials", 2]
    assert run_json("study", *given, "--groups", groups) != run_json("study", *given)
    groups.write_text("r0 A\nr1\n")
    assert f"{groups}:2: names no participant of run 'r1'" in refused(*given, "--groups", groups)
    groups.write_text("other A\n")
    assert "names none of the runs" in refused(*given, "--groups", groups)


def refused(*given: Any) -> str:
    """What the command says on stderr before it ends with 1."""
    done = subprocess.run(
        [sys.executable, "manage.py", "study", *map(str, given)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_too_little_for_a_study(tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "five").mkdir()
    topics = write_campaign(tmp_path / "few", topics=4)
    assert "too few judged topics (4): this study needs 5 or more" in refused("topic-selection", *topics)
    runs = write_campaign(tmp_path / "two", runs=2)
    assert "too few runs (2): this study needs 3 or more" in refused("topic-selection", *runs)
    five = write_campaign(tmp_path / "five", runs=5)
    with pytest.raises(CommandError, match="5 runs in 5 groups cannot be parted"):
        run_command("study", "topic-generalisation", *five)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--trials", "1"], "an interval needs two"),
        (["--figure", "figure.gif"], "does not end in .svg, .pdf, .png"),
    ],
)
def test_wrong_usage(files: list[Any], more: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run_command("study", "topic-selection", *files, *more)


def test_trials_that_cannot_be_kept(files: list[Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    given = [*files[:4], "--kept-in", tmp_path / "file"]
    assert f"{tmp_path / 'file'}" in refused("initialisation", *given)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            ("relevant-found", "--budgets", "10,9999"),
            "9999 judgments is too large: the qrels judge 240 documents",
        ),
        (("separability", "--p", "0.5,0.8"), "2 persistences: this study takes one"),
        (("pool-depth", "--depth", 1), "depth 1: pools of two depths are compared"),
    ],
)
def test_settings_beyond_the_data_are_refused(files: list[Any], given: tuple[Any, ...], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run_command("study", *given, *files)


def test_budgets_and_persistences_are_those_given(files: list[Any]) -> None:
    found = run_json("study", "relevant-found", *files, "--budgets", "200,40", "--p", 0.5)
    assert (found["budgets"], found["p"]) == ([40, 200], [0.5])
    assert [row["judgments"] for row in found["rows"]] == [40, 200]


def test_a_setting_that_the_study_does_not_read_is_refused(files: list[Any]) -> None:
    with pytest.raises(CommandError, match="--budgets: topic-selection does not read it"):
        run_command("study", "topic-selection", *files, "--budgets", "10,20")
    with pytest.raises(CommandError, match="--minutes-per-topic: stability does not read it"):
        run_command("study", "stability", *files, "--minutes-per-topic", 3)


def test_cost_takes_the_time_of_topics_and_judgments(files: list[Any]) -> None:
    given = ["study", "cost", *files, "--trials", 2, "--budgets", "5,20"]
    usual, twice = run_json(*given), run_json(*given, "--minutes-per-topic", 10, "--seconds-per-judgment", 42)
    assert (usual["minutes_per_topic"], usual["seconds_per_judgment"]) == (5, 21)
    hours = [[point["hours"] for point in found["points"]] for found in (usual, twice)]
    assert hours[0]
    assert hours[1] == pytest.approx([2 * one for one in hours[0]])
    with pytest.raises(CommandError, match="'-1' is not a number from 0 on"):
        run_command(*given, "--seconds-per-judgment=-1")


def test_separability_of_either_paper(files: list[Any]) -> None:
    given = [*files, "--trials", 2]
    by_name = run_json("study", "pessimistic-separability", *given)
    assert run_json("study", "separability", *given, "--test", "t", "--pessimistic") == by_name
    assert "pessimistic" in by_name["rows"][0]
    plain = run_json("study", "separability", *files)
    assert run_json("study", "separability", *files, "--test", "wilcoxon") == plain
    for more in (["--test", "t"], ["--pessimistic"], ["--test", "wilcoxon", "--pessimistic"]):
        with pytest.raises(CommandError, match="separability --test t --pessimistic"):
            run_command("study", "separability", *files, *more)
    with pytest.raises(CommandError, match="separability --test t --pessimistic"):
        run_command("study", "initialisation", *files, "--test", "t")


def test_equal_scores_are_refused(tmp_path: Path) -> None:
    given = write_campaign(tmp_path)
    for file in (tmp_path / "runs").iterdir():
        file.write_text("".join(" ".join([*line.split()[:4], "1", "r0"]) + "\n" for line in file.open()))
        break
    with pytest.raises(CommandError, match="gives every document the score 1"):
        run_command("study", "initialisation", *given)
