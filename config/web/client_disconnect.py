"""Long downloads end when their client has gone.

A view runs on a thread and cannot see that its client has gone: it would go on to the end, holding the thread
and a transaction. So while an answer of unknown length is sent, a task waits for the client to hang up, and
ends one that has stopped reading; an answer that the server refuses to send has no reader either. The view
finds all of it as an event in its request.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

from campaigns.core.client_disconnect import DISCONNECT_KEY

logger = logging.getLogger(__name__)

STALLED_SECONDS = 60.0


class DisconnectMonitor:
    def __init__(self, app: Any, stalled_seconds: float = STALLED_SECONDS) -> None:
        self.app = app
        self.stalled_seconds = stalled_seconds

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        gone = threading.Event()
        watch: asyncio.Task[None] | None = None

        async def send_on(message: Any) -> None:
            nonlocal watch
            if gone.is_set():
                return
            try:
                async with asyncio.timeout(self.stalled_seconds):
                    await send(message)
            except TimeoutError:
                gone.set()
            except Exception:
                # Raised on, it would end who sends, and the view would wait for them without an end.
                logger.exception("an answer could not be sent")
                gone.set()
            if watch is None and scope["method"] == "GET" and _is_endless(message):
                watch = asyncio.create_task(_wait_for_hangup(receive, gone))

        try:
            await self.app({**scope, DISCONNECT_KEY: gone}, receive, send_on)
        finally:
            if watch is not None:
                watch.cancel()


def _is_endless(message: Any) -> bool:
    """True if the message begins a response of unknown length. By then a GET has read all it will read."""
    if message["type"] != "http.response.start" or message["status"] in (204, 304):
        return False
    return all(name.lower() != b"content-length" for name, _ in message["headers"])


async def _wait_for_hangup(receive: Any, gone: threading.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()
