"""All pages that follow one campaign: events are gathered and written out once for all of them."""

from __future__ import annotations

import asyncio
from contextvars import Context
from math import inf

from campaigns.api.streaming.frames import Batch, Message
from campaigns.api.streaming.listener import Listener
from campaigns.api.streaming.lookout import Lookout

# What comes within this time goes out in one piece: pages redraw no more often.
ROOM_GATHER_SECONDS = 0.1
# The more listen, the longer each piece takes to send, and the more waits for the next one.
SECONDS_A_LISTENER = 0.005
LONGEST_GATHERED = 1.0


def spacing(listeners: int) -> float:
    """Seconds from one piece to the next."""
    return min(max(ROOM_GATHER_SECONDS, SECONDS_A_LISTENER * listeners), LONGEST_GATHERED)


class Room:
    def __init__(self, campaign: int) -> None:
        self.listeners: set[Listener] = set()
        self._lookout = Lookout(campaign, self.listeners)
        self._looking: asyncio.Task[None] | None = None
        self._gathered: list[Message] = []
        self._timer: asyncio.TimerHandle | None = None
        self._delivered = -inf
        # The newest that was heard, and whether something before it was not.
        self._newest = 0
        self._missed = False

    def enter(self, listener: Listener) -> None:
        self.listeners.add(listener)
        self._lookout.hurry()
        if self._looking is None:
            # In a context of its own: that of the request that comes first ends with it.
            self._looking = asyncio.create_task(self._lookout.run(), context=Context())

    def leave(self, listener: Listener) -> None:
        self.listeners.discard(listener)
        if not self.listeners:
            self._close()

    def hear(self, message: Message) -> None:
        if message["id"] <= self._newest:
            # The broker received a later event first. That one was out of line, so both were read as rows.
            return
        self._missed = self._missed or message.get("before") != self._newest
        self._newest = message["id"]
        self._gathered.append(message)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            at = max(loop.time() + ROOM_GATHER_SECONDS, self._delivered + spacing(len(self.listeners)))
            self._timer = loop.call_at(at, self._deliver)

    @property
    def gathering(self) -> bool:
        return self._timer is not None

    def miss(self) -> None:
        """Something may have been published unheard."""
        for listener in self.listeners:
            listener.tell(None)

    def _deliver(self) -> None:
        self._timer = None
        self._delivered = asyncio.get_running_loop().time()
        # All that was heard is in the rows, and what was not heard yet, too.
        batch = None if self._missed else Batch.of(self._gathered)
        self._gathered, self._missed = [], False
        self._lookout.hear()
        for listener in self.listeners:
            listener.tell(batch)

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._looking is not None:
            self._looking.cancel()
