"""Property tests draw the same examples each time, and many others when they explore."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from config.embedded.machine import PROJECT
from tests.plumbing.programs import finished

CONFTEST = """
from tests.plumbing import examples

examples.load_profile()

def pytest_collection_modifyitems(items):
    examples.change_counts(items)
"""
DRAWN = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=5, derandomize=True)
@given(st.integers())
def test_integers(number):
    print("drawn", number)
"""


def drawn(folder: Path, fuzz: str) -> list[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_drawn.py").write_text(DRAWN)
    (folder / "pytest.ini").write_text("[pytest]\n")
    environment = {**os.environ, "FUZZ": fuzz, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:django", str(folder)]
    done = finished(command, cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "drawn" in line]


def test_examples_are_the_same_each_time(tmp_path: Path) -> None:
    first = drawn(tmp_path, "1")
    assert len(first) == 5
    assert drawn(tmp_path, "1") == first


def test_fuzzing_multiplies_the_examples(tmp_path: Path) -> None:
    assert len(drawn(tmp_path, "20")) == 100
    assert len(drawn(tmp_path, "0.4")) == 2
