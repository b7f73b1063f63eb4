"""The parts of `make test`: chosen by name, each with a log, and a table of them at the end."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.plumbing import checks

PASSES = [sys.executable, "-c", "print('==== 3 passed, 1 skipped in 2.50s ====')"]
FAILS = [sys.executable, "-c", "print('the reason'); raise SystemExit(1)"]
HANGS = [sys.executable, "-c", "while True: pass"]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(checks, "LOGS", tmp_path)
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("REDIS_URL")
    return tmp_path


def test_parts_are_chosen_by_name(logs: Path) -> None:
    assert list(checks.parts([])) == list(checks.PARTS)
    assert list(checks.parts(["faults", "static"])) == ["faults", "static"]
    [everything] = checks.parts(["tests/evaluation", "-x"]).values()
    assert everything["tests"][-2:] == ["tests/evaluation", "-x"]


def test_every_folder_of_a_part_exists_and_is_in_no_other() -> None:
    folders = [folder for folders in checks.TESTS.values() for folder in folders]
    root = Path(checks.__file__).parents[2]
    assert all((root / folder).is_dir() for folder in folders)
    assert len(set(folders)) == len(folders)


def test_given_servers_run_one_part_at_a_time(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://given")
    assert checks.at_once() == 1
    monkeypatch.delenv("DATABASE_URL")
    assert checks.at_once() == checks.AT_ONCE


def test_failed_part_is_named_with_its_log(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = [
        checks.run("api", {"api": PASSES}, 60),
        checks.run("faults", {"kills": FAILS, "further": PASSES}, 60),
    ]
    assert checks.conclude(ended) == 1
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"api +\d+:\d\d  passed  3 passed, 1 skipped", lines[1])
    assert re.match(r"faults +\d+:\d\d  FAILED", lines[2])
    assert lines[3] == "FAILED: kills; log: faults.log"
    assert lines[4] == 'again: make test PART="faults"'
    assert "the reason" in (logs / "faults.log").read_text()
    assert checks.conclude(ended[:1]) == 0


def test_part_that_never_ends_is_stopped_and_fails(logs: Path) -> None:
    assert checks.run("api", {"api": HANGS}, 0.5).failed == ["api"]


def test_program_that_is_missing_fails_its_part_alone(logs: Path) -> None:
    ended = checks.run("static", {"lint": ["no-such-program"], "types": PASSES}, 60)
    assert ended.failed == ["lint"]
    assert "no-such-program" in (logs / "static.log").read_text()
    assert "3 passed" in (logs / "static.log").read_text()


def test_scripts_are_tested_where_npm_packages_are_missing(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "PACKAGES", logs)
    assert list(checks.runnable(checks.FRONT_END)) == list(checks.SCRIPT_TESTS)
    (logs / ".installed").touch()
    assert checks.runnable(checks.FRONT_END) == checks.FRONT_END
