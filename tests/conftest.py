"""Every test runs beside a real Postgres and a real Redis, thrown away at the end.

Fixtures for more of the real thing: `celery_worker` (a prefork worker on the test database), `live_site`
(the web server on it; its value is the base address), `page` (a Chromium page). See tests/plumbing.
"""

import gc
import os
from collections.abc import Iterator

import django
import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.models.signals import pre_migrate
from pytest_django import DjangoDbBlocker

from tests.plumbing import examples, header
from tests.plumbing.browser.page_whitespace import squeeze_pages
from tests.plumbing.servers.migrated_cluster import keep_permissions_unwritten, refuse_missing_tables
from tests.plumbing.servers.services import pair
from tests.plumbing.table_cleanup import delete_where_little

# Data sets of the tests' own, known to the worker, too.
os.environ["IR_DATASETS_MODULES"] = "tests.campaigns.exchange.site_datasets"
# Settings are read here, before the first test module; the servers themselves start a little later.
pair.name_in_environment()
django.setup()
# Each test client would look through all static files again; so it looks for those that it is asked for.
settings.WHITENOISE_AUTOREFRESH = True
delete_where_little()
squeeze_pages()
keep_permissions_unwritten()

examples.load_profile()

pytest_plugins = [
    "tests.plumbing.servers.live",
    "tests.plumbing.browser.chromium_fixtures",
    "tests.plumbing.demo_files",
    "tests.plumbing.servers.site_role",
]


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    return pair.migrated


@pytest.fixture(scope="module")
def module_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """What a fixture of the module stores after this one stays until the module's last test. Each test takes
    back what it stored itself, as always; it must not be one that commits."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


def pytest_collection_finish() -> None:
    # What was imported stays: it need not be looked through again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not session.config.option.collectonly:
        pair.start()
        connection.settings_dict["TEST"]["MIGRATE"] = not pair.migrated
        if pair.migrated:
            pre_migrate.connect(refuse_missing_tables, sender=apps.get_app_config("campaigns"))


def pytest_unconfigure() -> None:
    pair.discard()


def pytest_report_header() -> list[str]:
    return header.lines(pair.urls)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in header.really_run:
        terminalreporter.write_line(f"really run: {line}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    examples.change_counts(items)
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
