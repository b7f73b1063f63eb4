"""Work for the Celery worker, queued by the name of its task, so that no caller imports a task.

A broker that does not answer costs nothing: `campaigns.catch_up` and the other periodic tasks read from the
rows what is still to be done.
"""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import time
from collections.abc import Sequence

from celery import current_app
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from campaigns.core.broker import broker
from campaigns.models import Campaign, WaitingEmail

logger = logging.getLogger(__name__)

SECONDS_AT_EXIT = 1.0
HEAD_START_SECONDS = 0.004
# After so long a process that has a campaign in hand is taken to be lost, and a message to one: where many
# campaigns are judged, messages wait.
IN_HAND_SECONDS, UNDER_WAY_SECONDS = 2, 20
# The queues whose messages a process gives way to. The Lab's trials have time.
URGENT_QUEUES = ("campaigns", "pulse", "webhooks")
# A task of the Lab that waited for so long is not run: the periodic task has sent others since.
LAB_WAVE_SECONDS = 30
PREDICTION_WAIT_SECONDS = 10

# A campaign, and the configuration for which a recompute was requested.
RecomputeRequest = tuple[int, int | None]


def send(task: str, *arguments: object) -> None:
    """Queue a task now; kombu's OperationalError if the broker does not answer."""
    current_app.send_task(task, arguments, retry=False)


def _in_hand(campaign: int) -> str:
    return f"in-hand:{campaign}"


def _under_way(campaign: int | str) -> str:
    return f"under-way:{campaign}"


def announce(campaign: int) -> bool:
    """Whether to send a message: no process has the campaign in hand, and no message to one is under way;
    from now on one is. A second process would only do the same work again, or find the campaign locked."""
    return not broker().exists(_in_hand(campaign)) and _mark_under_way(campaign)


def _mark_under_way(campaign: int) -> bool:
    return bool(broker().set(_under_way(campaign), 1, nx=True, ex=UNDER_WAY_SECONDS))


def forget_message(campaign: int) -> None:
    """It has reached a process, which has the campaign in hand, or could not be sent."""
    try:
        broker().delete(_under_way(campaign))
    except RedisError as error:
        logger.info("the broker is silent, a message to campaign %s seems under way: %s", campaign, error)


def keep_in_hand(campaign: int) -> None:
    """Called again and again by the process that follows the campaign: commits meanwhile send no message."""
    try:
        broker().set(_in_hand(campaign), 1, ex=IN_HAND_SECONDS)
    except RedisError as error:
        logger.info("the broker is silent, further processes may compute campaign %s: %s", campaign, error)


def let_go(campaign: int) -> None:
    """The process has to look for new work once more after this: no message was sent to it before."""
    try:
        broker().delete(_in_hand(campaign))
    except RedisError as error:
        logger.info("the broker is silent, campaign %s stays in hand: %s", campaign, error)


def give_way(campaign: int) -> bool:
    """If messages wait, which means that all processes are busy, see to it that one for this campaign waits
    behind them, and return True: the process has to leave it. Two campaigns that are judged without a pause
    would otherwise hold two processes for ever."""
    try:
        waiting = broker().pipeline(transaction=False)
        for name in URGENT_QUEUES:
            waiting.llen(name)
        if not any(waiting.execute()):
            return False
        if _mark_under_way(campaign):
            send("campaigns.recompute", campaign)
    except (OperationalError, RedisError, OSError) as error:
        logger.info("the broker is silent, campaign %s stays with its process: %s", campaign, error)
        return False
    return True


def forget_messages() -> None:
    """For a worker that starts: what one before it had fetched may be lost."""
    try:
        for key in broker().scan_iter(_under_way("*")):
            broker().delete(key)
    except RedisError as error:
        logger.info("the broker is silent, lost messages are found later: %s", error)


class RecomputeSender:
    """Sends recomputes from a thread of its own: no assessor waits for the broker, not even while connections
    to a dead one time out. `campaigns.catch_up` finds by the log what is lost with the process."""

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[RecomputeRequest | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def put(self, request: RecomputeRequest) -> None:
        self._requests.put(request)
        with self._starting:
            # Also after a fork, which copies the queue and no thread.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="broker", daemon=True)
                self._thread.start()
                atexit.register(self.close)

    def close(self) -> None:
        """Give what is still waiting a moment to leave."""
        self._requests.put(None)
        if self._thread is not None:
            self._thread.join(SECONDS_AT_EXIT)

    def _run(self) -> None:
        while (request := self._requests.get()) is not None:
            # Both need the interpreter's lock: let the reply to the judgment have it first.
            time.sleep(HEAD_START_SECONDS)
            waiting: list[RecomputeRequest | None] = [request]
            while not self._requests.empty():
                waiting.append(self._requests.get())
            for one in dict.fromkeys(waiting):
                if one is None:
                    return
                send_recompute(*one)


def send_recompute(campaign: int, configuration: int | None = None) -> None:
    """Queue a recompute now, if it is needed and the broker answers."""
    try:
        if configuration is not None or announce(campaign):
            send("campaigns.recompute", campaign, configuration)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("recompute of campaign %s not sent, the broker is silent: %s", campaign, error)
        if configuration is None:
            forget_message(campaign)


_recomputes = RecomputeSender()


def request_recompute(campaign: int, *, configuration: int | None = None) -> None:
    """Queue a recompute once the surrounding transaction has committed. With a configuration, the request is
    void once there is a newer one: of a hundred runs uploaded in a row, few need a rebuild."""
    transaction.on_commit(lambda: _recomputes.put((campaign, configuration)))


def reconfigure(campaign: Campaign) -> None:
    """Mark everything computed from an older configuration as stale, and have it computed again."""
    Campaign.objects.filter(id=campaign.id).update(configuration=F("configuration") + 1)
    campaign.refresh_from_db(fields=["configuration"])
    request_recompute(campaign.id, configuration=campaign.configuration)


def request_delivery(*, subject: str, body: str, address: str, switch_off: str = "") -> None:
    """Store an email in the surrounding transaction and have the worker send it after the commit. Where the
    broker is away, the periodic task does it later. `switch_off`: the link that stops such emails."""
    said = {"subject": subject, "body": body, "address": address, "switch_off": switch_off}
    WaitingEmail.objects.create(**said, next_try=timezone.now())
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


def request_indexing(collection: int) -> None:
    """Have the worker index a collection's texts once the surrounding transaction has committed. Where the
    broker is away, the periodic task does it later."""
    transaction.on_commit(
        lambda: _send_if_up("campaigns.index_documents", collection, lost="the search index waits")
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
