"""Work for the Celery worker, queued by the name of its task, so that no caller imports a task.

A broker that does not answer costs nothing: `campaigns.catch_up` and the other periodic tasks read from the
rows what is still to be done.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from campaigns.core.broker import broker
from campaigns.models import WaitingEmail

logger = logging.getLogger(__name__)

# A task of the Lab that waited for so long is not run: the periodic task has sent others since.
LAB_WAVE_SECONDS = 30
PREDICTION_WAIT_SECONDS = 10


def send(task: str, *arguments: object) -> None:
    """Queue a task now; kombu's OperationalError if the broker does not answer."""
    current_app.send_task(task, arguments, retry=False)


def request_delivery(*, subject: str, body: str, address: str, switch_off: str = "") -> None:
    """Store an email in the surrounding transaction and have the worker send it after the commit. Where the
    broker is away, the periodic task does it later. `switch_off`: the link that stops such emails."""
    mail = {"subject": subject, "body": body, "address": address, "switch_off": switch_off}
    WaitingEmail.objects.create(**mail, next_try=timezone.now())
    transaction.on_commit(lambda: _send_if_up("campaigns.send_emails", lost="emails wait"))


def request_posting() -> None:
    """Have the worker send due webhook deliveries once the surrounding transaction has committed. Where the
    broker is away, the periodic task does it later."""
    transaction.on_commit(lambda: _send_if_up("campaigns.post_where_due", lost="deliveries wait"))


def request_reset_links() -> None:
    """Have the worker mail requested reset links once the surrounding transaction has committed. Where the
    broker is away, the periodic task does it later."""
    transaction.on_commit(lambda: _send_if_up("campaigns.send_reset_links", lost="reset links wait"))


def _send_if_up(task: str, *arguments: object, lost: str) -> None:
    try:
        send(task, *arguments)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("%s, the broker is silent: %s", lost, error)


def request_drawing(campaign: int, *, figure: str, width: int, top: int, topics: str) -> bool:
    """Queue the drawing of a figure now; False if the broker does not answer."""
    try:
        send("campaigns.draw", campaign, figure, width, top, topics)
    except OperationalError:
        return False
    return True


def request_count(campaign: int) -> None:
    """Queue a count of the log now, if the broker answers; the periodic task finds what could not be sent."""
    try:
        send("campaigns.count", campaign)
    except OperationalError:
        logger.info("count of campaign %s not sent, the broker is silent", campaign)


def request_prediction(campaign: int, runs: Sequence[int]) -> None:
    """Queue a prediction of these runs in each topic now, unless one was queued a moment ago. Pages ask again
    while they wait for it."""
    key = "predict:" + ":".join(map(str, (campaign, *sorted(runs))))
    try:
        if broker().set(key, 1, nx=True, ex=PREDICTION_WAIT_SECONDS):
            send("campaigns.predict", campaign, list(runs))
    except (OperationalError, RedisError, OSError) as error:
        logger.info("prediction of campaign %s not sent, the broker is silent: %s", campaign, error)


def request_load(campaign: int) -> None:
    """Queue the loading of a dataset once the surrounding transaction has committed."""
    transaction.on_commit(lambda: send("campaigns.load", campaign), robust=True)


def request_pull(pull: int) -> None:
    """Have the worker ask a search engine once the surrounding transaction has committed. Where the broker is
    away, the periodic task does it later."""
    transaction.on_commit(lambda: _send_if_up("campaigns.pull", pull, lost="the pull waits"))


def request_indexing(collection: int) -> None:
    """Have the worker index a collection's texts once the surrounding transaction has committed. Where the
    broker is away, the periodic task does it later."""
    transaction.on_commit(
        lambda: _send_if_up("campaigns.index_documents", collection, lost="the search index waits")
    )


def request_comparison(collection: int) -> None:
    """Have the worker look for duplicates among a collection's texts once the surrounding transaction has
    committed. Where the broker is away, the periodic task does it later."""
    transaction.on_commit(
        lambda: _send_if_up("campaigns.compare_documents", collection, lost="the search for duplicates waits")
    )


def request_counterfactual(campaign: int) -> None:
    """Queue the campaign's replay under another method once the surrounding transaction has committed."""
    transaction.on_commit(lambda: send("campaigns.replay_counterfactual", campaign))


def request_planning(campaign: int) -> None:
    """Queue the next line of a plan once the surrounding transaction has committed."""
    transaction.on_commit(lambda: send("campaigns.plan", campaign))


def request_lab_start(job: int) -> None:
    """Have the worker divide a job of the Lab into trials once the surrounding transaction has committed.
    Where the broker is away, the periodic task does it later."""
    transaction.on_commit(lambda: _send_if_up("campaigns.lab_start", job, lost="the Lab waits"))


def send_lab_work(job: int, wave: int, count: int) -> None:
    """Queue so many tasks that each do some trials of a job, if the broker answers. What no worker has taken
    up when the periodic task sends the next wave is void."""
    try:
        for _ in range(count):
            current_app.send_task("campaigns.lab_work", (job, wave), retry=False, expires=LAB_WAVE_SECONDS)
    except (OperationalError, RedisError, OSError) as error:
        logger.info("trials of job %s not sent, the broker is silent: %s", job, error)
