"""Gives these tests the time that two starts on a busy disk may take."""

import pytest

from tests.config.embedded.supervisor_process import PATIENCE

SECONDS = 3 * PATIENCE


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "config/embedded" in item.path.as_posix():
            item.add_marker(pytest.mark.timeout(SECONDS))
