"""One page's stream: what waits for it, and how it catches up where something may be missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from campaigns.streaming.frames import Batch, in_thread, newest, rows_after

MOST_WAITING = 100


class Listener:
    """`token`: the id of the one by which a program follows; `page`: a page that also shows what is told
    beside the events, in its `language`; `given`: the parts of that as they were told last."""

    def __init__(
        self,
        campaign: int,
        user: int,
        *,
        token: int | None = None,
        page: bool = False,
        language: str = "",
    ) -> None:
        self.token = token
        self.campaign, self.user, self.page, self.language = campaign, user, page, language
        self.given: dict[str, bytes] = {}
        # Batches, ready bytes, or None: something may be missing, the rows tell.
        self._waiting: asyncio.Queue[Batch | bytes | None] = asyncio.Queue(MOST_WAITING)
        self._ended = False
        self._seen = 0
        # Whether all of a batch is new here.
        self._in_step = False

    def tell(self, what: Batch | bytes | None) -> None:
        if self._waiting.full():
            # A page that cannot keep up reads the rows instead.
            while not self._waiting.empty():
                self._waiting.get_nowait()
            self.given = {}
            what = None
        self._waiting.put_nowait(what)

    def end(self) -> None:
        self._ended = True
        self.tell(None)

    async def stream(self, last_seen: int | None) -> AsyncIterator[bytes]:
        """Events after the last seen, or those to come. It must be told of new ones already: what comes in
        while the rows are read is seen twice and sent once."""
        self._seen = await in_thread(newest, self.campaign) if last_seen is None else last_seen
        piece = await self._missed()
        while True:
            if piece:
                yield piece
            waiting = [await self._waiting.get()]
            if self._ended:
                return
            while not self._waiting.empty():
                waiting.append(self._waiting.get_nowait())
            piece = b"".join([await self._written(what) for what in waiting])

    async def _written(self, what: Batch | bytes | None) -> bytes:
        if what is None:
            return await self._missed()
        if isinstance(what, bytes):
            return what
        self._in_step = self._in_step or what.first > self._seen
        piece = what.whole if self._in_step else what.after(self._seen)
        self._seen = max(self._seen, what.last)
        return piece

    async def _missed(self) -> bytes:
        self._in_step = False
        rows = await in_thread(rows_after, self.campaign, self._seen)
        if not rows:
            return b""
        batch = Batch.of(rows)
        self._seen = batch.last
        return batch.whole
