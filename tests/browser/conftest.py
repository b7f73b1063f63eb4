"""One data set for all browser tests that only look, made once, after the tests that empty the tables."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from config.embedded.processes import Child
from tests.browser.sample_site import Showing, make_showing
from tests.plumbing.idle import wait_for_quiet_database
from tests.plumbing.servers.live import at_work


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
