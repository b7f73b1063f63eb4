"""The real web server and the real worker, as processes of their own, on the test database.

They see only what is committed, so tests that use them get `transactional_db`: every table is emptied after.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from _pytest.outcomes import Failed
from django.db import OperationalError, connection
from django.db.backends.base.creation import TEST_DATABASE_PREFIX
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from config.celery import app
from config.embedded import application
from config.embedded.machine import answers, take_port
from config.embedded.processes import Child, Program
from config.embedded.supervisor import stop_together
from tests.plumbing import header
from tests.plumbing.idle import (
    WORKER_NAME,
    forget_tasks,
    rest,
    take_up,
    wait_for,
    wait_for_quiet_database,
    wait_until_idle,
)
from tests.plumbing.servers.services import pair


@pytest.fixture(scope="session")
def live_environment(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, str]]:
    """As the supervisor would make it, but for the database that Django made for the tests."""
    with test_database(django_db_blocker):
        database = urlsplit(pair.urls["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
        made = application.environment(pair.places, {**pair.urls, "DATABASE_URL": database.geturl()})
        # The tests' receivers of webhooks and their search engines are on this machine.
        added = {
            "WEBHOOK_ALLOW_PRIVATE": "true",
            "ENGINE_ALLOWED_HOSTS": "127.0.0.1",
            "PYTHONFAULTHANDLER": "1",
        }
        yield {**made, **added, "DJANGO_SETTINGS_MODULE": "tests.plumbing.settings"}


@contextmanager
def test_database(blocker: DjangoDbBlocker) -> Iterator[None]:
    """pytest-django has made it where a test of this session asks for one; otherwise it is made here."""
    if connection.settings_dict["NAME"].startswith(TEST_DATABASE_PREFIX):
        yield
        return
    with blocker.unblock():
        made = setup_databases(
            verbosity=0, interactive=False, aliases={"default": True}, keepdb=pair.migrated
        )
    yield
    with blocker.unblock(), suppress(OperationalError):
        # A connection may linger in it; the next session remakes it, and the servers are mostly thrown away.
        teardown_databases(made, verbosity=0, keepdb=pair.migrated)


@pytest.fixture(scope="session")
def celery_worker_process(live_environment: dict[str, str]) -> Iterator[Child]:
    """A prefork worker without beat, at rest until `celery_worker` lets it take tasks."""
    program = application.worker(pair.places, live_environment, name=WORKER_NAME)
    child = _child(program)
    _bring_up(child)
    header.really_run.append(f"Celery worker, process {child.pid}, prefork")
    yield child
    stop_together([child], grace=4)


@pytest.fixture(scope="session")
def site_process(live_environment: dict[str, str]) -> Iterator[str]:
    with take_port("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        child = _child(application.web(listener.fileno(), live_environment))
        child.start()
        wait_for(lambda: answers("127.0.0.1", port) is not None, child)
        header.really_run.append(f"uvicorn, process {child.pid}")
        yield f"http://127.0.0.1:{port}"
        stop_together([child], grace=4)


@pytest.fixture
def celery_worker(transactional_db: None, celery_worker_process: Child) -> Iterator[Child]:
    """The worker takes tasks during this test only: what other tests send must not be done behind their
    backs, nor hold a row while the tables are emptied."""
    with at_work(celery_worker_process):
        yield celery_worker_process
    wait_for_quiet_database()


@contextmanager
def at_work(child: Child) -> Iterator[None]:
    """The worker takes tasks meanwhile, and has done them all in the end."""
    if not child.running:
        # An earlier test killed it.
        _bring_up(child)
    forget_tasks()
    with ended_if_it_hangs(child):
        take_up()
    yield
    if child.running:
        with ended_if_it_hangs(child):
            wait_until_idle()
            rest()


@contextmanager
def ended_if_it_hangs(child: Child) -> Iterator[None]:
    """Or each test after this one would wait for it in vain. Its processes say where they were."""
    try:
        yield
    except (Exception, Failed) as error:  # noqa: BLE001 — reported by the failure
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGABRT)
        with suppress(Failed):
            wait_for(lambda: not child.running, patience=10)
        child.kill_group()
        pytest.fail(f"{child.program.name} hung: {error}\n{child.last_words(200)}", pytrace=False)


@pytest.fixture
def live_site(transactional_db: None, site_process: str) -> Iterator[str]:
    yield site_process
    wait_for_quiet_database()


def _bring_up(child: Child) -> None:
    forget_tasks()
    child.start()
    wait_for(lambda: bool(app.control.ping(destination=[WORKER_NAME], timeout=0.5, limit=1)), child)
    rest()


def _child(program: Program) -> Child:
    return Child(program, pair.places.logs / f"{program.name}.log", mark=str(pair.places.data))
