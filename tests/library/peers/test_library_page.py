"""The examples of the page of the library run, and print what the page shows."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from campaigns.models import TokenScope
from campaigns.pages.help.markdown import parse
from campaigns.people import tokens
from config.embedded.machine import PROJECT
from tests.campaigns.factories import make_user
from tests.docs.pages import Block, blocks
from tests.plumbing.programs import finished

PAGE = [block for block in blocks("python", "text") if block.page == "library.md"]


def examples(module: str) -> list[tuple[Block, Block]]:
    """The examples that import a module or name it, each with the output that stands below it."""
    return [(code, said) for code, said in pairwise(PAGE) if code.kind == "python" and module in code.code]


def output_of(code: str, folder: Path, environment: dict[str, str]) -> str:
    done = finished(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(PROJECT), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module", ["ir_measures", "pyterrier"])
def test_examples_of_peers_print_what_the_page_shows(module: str, tmp_path: Path) -> None:
    pytest.importorskip(module)
    assert examples(f"import {module}")
    for code, said in examples(f"import {module}"):
        assert output_of(code.code, tmp_path, {}) == said.code


def test_example_of_runs_and_qrels_prints_what_the_page_shows(tmp_path: Path) -> None:
    [(code, said)] = examples("judged.evaluate(runs")
    assert output_of(code.code, tmp_path, {}) == said.code


def test_example_of_a_site_prints_what_the_page_shows(tmp_path: Path, live_site: str) -> None:
    _, secret = tokens.make(user=make_user("ada"), name="script", scopes=TokenScope.values)
    [(code, said)] = examples("judged.Site")
    assert output_of(code.code, tmp_path, {"SITE": live_site, "TOKEN": secret}) == said.code


@pytest.mark.parametrize("page", ["README.md", "distribution/README.md"])
def test_example_of_a_readme_prints_what_it_shows(page: str, tmp_path: Path) -> None:
    fences = [token for token in parse((PROJECT / page).read_text()) if token.type == "fence"]
    [(code, said)] = [pair for pair in pairwise(fences) if pair[0].info == "python"]
    assert output_of(code.content, tmp_path, {}) == said.content
