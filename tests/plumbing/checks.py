"""What `make test` runs: every check and all tests; `python -m tests.plumbing.checks [pytest arguments]`.

Four parts at once, each with servers of its own, and the next when one has ended: the campaigns' tests, and
those in a browser, wait more than they compute; beside them go the checks and all other tests. What the
first part says comes at once, the others' words after it. A failure does not hide the others, nor does one
that never ends: all run, and the last line names what failed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
TYPED = ["assess", "campaigns", "config", "evaluation", "selection", "tests", "manage.py"]
PYTEST = [sys.executable, "-m", "pytest", "--continue-on-collection-errors"]
COMPUTING = ["tests/evaluation", "tests/selection", "tests/campaigns/formats", "tests/campaigns/management"]
BROWSER = ["tests/browser"]
ROOMS = [
    *("core", "log", "collection", "quality", "computing", "results", "notifications", "judging", "people"),
    *("stopping", "setup", "exchange"),
]
CAMPAIGNS = [f"tests/campaigns/{room}" for room in ROOMS]
# Servers that are given to the tests hold one session's database at a time.
GIVEN = ["DATABASE_URL", "REDIS_URL"]
# The browser first: without one, the tests that need it would wait for nothing.
BEFORE = {"a Chromium": [sys.executable, "-m", "tests.plumbing.chromium"]}
CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy", "--explicit-package-bases", *TYPED],
    "import contracts": ["lint-imports"],
}
# Twice what the longest needs, in seconds.
LIMIT = 35 * 60
AT_ONCE = 4
Commands = dict[str, list[str]]


def parts(arguments: list[str]) -> list[Commands]:
    """As they begin. With arguments, which say which tests, or given servers: one after the other."""
    if arguments or any(os.environ.get(name) for name in GIVEN):
        return [CHECKS | {"tests": [*PYTEST, *arguments]}]
    elsewhere = [f"--ignore={folder}" for folder in [*COMPUTING, *BROWSER, *CAMPAIGNS]]
    return [
        {"tests of campaigns": [*PYTEST, *CAMPAIGNS]},
        {"tests in a browser": [*PYTEST, *BROWSER]},
        CHECKS,
        {"other tests": [*PYTEST, "tests", *elsewhere]},
        {"tests that compute": [*PYTEST, *COMPUTING]},
    ]


def run(commands: Commands, said: IO[str] | None = None) -> list[str]:
    """The names of those that failed; what they say goes into `said`, or on the screen."""
    failed = []
    for name, command in commands.items():
        print(f"--- {name}", file=said, flush=True)
        # The tools lie beside Python; an absolute path stays what it is.
        program = [str(Path(sys.executable).parent / command[0]), *command[1:]]
        process = subprocess.Popen(
            program, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=said, stderr=said and subprocess.STDOUT
        )
        if end(process):
            failed.append(name)
    return failed


def end(process: subprocess.Popen[bytes]) -> int:
    """Its code, once it has ended or was broken off; broken off, pytest says where it hung."""
    for way in (signal.SIGABRT, signal.SIGKILL):
        try:
            return process.wait(LIMIT if way is signal.SIGABRT else 30)
        except subprocess.TimeoutExpired:
            process.send_signal(way)
    return process.wait()


def main(arguments: list[str]) -> int:
    failed = run(BEFORE)
    first, *others = parts(arguments)
    with ThreadPoolExecutor(AT_ONCE) as threads, ExitStack() as files:
        said = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in others]
        aloud = threads.submit(run, first)
        waited = list(map(threads.submit, repeat(run), others, said))
        failed += aloud.result()
        for part, words in zip(waited, said, strict=True):
            failed += part.result()
            words.seek(0)
            print(words.read(), end="")
    print(f"FAILED: {', '.join(failed)}" if failed else "All checks and tests passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
