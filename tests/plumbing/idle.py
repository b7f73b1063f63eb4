"""Waiting for worker and database to come to rest, so that tables can be emptied and the next test begin."""

import time
from collections.abc import Callable

import pytest
import redis
from _pytest.outcomes import Failed
from django.conf import settings
from django.db import connection

from campaigns.core.recompute_queue import forget_messages
from config.celery import app
from config.embedded.processes import Child

PATIENCE = 120.0
WORKER_NAME = "worker@tests"
QUEUES: list[str] = sorted(settings.CELERY_TASK_QUEUES)
TO_WORKER = {"destination": [WORKER_NAME], "reply": True, "timeout": PATIENCE, "limit": 1}
OTHERS = """
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend' AND state <> 'idle'
"""
BUSY = f"SELECT count(*) {OTHERS}"
ENDED = f"SELECT state, query, pg_terminate_backend(pid) {OTHERS}"


def wait_until_idle() -> None:
    """Until no task waits and none is being worked on."""
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        wait_for(lambda: not (broker.exists(*QUEUES) or broker.hlen("unacked")) and not _busy())


def _busy() -> bool:
    """A task just fetched is in no queue and not yet known to the worker; once that has answered, it is. What
    it has reserved, it may begin before it is asked for what it does."""
    inspector = app.control.inspect(destination=[WORKER_NAME], timeout=10, limit=1)
    for ask in (inspector.active, inspector.reserved, inspector.active):
        answer = ask()
        # No answer is no proof of idleness.
        if not answer or any(answer.values()):
            return True
    return False


def take_up() -> None:
    """The worker answers before it consumes, and kombu loses a task that comes in between."""
    _tell(app.control.add_consumer)
    wait_for(lambda: _consumed() == set(QUEUES))


def _consumed() -> set[str]:
    inspector = app.control.inspect(destination=[WORKER_NAME], timeout=10, limit=1)
    queues = (inspector.active_queues() or {}).get(WORKER_NAME, [])
    return {queue["name"] for queue in queues}


def rest() -> None:
    _tell(app.control.cancel_consumer)
    wait_for(lambda: not _consumed())


def _tell(act: Callable[..., object]) -> None:
    """It executes commands in turn: its answer to the last is one to all."""
    *others, last = QUEUES
    for queue in others:
        act(queue, destination=[WORKER_NAME])
    if not act(last, **TO_WORKER):
        pytest.fail(f"the worker did not answer within {PATIENCE:g} s", pytrace=False)


def forget_tasks() -> None:
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        # What a killed worker had taken is kept apart, to be sent again much later.
        broker.delete(*QUEUES, "unacked", "unacked_index")
    forget_messages()


def wait_for_quiet_database() -> None:
    """Emptying the tables beside a statement that still runs could end in a deadlock."""
    with connection.cursor() as cursor:

        def quiet() -> bool:
            cursor.execute(BUSY)
            return bool(cursor.fetchone() == (0,))

        try:
            wait_for(quiet)
        except Failed:
            # Or each test after this one would wait for them, too.
            cursor.execute(ENDED)
            pytest.fail(f"the database did not come to rest; ended: {cursor.fetchall()}", pytrace=False)


def wait_for(
    condition: Callable[[], bool], child: Child | None = None, *, patience: float = PATIENCE
) -> None:
    deadline = time.monotonic() + patience
    while not condition():
        if child is not None and not child.running:
            pytest.fail(f"{child.program.name} did not start:\n{child.last_words(40)}", pytrace=False)
        if time.monotonic() > deadline:
            words = child.last_words(40) if child else ""
            pytest.fail(f"gave up after {patience:g} s\n{words}")
        time.sleep(0.05)
