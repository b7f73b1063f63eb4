"""The demo's collection and runs, made once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.management.demo.files import build_apart


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    build_apart(folder)
    return folder
