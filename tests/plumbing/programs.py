"""Programs that a test runs to their end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

# Far more than any of them needs; less than pytest gives a test, so that it is reported here.
PATIENCE = 300.0


def finished(
    command: Sequence[str], *, patience: float = PATIENCE, **options: Any
) -> subprocess.CompletedProcess[str]:
    """The program when it has ended, with what it said. One that does not end is ended with all that it
    started, and fails the test: Python programs say where each of their threads was."""
    pipes: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    environment = {**(options.pop("env", None) or os.environ), "PYTHONFAULTHANDLER": "1"}
    with subprocess.Popen(
        command, env=environment, text=True, start_new_session=True, **pipes, **options
    ) as process:
        try:
            said, complained = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            words = _last_words(process)
            pytest.fail(f"{command} did not end within {patience:g} s:\n{words[-20_000:]}", pytrace=False)
        except BaseException:
            _send(process, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, said, complained)


def tool(name: str) -> str:
    """The path of a program that lies beside Python in the environment."""
    return str(Path(sys.executable).parent / name)


def _last_words(process: subprocess.Popen[str]) -> str:
    for number in (signal.SIGABRT, signal.SIGKILL):
        _send(process, number)
        with suppress(subprocess.TimeoutExpired):
            return "".join(process.communicate(timeout=20))
    return ""


def _send(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
