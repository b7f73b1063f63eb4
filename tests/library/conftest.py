from __future__ import annotations

from pathlib import Path

import pytest

from tests.library.bare_environment import ROOT, TOOLS, Archives, BareEnvironment, build, make_environment


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    return build(ROOT, tmp_path_factory.mktemp("archives"))


@pytest.fixture(scope="session")
def bare(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> BareEnvironment:
    return make_environment(tmp_path_factory.mktemp("bare") / "environment", archives.wheel, TOOLS)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder from which Python sees nothing of the clone."""
    return tmp_path
