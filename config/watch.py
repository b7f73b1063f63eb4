"""The web server looks after the worker: a silent worker cannot tell of itself."""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, connections

logger = logging.getLogger(__name__)

SECONDS = 30.0


class Watch:
    """A thread that looks every now and then, until it is stopped. Several web servers may each have one."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        # Models can be imported only once the applications are ready.
        from campaigns.notifications.notices import look_after_worker

        while not self._stopped.wait(self._seconds):
            try:
                look_after_worker()
            except DatabaseError as error:
                logger.warning("could not look after the worker: %s", error)
            finally:
                connections.close_all()
