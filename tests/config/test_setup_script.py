"""What `make setup` says on a machine that lacks something."""

import os
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


@pytest.fixture
def front_end(tmp_path: Path) -> Path:
    """A checkout in which only the tools for scripts are missing."""
    (tmp_path / "bin").mkdir()
    for name in ("bin/setup-front-end", "package.json", "package-lock.json"):
        shutil.copy(PROJECT / name, tmp_path / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def set_up_front_end(checkout: Path) -> subprocess.CompletedProcess[str]:
    nowhere = {
        "NPM_CONFIG_REGISTRY": "http://127.0.0.1:9",
        "NPM_CONFIG_FETCH_RETRIES": "0",
        "NPM_CONFIG_CACHE": str(checkout / "cache"),
    }
    return finished(["sh", str(checkout / "bin" / "setup-front-end")], env={**os.environ, **nowhere})


def test_without_a_registry_the_remedy_is_named(front_end: Path) -> None:
    done = set_up_front_end(front_end)
    assert done.returncode == 1
    assert "npm reached neither its registry nor a cache" in done.stderr
    assert "NPM_CONFIG_REGISTRY" in done.stderr
    assert not (front_end / "node_modules" / ".installed").exists()


def test_what_is_installed_needs_no_registry(front_end: Path) -> None:
    (front_end / "node_modules").mkdir()
    shutil.copy(front_end / "package-lock.json", front_end / "node_modules" / ".installed")
    assert set_up_front_end(front_end).returncode == 0
