"""What the commands on files say about runs and qrels that do not fit together, and runs kept beside them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from campaigns.formats.runs import cache
from campaigns.formats.runs.cache import FOLDER
from tests.campaigns.management.offline.command_files import run_command, run_json, write_qrels, write_runs

RUNS = {
    "alpha": {"1": ["a", "b", "c"], "2": ["k", "l"]},
    "beta": {"1": ["b", "e"], "2": ["m", "k", "n"]},
}
QRELS = "1 0 a 1\n1 0 b 0\n2 0 k 1\n"
every_command = pytest.mark.parametrize("name", ["evaluate", "compare", "simulate"])


def words(tmp_path: Path, name: str, runs: Any = RUNS, qrels: str = QRELS) -> list[Any]:
    folder = write_runs(tmp_path / "runs", runs)
    asked: dict[str, list[Any]] = {
        "simulate": ["--method", "A", "--judgments", 3],
        "compare": ["--top-share", 1],
    }
    return [name, "--runs", folder, "--qrels", write_qrels(tmp_path, qrels), *asked.get(name, [])]


def notices_of(*asked: Any) -> str:
    """Without the line of `compare` that projections leave topics out."""
    lines = run_command(*asked)[1].splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("Projections are compared on "))


@every_command
def test_files_that_fit_together_need_no_word(tmp_path: Path, name: str) -> None:
    assert run_command(*words(tmp_path, name))[1] == ""


@every_command
def test_topics_that_the_qrels_lack(tmp_path: Path, name: str) -> None:
    notices = notices_of(*words(tmp_path, name, qrels="1 0 a 1\n1 0 b 0\n"))
    assert notices == (
        "1 of 2 topics have no judgments and leave their whole score open (2); "
        "--topics judged leaves them out\n"
    )


@every_command
def test_topics_that_the_runs_lack(tmp_path: Path, name: str) -> None:
    notices = notices_of(*words(tmp_path, name, qrels=QRELS + "7 0 a 1\n"))
    assert notices == "no run ranks a document for 1 of 3 topics (7): every list is empty there\n"


@every_command
def test_no_topic_in_common_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        run_command(*words(tmp_path, name, qrels="8 0 a 1\n"))
    assert stopped.value.code == 1
    assert "judges no topic of the runs" in str(stopped.value.__cause__)


@every_command
def test_runs_without_a_judged_document(tmp_path: Path, name: str) -> None:
    runs = RUNS | {f"far{n}": {"1": ["x", "y"], "2": ["z"]} for n in range(7)}
    notices = notices_of(*words(tmp_path, name, runs))
    assert notices == (
        "7 of 9 runs rank no judged document (far0, far1, far2, far3, far4 …): "
        "nothing is known of their scores\n"
    )


@every_command
def test_two_runs_of_one_tag(tmp_path: Path, name: str) -> None:
    asked = words(tmp_path, name)
    (tmp_path / "runs" / "gamma.txt").write_text((tmp_path / "runs" / "alpha.txt").read_text())
    _, notices = run_command(*asked)
    assert (
        notices
        == "2 files have the tag 'alpha': their runs are named by their files (alpha.txt, gamma.txt)\n"
    )


ODD_FILES = {
    "distances": (
        "1 Q0 a 1 0.1 t1\n1 Q0 b 2 0.2 t1\n2 Q0 k 1 0.3 t1\n2 Q0 l 2 0.4 t1\n",
        "2 topics whose scores grow with the rank; 2 ranks that contradict the scores; 2 lines out of order; "
        "--order rank reads the ranks",
    ),
    "tied": (
        "1 Q0 a 1 1 t2\n1 Q0 b 2 1 t2\n2 Q0 k 1 3 t2\n2 Q0 l 2 2 t2\n",
        "1 topics whose scores are all equal",
    ),
    "tags": ("1 Q0 a 1 2 t3\n2 Q0 k 1 2 t4\n", "2 tags"),
    "cut": ("1 Q0 a 1 2 t5\n2 Q0 k 1 2 t5", "1 last line without a line end"),
    "tidy": ("1 Q0 a 1 2 t6\n2 Q0 k 1 2 t6\n", None),
}


@every_command
def test_odd_run_files_are_named_whether_they_are_read_or_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(cache, "SETTLED_SECONDS", -1.0)
    asked = words(tmp_path, name)
    folder = tmp_path / "runs"
    for file, (text, _) in ODD_FILES.items():
        (folder / f"{file}.txt").write_text(text)
    expected = [f"{folder}/{file}.txt: {said}" for file, (_, said) in sorted(ODD_FILES.items()) if said]

    def lines(*more: str) -> list[str]:
        return [line for line in run_command(*asked, *more)[1].splitlines() if line.startswith(str(folder))]

    assert lines("--no-cache") == expected
    assert not (folder / FOLDER).exists()
    assert lines() == expected
    (kept,) = (folder / FOLDER).glob("*.npz")
    found = kept.stat()
    assert lines() == expected
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (found.st_ino, found.st_mtime_ns)
    # Whoever asks for the ranks is not told of the scores.
    assert lines("--order", "rank") == [line for line in expected if "scores" not in line]


@pytest.fixture
def settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run files that count as old enough to be kept."""
    monkeypatch.setattr(cache, "SETTLED_SECONDS", -1.0)
    return write_runs(tmp_path / "runs", RUNS | {"gamma": {"1": ["e", "a"], "2": ["l", "m"]}})


ASKED: dict[str, list[Any]] = {
    "evaluate": ["--measure", "RBP(p=0.8)"],
    "compare": ["--measure", "AP", "--top-share", 1],
    "simulate": ["--method", "C", "--judgments", 4],
    "select_topics": ["--topics", 2, "--method", "iqp"],
    "plan": ["--budget", 4, "--draws", 1],
}


def result_of(name: str, folder: Path, qrels: Path, *more: Any) -> str:
    made = run_json(name, "--runs", folder, "--qrels", qrels, *ASKED[name], *more)
    if isinstance(made, dict):
        made.pop("seconds", None)
    return repr(made)


def test_every_command_reads_what_another_kept(settled: Path, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, QRELS)
    plain = {name: result_of(name, settled, qrels, "--no-cache") for name in ASKED}
    assert not (settled / FOLDER).exists()
    for name in ASKED:
        assert result_of(name, settled, qrels) == plain[name]
        (kept,) = (settled / FOLDER).glob("*.npz")
        found = kept.stat()
        for other in ASKED:
            assert result_of(other, settled, qrels) == plain[other]
        assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (found.st_ino, found.st_mtime_ns)
        kept.unlink()


def test_what_is_kept_is_not_used_for_a_changed_file(settled: Path, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, QRELS)
    before = result_of("evaluate", settled, qrels)
    file = settled / "alpha.txt"
    found = file.stat()
    file.write_text(
        file.read_text().replace(" a ", " b ", 1).replace(" b ", " a ", 2).replace(" a ", " b ", 1)
    )
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert file.stat().st_size == found.st_size
    after = result_of("evaluate", settled, qrels)
    assert after != before
    assert after == result_of("evaluate", settled, qrels, "--no-cache")


def test_a_folder_without_write_permission_means_no_cache(settled: Path, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, QRELS)
    settled.chmod(0o555)
    try:
        _, notices = run_command("evaluate", "--runs", settled, "--qrels", qrels)
    finally:
        settled.chmod(0o755)
    assert notices == ""
    assert not (settled / FOLDER).exists()
