"""What the tests in a browser share: a second try, and one data set for all tests that only look, made
once, after the tests that empty the tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from config.embedded.processes import Child
from tests.browser.sample_site import Showing, make_showing
from tests.plumbing.idle import wait_for_quiet_database
from tests.plumbing.live import at_work

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine may be late once. The summary names what needed its second try."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def showing(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    celery_worker_process: Child,
    site_process: str,
) -> Iterator[Showing]:
    with django_db_blocker.unblock(), at_work(celery_worker_process):
        yield make_showing()
        wait_for_quiet_database()
        call_command("flush", interactive=False, verbosity=0)
