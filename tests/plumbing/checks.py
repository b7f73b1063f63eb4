"""What `make test` runs: every check, then all tests; `python -m tests.plumbing.checks [pytest arguments]`.

A failing check does not hide the tests' outcome: all run, and pytest's summary, printed last, names it.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.plumbing.header import FAILED_CHECKS

ROOT = Path(__file__).resolve().parents[2]
TYPED = ["assess", "campaigns", "config", "evaluation", "selection", "tests", "manage.py"]
CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy", "--explicit-package-bases", *TYPED],
    "import contracts": ["lint-imports"],
    "a Chromium": [sys.executable, "-m", "tests.plumbing.chromium"],
}


def run(command: list[str]) -> bool:
    # The tools lie beside Python; an absolute path stays what it is.
    program = Path(sys.executable).parent / command[0]
    return subprocess.run([str(program), *command[1:]], cwd=ROOT, stdin=subprocess.DEVNULL).returncode == 0


def main(arguments: list[str]) -> int:
    failed = []
    for name, command in CHECKS.items():
        print(f"--- {name}", flush=True)
        if not run(command):
            failed.append(name)
    print("--- tests", flush=True)
    os.environ[FAILED_CHECKS] = ", ".join(failed)
    passed = run([sys.executable, "-m", "pytest", "--continue-on-collection-errors", *arguments])
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
