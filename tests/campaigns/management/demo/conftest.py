from __future__ import annotations

import json
from pathlib import Path

import pytest

from campaigns.formats.runs.files import read_runs, write_run
from campaigns.management.demo.corpus import Document
from campaigns.management.demo.files import COLLECTION
from campaigns.management.demo.rankers import SYSTEMS


@pytest.fixture(scope="session")
def demo_documents(demo_folder: Path) -> dict[str, Document]:
    lines = (demo_folder / COLLECTION).read_text(encoding="utf-8").splitlines()
    return {(document := Document(**json.loads(line))).docno: document for line in lines}


@pytest.fixture(scope="session")
def small_folder(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of topic 1 only, and the documents that they list: loads in a tenth of the time."""
    small = tmp_path_factory.mktemp("small")
    listed: set[str] = set()
    for system in SYSTEMS:
        name = f"{system.tag}.run"
        ranking = read_runs(demo_folder / name, name)[0].rankings["1"]
        with (small / name).open("w") as out:
            write_run([ranking], system.tag, out)
        listed |= set(ranking.docnos)
    with (demo_folder / COLLECTION).open() as every, (small / COLLECTION).open("w") as out:
        out.writelines(line for line in every if json.loads(line)["docno"] in listed)
    return small
