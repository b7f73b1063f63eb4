"""A worker that is still busy when a test's tables are emptied would deadlock with the emptying."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _worker_settles_first(request: pytest.FixtureRequest) -> Iterator[None]:
    # Set up after the database fixture, so that it is torn down before it.
    if "_django_db_helper" in request.fixturenames:
        request.getfixturevalue("_django_db_helper")
    yield
    from tests.plumbing import live

    if "transactional_db" in request.fixturenames and live.worker_is_up:
        live.wait_until_idle()
