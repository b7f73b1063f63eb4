"""What `make setup` says on a machine that lacks something."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded.machine import PROJECT
from tests.plumbing.programs import finished

OLD = """#!/bin/sh
[ "$1" = --version ] && echo "Python 3.9.2" && exit 0
exit 1
"""
WITHOUT_PIP = f"""#!/bin/sh
[ "$1" = -m ] && exit 1
case "$2" in *_base_executable*) echo "$0"; exit 0;; esac
exec {sys.executable} "$@"
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder that holds all the programs there are: a shell's, and whatever a test adds."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "dirname", "env"):
        (programs / name).symlink_to(str(shutil.which(name)))
    (tmp_path / "bin").mkdir()
    shutil.copy(PROJECT / "bin" / "setup", tmp_path / "bin" / "setup")
    return programs


def set_up(machine: Path, python: str | None) -> subprocess.CompletedProcess[str]:
    if python is not None:
        program = machine / "python3"
        program.write_text(python)
        program.chmod(0o755)
    script = machine.parent / "bin" / "setup"
    return finished([str(machine / "sh"), str(script)], env={"PATH": str(machine)})


def test_an_old_python_is_named(machine: Path) -> None:
    done = set_up(machine, OLD)
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed; here is Python 3.9.2." in done.stderr


def test_no_python_at_all(machine: Path) -> None:
    done = set_up(machine, None)
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed; here is no python3." in done.stderr


def test_a_python_without_pip_and_venv(machine: Path) -> None:
    done = set_up(machine, WITHOUT_PIP)
    assert done.returncode == 1
    assert "has neither pip nor venv" in done.stderr
