"""The notebooks of docs/ run where only the wheel of the library is installed, and show what they store."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from campaigns.models import TokenScope
from campaigns.people import tokens
from config.embedded.machine import PROJECT
from config.embedded.processes import Child
from tests.campaigns.factories import make_user
from tests.docs.notebooks import execution
from tests.docs.notebooks.execution import code_cells, read
from tests.library.bare_environment import Archives, BareEnvironment, make_environment

FOLDER = PROJECT / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
ON_A_SITE = "campaign.ipynb"
MOST_BYTES = 150 * 1024


@pytest.fixture(scope="module")
def jupyter(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> BareEnvironment:
    """An environment as docs/notebooks.md describes it, without the program that shows notebooks."""
    pytest.importorskip("ir_measures")
    extras = ["narwhals", "altair", "vl-convert-python"]
    folder = tmp_path_factory.mktemp("jupyter") / "environment"
    return make_environment(folder, archives.wheel, [*extras, "pandas", "ir-measures"])


def executed(jupyter: BareEnvironment, name: str, outside: Path, **environment: str) -> Path:
    """A copy of the folder in which the notebook has been executed."""
    folder = Path(shutil.copytree(FOLDER, outside / "notebooks"))
    done = jupyter.run("python", execution.__file__, folder / name, folder=outside, environment=environment)
    assert done.returncode == 0, done.stderr
    # A warning would be in a reader's notebook.
    assert done.stderr == ""
    return folder / name


def shown(notebook: Path) -> list[list[Any]]:
    """The outputs of each cell without drawings, whose text is as wide as the machine's fonts."""
    outputs = [cell["outputs"] for cell in code_cells(read(notebook))]
    for one in [data for cell in outputs for output in cell if (data := output.get("data"))]:
        if "image/svg+xml" in one:
            one["image/svg+xml"] = []
    return outputs


@pytest.mark.parametrize("name", [file.name for file in NOTEBOOKS if file.name != ON_A_SITE])
def test_notebook_shows_what_it_stores(jupyter: BareEnvironment, name: str, outside: Path) -> None:
    again = executed(jupyter, name, outside)
    assert shown(again) == shown(FOLDER / name), f"compare, then copy {again}"


def test_notebook_of_a_campaign_shows_what_it_stores(
    jupyter: BareEnvironment, celery_worker: Child, live_site: str, outside: Path
) -> None:
    _, secret = tokens.make(user=make_user("ada"), name="script", scopes=TokenScope.values)
    again = executed(jupyter, ON_A_SITE, outside, SITE=live_site, TOKEN=secret)
    assert shown(again) == shown(FOLDER / ON_A_SITE), f"compare, then copy {again}"


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.name)
def test_notebooks_are_small(file: Path) -> None:
    assert file.stat().st_size <= MOST_BYTES


def test_page_links_every_notebook_and_its_data() -> None:
    page = (PROJECT / "docs" / "notebooks.md").read_text()
    files = [file for file in FOLDER.rglob("*") if file.suffix in (".ipynb", ".gz", ".txt")]
    assert [file.name for file in files if f"(notebooks/{file.relative_to(FOLDER)})" not in page] == []
