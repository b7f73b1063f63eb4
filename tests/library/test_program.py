"""The program `judged` beside `manage.py` of the clone: the same bytes."""

from __future__ import annotations

import bz2
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from campaigns.management.offline import FILE_COMMANDS
from tests.campaigns.management.offline.command_files import write_qrels, write_runs
from tests.library.bare_environment import ROOT, BareEnvironment
from tests.plumbing.programs import finished

ASKED: dict[str, list[str]] = {
    "evaluate": ["--measure", "RBP(p=0.8)", "--measure", "nDCG@10", "--measure", "AP", "--per-topic"],
    "compare": ["--top-share", "1", "--measure", "RBP(p=0.8)", "--measure", "AP"],
    "simulate": ["--method", "C", "--judgments", "9", "--format", "csv"],
    "next_documents": ["--method", "C", "--number", "9"],
    "select_topics": ["--method", "adaptive", "--topics", "2"],
    "study": ["score-ranges", "--format", "json"],
    "plan": ["--method", "A", "--budget", "40", "--draws", "2", "--residual", "0.2"],
    "calibrate": ["--cases", "2"],
}
TOPICS = ("1", "2", "3", "4")


@pytest.fixture
def files(outside: Path) -> list[str]:
    lists = {
        f"run{run}": {topic: [f"d{(run * place + run) % 11}" for place in range(9)] for topic in TOPICS}
        for run in range(1, 7)
    }
    qrels = "".join(f"{topic} 0 d{n} {n % 3}\n" for topic in TOPICS for n in range(8))
    return ["--runs", str(write_runs(outside / "runs", lists)), "--qrels", str(write_qrels(outside, qrels))]


def test_every_command_is_tried() -> None:
    assert ASKED.keys() == FILE_COMMANDS.keys()


@pytest.mark.parametrize("command", FILE_COMMANDS)
def test_program_and_clone_say_the_same(
    bare: BareEnvironment, outside: Path, files: list[str], command: str
) -> None:
    before = [command] if command != "study" else [command, ASKED[command][0]]
    given = [*files, "--no-cache", *ASKED[command][len(before) - 1 :]]
    environment = {**os.environ, "XDG_CACHE_HOME": str(outside / "cache")}
    said = finished([sys.executable, str(ROOT / "manage.py"), *before, *given], cwd=outside, env=environment)
    dashed = [command.replace("_", "-"), *before[1:]]
    done = bare.run("judged", *dashed, *given, folder=outside)
    assert said.returncode == 0, said.stderr
    assert (done.returncode, done.stdout, done.stderr) == (0, said.stdout, said.stderr)


def test_program_lists_its_commands(bare: BareEnvironment, outside: Path) -> None:
    done = bare.run("judged", "--help", folder=outside)
    assert done.returncode == 0
    assert all(f"  {name.replace('_', '-')} " in done.stdout for name in FILE_COMMANDS)
    assert bare.run("judged", "select_topics", "--help", folder=outside).stdout.startswith(
        "usage: judged select_topics"
    )
    assert bare.run("judged", "--version", folder=outside).stdout[0].isdigit()


@pytest.mark.parametrize("wrong", [[], ["evaluates"], ["evaluate", "--runs", "x"]])
def test_wrong_usage_exits_with_2(bare: BareEnvironment, outside: Path, wrong: list[str]) -> None:
    done = bare.run("judged", *wrong, folder=outside)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: judged")


def test_runs_packed_by_python_need_no_extra(bare: BareEnvironment, outside: Path, files: list[str]) -> None:
    run = outside / "runs" / "run1.txt"
    (outside / "runs" / "run1.txt.bz2").write_bytes(bz2.compress(run.read_bytes()))
    run.unlink()
    assert bare.run("judged", "evaluate", *files, folder=outside).returncode == 0


def packed(file: Path, head: bytes) -> None:
    file.write_bytes(head + file.read_bytes())


@pytest.mark.parametrize(
    ("given", "extra"),
    [
        ("zstd", "zstandard is not installed: pip install 'judged[compressed]'"),
        ("lz4", "lz4 is not installed: pip install 'judged[compressed]'"),
        ("json", "ijson is not installed: pip install 'judged[tables]'"),
        ("parquet", "pyarrow is not installed: pip install 'judged[tables]'"),
        ("figure", "altair is not installed: pip install 'judged[figures]'"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    bare: BareEnvironment, outside: Path, files: list[str], given: str, extra: str
) -> None:
    run, asked = outside / "runs" / "run1.txt", ["evaluate"]
    more: list[Any] = []
    match given:
        case "zstd":
            packed(run, b"\x28\xb5\x2f\xfd")
        case "lz4":
            packed(run, b"\x04\x22\x4d\x18")
        case "json":
            run.write_text(json.dumps({"1": {"d1": 2.0, "d2": 1.0}, "2": {"d3": 2.0, "d4": 1.0}}))
        case "parquet":
            run.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
        case "figure":
            asked, more = ["study", "score-ranges"], ["--figure", str(outside / "figure.svg")]
    done = bare.run("judged", *asked, *files, *more, folder=outside)
    assert done.returncode == 1, done.stderr
    assert extra in done.stderr
    assert "Traceback" not in done.stderr
