from __future__ import annotations

import json

import pytest

from campaigns.demo.build import packed_run, read_documents
from campaigns.demo.corpus import Document
from campaigns.demo.files import DemoFiles, build_apart
from campaigns.demo.systems import SYSTEMS
from campaigns.formats.runs import read_runs


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    return build_apart(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def demo_documents(demo_files: DemoFiles) -> dict[str, Document]:
    return {document.docno: document for document in read_documents(demo_files.collection)}


@pytest.fixture(scope="session")
def small_files(demo_files: DemoFiles, tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    """Topic 1 only, and what the runs list for it: loads in a tenth of the time."""
    small = DemoFiles.below(tmp_path_factory.mktemp("small"))
    small.runs.mkdir()
    small.topics.write_text(demo_files.topics.read_text().partition("</top>")[0] + "</top>\n")
    listed: set[str] = set()
    for system in SYSTEMS:
        ranking = read_runs(demo_files.run(system.tag), system.tag)[0].rankings["1"]
        small.run(system.tag).write_bytes(packed_run([ranking], system.tag))
        listed |= set(ranking.docnos)
    with demo_files.collection.open() as every, small.collection.open("w") as kept:
        kept.writelines(line for line in every if json.loads(line)["docno"] in listed)
    return small
