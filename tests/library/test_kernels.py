"""The kernels' own tests on the installed wheel, where there is neither Django nor this clone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from distribution.module_names import rewritten
from tests.library.bare_environment import ROOT, BareEnvironment

FOLDERS = ("tests/evaluation", "tests/selection")
# What these tests read besides.
HELPERS = ("tests/plumbing/examples.py", "tests/campaigns/formats/sample_files.py")
# What needs other evaluators or scikit-learn, and trials that take minutes.
LEFT_OUT = (
    "tests/selection/calibration",
    "tests/evaluation/peers",
    "tests/evaluation/measures/test_independent_evaluators.py",
    "tests/selection/methods/test_cal.py",
    "tests/selection/reference/cal.py",
    "tests/selection/topics/test_support_vectors.py",
)
EXAMPLE_OF_CAL = "tests/evaluation/test_docstring_examples.py::test_examples[judged.selection.methods.cal]"
CONFTEST = """
from tests.plumbing import examples

examples.load_profile()


def pytest_collection_modifyitems(items):
    examples.change_counts(items)
"""


INI = """[pytest]
pythonpath = .
addopts = --import-mode=importlib --strict-markers
markers =
    slow: left out
"""


def copy_tests(target: Path) -> None:
    """Copy the tests with the names of the wheel."""
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.is_file()]
    for file in [*files, *(ROOT / name for name in HELPERS)]:
        name = file.relative_to(ROOT).as_posix()
        if "__pycache__" in file.parts or name.startswith(LEFT_OUT):
            continue
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".py":
            copy.write_text(rewritten(file.read_text(), name))
        else:
            copy.write_bytes(file.read_bytes())
    (target / "conftest.py").write_text(CONFTEST)
    (target / "pytest.ini").write_text(INI)


# Most of it starts and ends within two minutes; on a busy machine it must not look like a hang.
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("folder", FOLDERS)
def test_kernels_pass_their_tests_as_installed(bare: BareEnvironment, outside: Path, folder: str) -> None:
    copy_tests(outside)
    environment = {"FUZZ": "0.1", "TREC_DATA": ""}
    asked = ["-q", "-m", "not slow", "--deselect", EXAMPLE_OF_CAL, folder]
    done = bare.run("python", "-m", "pytest", *asked, folder=outside, environment=environment)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 500
