"""The files for GitHub and pre-commit: right by their schemas, with tools and versions that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from config.embedded.machine import PROJECT
from tests.config.test_lock_file import PYTHONS

WORKFLOW = PROJECT / ".github" / "workflows" / "test.yml"
CHECKER = Path(sys.executable).with_name("check-jsonschema")


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-workflows", WORKFLOW),
        ("custom.github-workflows-require-timeout", WORKFLOW),
        ("vendor.citation-file-format", PROJECT / "CITATION.cff"),
    ],
)
def test_files_match_their_schemas(schema: str, file: Path) -> None:
    done = subprocess.run(
        [str(CHECKER), "--builtin-schema", schema, "--default-filetype", "yaml", str(file)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_workflow_tests_every_python_by_pinned_actions() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == PYTHONS
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert {"make test", "make audit"} <= {step.get("run") for step in steps}
    used = [step["uses"] for step in steps if "uses" in step]
    assert [name for name in used if not re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", name)] == []


def test_pre_commit_runs_programs_of_the_project() -> None:
    [repository] = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    makefile = (PROJECT / "Makefile").read_text()
    for hook in repository["hooks"]:
        program, target = hook["entry"].split()[0], hook["entry"].split()[-1]
        if program == "make":
            assert re.search(rf"^{target}:", makefile, re.MULTILINE)
        else:
            assert Path(sys.executable).with_name(Path(program).name).exists()
            assert program.startswith(".venv/bin/")
