"""Every command on files in the shortest form that its documentation gives, with one, two and three runs and
topics: it works, or says what it needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from campaigns.lab.studies.registry import STUDIES
from campaigns.management.offline import FILE_COMMANDS
from campaigns.management.offline.command_line import CommandError
from tests.campaigns.management.offline.command_files import run_command, write_qrels, write_runs

ROOT = Path(__file__).resolve().parents[4]
# How an error that somebody can act upon names what is needed, or an option.
WAY_OUT = re.compile(r"needs? .*\d|needs? \w+ |\d+ or more|--[a-z]")
# What stands in the form for a value of the reader's; N and M by the option before them.
VALUES = {"--method": "A", "--judgments": "2", "--topics": "1", "--budget": "2"}
METHODS = {"select_topics": "adaptive"}
# As many trials as by default would take minutes, and do not depend on the number of runs and topics.
FEWER_TRIALS: dict[str, list[Any]] = {"calibrate": ["--cases", 2]}


def shortest_forms() -> list[tuple[str, ...]]:
    """The commands on files, each study a command of its own."""
    forms = []
    for form in re.findall(
        r"^Shortest form: `(.+)`$", (ROOT / "docs" / "commands.md").read_text(), re.MULTILINE
    ):
        words = form.split()
        if words[0] in FILE_COMMANDS:
            names = STUDIES if words[:2] == ["study", "NAME"] else [""]
            forms += [tuple(name if word == "NAME" else word for word in words) for name in names]
    return forms


def test_every_command_and_study_has_a_shortest_form() -> None:
    forms = shortest_forms()
    assert {form[0] for form in forms} == set(FILE_COMMANDS)
    assert [form[1] for form in forms if form[0] == "study"] == list(STUDIES)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    "form", shortest_forms(), ids=lambda form: "-".join(form[: 1 + (form[0] == "study")])
)
def test_the_shortest_form_works_or_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...], count: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    out, refused = outcome(tmp_path, form, count)
    assert out.strip() if refused is None else WAY_OUT.search(refused), refused


def outcome(folder: Path, form: tuple[str, ...], count: int) -> tuple[str, str | None]:
    """What it prints, and why it refuses; any other exception is an error of the program."""
    try:
        return run_command(*arguments(folder, form, count))[0], None
    except CommandError as error:
        return "", str(error)
    except SystemExit as stopped:
        return "", str(stopped.__cause__)


def arguments(folder: Path, form: tuple[str, ...], count: int) -> list[Any]:
    topics = [str(topic + 1) for topic in range(count)]
    lists = {
        f"run{run}": {topic: [f"d{(run + place) % 5}" for place in range(4)] for topic in topics}
        for run in range(count)
    }
    judged = "".join(f"{topic} 0 d{n} {int(n in (1, 2))}\n" for topic in topics for n in range(5))
    given: dict[str, Any] = {**VALUES, "--method": METHODS.get(form[0], VALUES["--method"])}
    given |= {"--runs": write_runs(folder / "runs", lists), "--qrels": write_qrels(folder, judged)}
    options = [word for word in form if word.startswith("--")]
    values = [word for option in options for word in (option, given[option])]
    if form[0] != "study":
        return [form[0], *values, *FEWER_TRIALS.get(form[0], [])]
    trials = ["--trials", 2] if "trials" in STUDIES[form[1]].kernel.uses else []
    return ["study", form[1], *values, *trials]
