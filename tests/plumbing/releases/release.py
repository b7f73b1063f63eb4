"""The release of a version, as `make release`.

`python -m tests.plumbing.releases.release [--dry-run]`

The command checks the commit and adds the annotated tag `v` + version. Two kinds of findings keep it from the
tag: what is wrong in the files, which also fails the dry run, and what is still to do at the moment of the
release, which the dry run only lists.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from tests.plumbing import dependency_audit

ROOT = Path(__file__).resolve().parents[3]
# Written by `make test` where all has passed; git ignores the folder.
RECORD = Path("test-results") / "passed-commit"
HEAD = re.compile(r"^## (?P<version>\S+) – (?P<day>.+)$", re.MULTILINE)
# Programs that write files from the code, and the files.
GENERATED = {
    "messages": [["-m", "config.messages"]],
    "schema": [["manage.py", "spectacular", "--fail-on-warn", "--file", "campaigns/api/schema.yaml"]],
    "error-codes": [["-m", "tests.docs.generated"]],
}
WRITTEN = (
    "locale/**/*.[pm]o",
    "campaigns/api/schema.yaml",
    "docs/error-codes.md",
    "docs/campaign-settings.md",
)
DAYS = 7


def version_of(root: Path) -> str:
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def clean_commit(root: Path) -> str | None:
    """The commit whose files these are; None with changes that are not committed, and without git."""
    try:
        return None if git(root, "status", "--porcelain") else git(root, "rev-parse", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return None


def version_faults(root: Path) -> Iterator[str]:
    version = version_of(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"pyproject.toml: {version} is not of the form 1.2.3"
    first = HEAD.search((root / "CHANGELOG.md").read_text())
    if first is None or first["version"] != version:
        yield f"CHANGELOG.md: the first section is not “## {version} – …”"
    locked = tomllib.loads((root / "uv.lock").read_text())["package"]
    if [row["version"] for row in locked if row["name"] == "judged"] != [version]:
        yield f"uv.lock: the project is not of version {version}; run uv lock"
    if re.search(r"^version:", (root / "CITATION.cff").read_text(), re.MULTILINE):
        yield "CITATION.cff: has a version of its own"
    if git(root, "tag", "--list", f"v{version}"):
        yield f"the tag v{version} exists already"


def migration_faults(root: Path) -> Iterator[str]:
    done = _python(root, "manage.py", "makemigrations", "--check", "--dry-run")
    if done.returncode:
        yield f"migrations: {done.stdout.strip() or done.stderr.strip()}"


def generated_faults(root: Path) -> Iterator[str]:
    """Each program runs again and must leave the files as they are; they are put back."""
    for name, programs in GENERATED.items():
        before = _written(root)
        done = [_python(root, *arguments) for arguments in programs]
        changed = [path for path, content in _written(root).items() if before.get(path) != content]
        for path in changed:
            path.write_bytes(before[path]) if path in before else path.unlink()
        if changed or any(one.returncode for one in done):
            why = "".join(one.stderr for one in done).strip()[-300:]
            yield f"make {name}: files are out of date, or the command fails: {why}"


def _written(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for pattern in WRITTEN for path in root.glob(pattern)}


def today() -> date:
    return datetime.now(UTC).date()


def tree_tasks(root: Path) -> Iterator[str]:
    if git(root, "status", "--porcelain"):
        yield "commit all changes"


def date_tasks(root: Path) -> Iterator[str]:
    first = HEAD.search((root / "CHANGELOG.md").read_text())
    if first is not None and first["day"] != today().isoformat():
        yield f"CHANGELOG.md: replace “{first['day']}” by {today()}"


def test_tasks(root: Path) -> Iterator[str]:
    record = root / RECORD
    if not record.is_file() or record.read_text().strip() != git(root, "rev-parse", "HEAD"):
        yield "run make test on this commit"


def audit_tasks(root: Path) -> Iterator[str]:
    """A version that was never checked keeps `make test` green, but is not released."""
    locked, answers = dependency_audit.read_lock(root / "uv.lock"), dependency_audit.read_answers()
    checked = [answers[package].checked if package in answers else None for package in locked]
    days = [day for day in checked if day is not None]
    if never := len(checked) - len(days):
        yield f"run make audit with a network: {never} of {len(locked)} locked versions were never checked"
    elif days and (age := (today() - min(days)).days) > DAYS:
        yield f"run make audit: the oldest answer is {age} days old"


FAULTS: list[Callable[[Path], Iterator[str]]] = [version_faults, migration_faults, generated_faults]
TASKS: list[Callable[[Path], Iterator[str]]] = [tree_tasks, date_tasks, test_tasks, audit_tasks]


def _python(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=root, capture_output=True, text=True)


def record_tests(root: Path, commit: str) -> None:
    """Note that all tests have passed on this commit."""
    (root / RECORD).parent.mkdir(exist_ok=True)
    (root / RECORD).write_text(f"{commit}\n")


def main(arguments: list[str], root: Path = ROOT) -> int:
    faults = [line for check in FAULTS for line in check(root)]
    tasks = [line for check in TASKS for line in check(root)]
    version = version_of(root)
    for heading, lines in (("Wrong", faults), ("To do", tasks)):
        for line in lines:
            print(f"{heading}: {line}")
    if arguments == ["--dry-run"]:
        print(f"{version}: {len(faults)} faults, {len(tasks)} tasks before the tag. No tag was made.")
        return 1 if faults else 0
    if faults or tasks:
        print(f"v{version} was not tagged.")
        return 1
    git(root, "tag", "--annotate", f"v{version}", "--message", f"Version {version}")
    print(f"Tagged v{version}. Publish it: git push origin v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
