"""One page's stream: what waits for it, and how it catches up where something may be missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from math import inf

from campaigns.api.streaming.frames import MOST_AT_ONCE, Batch, first_after, in_thread, newest, newest_after
from campaigns.results.topic_scope import TopicScope

MOST_WAITING = 100
# Language, and topics of which scores are means.
OverviewView = tuple[str, TopicScope]


class Listener:
    """`token`: the id of a program's API token; `session`: the key of a browser's session; `page`: whether it
    also shows health and the dashboard's panels, in its `language` and with scores over its `topics`."""

    def __init__(
        self,
        campaign: int,
        user: int,
        *,
        token: int | None = None,
        session: str | None = None,
        page: bool = False,
        language: str = "",
        topics: TopicScope = "all",
    ) -> None:
        self.token, self.session = token, session
        self.campaign, self.user, self.page, self.language = campaign, user, page, language
        self.view: OverviewView = language, topics
        # What its panels show, by their names, and when the look began that last changed them.
        self.given: dict[str, str] = {}
        self.given_at = -inf
        # Batches, ready bytes, or None: something may be missing, so the rows are read.
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
        """Events after the last seen, or those to come. The listener must be in its room already: events that
        arrive while the rows are read are seen twice and sent once."""
        latest = await in_thread(newest, self.campaign)
        # An id that was never given, as of a restored site, must not hide what comes.
        self._seen = latest if last_seen is None else min(last_seen, latest)
        async for piece in self._missed():
            yield piece
        while True:
            waiting = [await self._waiting.get()]
            if self._ended:
                return
            while not self._waiting.empty():
                waiting.append(self._waiting.get_nowait())
            async for piece in self._written(waiting):
                yield piece

    async def _written(self, waiting: Iterable[Batch | bytes | None]) -> AsyncIterator[bytes]:
        """In one piece, but for what has to be read."""
        gathered = b""
        for what in waiting:
            if what is None:
                async for piece in self._missed():
                    yield gathered + piece
                    gathered = b""
            else:
                gathered += what if isinstance(what, bytes) else self._new_of(what)
        if gathered:
            yield gathered

    def _new_of(self, batch: Batch) -> bytes:
        self._in_step = self._in_step or batch.first > self._seen
        piece = batch.whole if self._in_step else batch.after(self._seen)
        self._seen = max(self._seen, batch.last)
        return piece

    async def _missed(self) -> AsyncIterator[bytes]:
        """A page shows how things are now: of very many it gets the newest. A program gets all that are
        kept, some at a time."""
        self._in_step = False
        read = newest_after if self.page else first_after
        while rows := await in_thread(read, self.campaign, self._seen):
            batch = Batch.of(rows)
            self._seen = batch.last
            yield batch.whole
            if self.page or len(rows) < MOST_AT_ONCE:
                return
