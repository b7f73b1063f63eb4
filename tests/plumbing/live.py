"""The real web server and the real worker, as processes of their own, on the test database.

They see only what is committed, so tests that use them get `transactional_db`: every table is emptied after.
"""

import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
import redis
from django.conf import settings
from django.db import connection

from config.celery import app
from config.embedded import application
from config.embedded.child import Child, Program
from config.embedded.listening import answers, take_port
from config.embedded.services import stop_together
from tests.plumbing import header
from tests.plumbing.services import pair

PATIENCE = 60.0
WORKER_NAME = "worker@tests"
worker_is_up = False


@pytest.fixture(scope="session")
def live_environment(django_db_setup: None) -> dict[str, str]:
    """As the supervisor would make it, but for the database that Django made for the tests."""
    database = urlsplit(pair.urls["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    return application.environment(pair.places, {**pair.urls, "DATABASE_URL": database.geturl()})


@pytest.fixture(scope="session")
def celery_worker_process(live_environment: dict[str, str]) -> Iterator[Child]:
    """A prefork worker; no beat, so nothing happens that the test did not ask for."""
    global worker_is_up
    program = application.worker(pair.places, live_environment, beat=False, name=WORKER_NAME)
    child = _started(program)
    _await(lambda: bool(app.control.ping(destination=[WORKER_NAME], timeout=0.5, limit=1)), child)
    header.really_run.append(f"Celery worker, process {child.pid}, prefork")
    worker_is_up = True
    yield child
    worker_is_up = False
    stop_together([child], grace=4)


@pytest.fixture(scope="session")
def site_process(live_environment: dict[str, str]) -> Iterator[str]:
    with take_port("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        child = _started(application.web(listener.fileno(), live_environment))
        _await(lambda: answers("127.0.0.1", port) is not None, child)
        header.really_run.append(f"uvicorn, process {child.pid}")
        yield f"http://127.0.0.1:{port}"
        stop_together([child], grace=4)


@pytest.fixture
def celery_worker(transactional_db: None, celery_worker_process: Child) -> Iterator[Child]:
    """The worker, and the promise that it is idle before the tables are emptied."""
    yield celery_worker_process
    wait_until_idle()


@pytest.fixture
def live_site(transactional_db: None, site_process: str) -> str:
    return site_process


def wait_until_idle() -> None:
    """Until no task waits and none is being worked on."""
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        _await(lambda: not broker.llen(settings.CELERY_TASK_DEFAULT_QUEUE) and not _active())


def _active() -> bool:
    answer = app.control.inspect(destination=[WORKER_NAME], timeout=2, limit=1).active() or {}
    return any(answer.values())


def _started(program: Program) -> Child:
    child = Child(program, pair.places.logs / f"{program.name}.log", mark=str(pair.places.data))
    child.start()
    return child


def _await(condition: Callable[[], bool], child: Child | None = None) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if child is not None and not child.running:
            pytest.fail(f"{child.program.name} did not start:\n{child.last_words(40)}", pytrace=False)
        if time.monotonic() > deadline:
            words = child.last_words(40) if child else ""
            pytest.fail(f"gave up after {PATIENCE:g} s\n{words}", pytrace=False)
        time.sleep(0.05)
