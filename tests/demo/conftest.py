from __future__ import annotations

import pytest

from campaigns.demo.build import read_documents
from campaigns.demo.corpus import Document
from campaigns.demo.files import DemoFiles, build_apart


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    return build_apart(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def demo_documents(demo_files: DemoFiles) -> dict[str, Document]:
    return {document.docno: document for document in read_documents(demo_files.collection)}
