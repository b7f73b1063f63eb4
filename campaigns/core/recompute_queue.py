"""Messages that have a worker process recompute a campaign, and the hold of the process that follows one."""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import time
from types import TracebackType
from typing import Self

from django.db import transaction
from django.db.models import F
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from campaigns.core.broker import broker
from campaigns.core.jobs import send
from campaigns.models import Campaign

logger = logging.getLogger(__name__)

SECONDS_AT_EXIT = 1.0
HEAD_START_SECONDS = 0.004
# After so long a process that has a campaign in hand is taken to be lost, and a message to one: where many
# campaigns are judged, messages wait.
IN_HAND_SECONDS, UNDER_WAY_SECONDS = 2, 20
# A mark whose message was never sent, because its process was killed in between, lasts only so long.
UNSENT_SECONDS = 2
# The queues whose messages a process gives way to. The Lab's trials have time.
URGENT_QUEUES = ("campaigns", "pulse", "webhooks")

# A campaign, and the configuration for which a recompute was requested.
RecomputeRequest = tuple[int, int | None]


def _in_hand(campaign: int) -> str:
    return f"in-hand:{campaign}"


def _under_way(campaign: int | str) -> str:
    return f"under-way:{campaign}"


class CampaignBusy(Exception):
    """Another process is computing this campaign; it looks at the log again after it has let go."""


class CampaignInHand:
    """A process's hold on a campaign: while it lasts, commits send no message.

    `with CampaignInHand(campaign) as hand:` takes hold, and lets go at the end. A commit just before that
    sent no message: if `hand.is_free` then, the process looks at the log once more. It is not free where it
    was handed over, or where another process turned out to have it (CampaignBusy, which ends here).
    `announced`: the message that was under way has brought the process here.
    """

    def __init__(self, campaign: int, *, announced: bool = False) -> None:
        self.is_free = False
        # The hold is renewed after that.
        self._kept_until = 0.0
        self._campaign, self._announced, self._handed_over = campaign, announced, False

    def __enter__(self) -> Self:
        self.keep()
        if self._announced:
            _delete(_under_way(self._campaign))
        return self

    def keep(self) -> None:
        """Called again and again: a hold that nobody renews ends after IN_HAND_SECONDS."""
        if time.monotonic() < self._kept_until:
            return
        self._kept_until = time.monotonic() + IN_HAND_SECONDS / 8
        try:
            broker().set(_in_hand(self._campaign), 1, ex=IN_HAND_SECONDS)
        except RedisError as error:
            logger.info("the broker is silent, others may compute campaign %s: %s", self._campaign, error)

    def give_way(self) -> bool:
        """If messages wait, which means that all processes are busy, have one for this campaign wait behind
        them, and return True: the process has to leave it. Else two campaigns that are judged without a pause
        would hold two processes for ever."""
        try:
            waiting = broker().pipeline(transaction=False)
            for name in URGENT_QUEUES:
                waiting.llen(name)
            if not any(waiting.execute()):
                return False
            _send_marked(self._campaign)
        except (OperationalError, RedisError, OSError) as error:
            logger.info("the broker is silent, campaign %s stays with its process: %s", self._campaign, error)
            return False
        self._handed_over = True
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        busy = isinstance(error, CampaignBusy)
        self.is_free = not busy and not self._handed_over
        if self.is_free:
            _delete(_in_hand(self._campaign))
        return busy


def _send_marked(campaign: int) -> None:
    """Queue a message unless one is under way. It is marked before it can arrive; the mark of a message that
    is not sent goes."""
    mark = _under_way(campaign)
    if not broker().set(mark, 1, nx=True, ex=UNSENT_SECONDS):
        return
    try:
        send("campaigns.recompute", campaign)
    except Exception:
        _delete(mark)
        raise
    broker().expire(mark, UNDER_WAY_SECONDS)


def _delete(key: str) -> None:
    try:
        broker().delete(key)
    except RedisError as error:
        logger.info("the broker is silent, %s ends by itself: %s", key, error)


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
    """Queue a recompute now if the broker answers, unless a process has the campaign in hand or a message to
    one is under way: a second process would only do the same work again, or find the campaign locked. With a
    configuration it is always queued."""
    try:
        if configuration is not None:
            send("campaigns.recompute", campaign, configuration)
        elif not broker().exists(_in_hand(campaign)):
            _send_marked(campaign)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("recompute of campaign %s not sent, the broker is silent: %s", campaign, error)


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
