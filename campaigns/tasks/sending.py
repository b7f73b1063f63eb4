"""Sends wishes to the broker from a thread of its own: nobody who judges waits for it, not even while a
dead broker lets connections time out. What is lost with the process, `catch_up` finds by the log."""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import time
from collections.abc import Callable

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

SECONDS_AT_EXIT = 1.0
HEAD_START_SECONDS = 0.004

Wish = tuple[int, int | None]


class Sender:
    def __init__(self, send: Callable[[Wish], None]) -> None:
        self._send = send
        self._wishes: queue.SimpleQueue[Wish | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def put(self, wish: Wish) -> None:
        self._wishes.put(wish)
        with self._starting:
            # Also after a fork, which copies the queue and no thread.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="broker", daemon=True)
                self._thread.start()
                atexit.register(self.close)

    def close(self) -> None:
        """Give what is still waiting a moment to leave."""
        self._wishes.put(None)
        if self._thread is not None:
            self._thread.join(SECONDS_AT_EXIT)

    def _run(self) -> None:
        while (wish := self._wishes.get()) is not None:
            # Both need the interpreter's lock: let the reply to the judgment have it first.
            time.sleep(HEAD_START_SECONDS)
            try:
                self._send(wish)
            except (OperationalError, RedisError, OSError) as error:
                logger.warning("recompute of campaign %s not sent, the broker is silent: %s", wish[0], error)
