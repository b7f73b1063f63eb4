"""State that pages show beside the events, looked up once for all of them: the background services, and the
parts of the dashboard that the server writes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from math import inf

from django.db import DatabaseError

from campaigns.api.streaming.frames import KEEP_ALIVE, in_thread
from campaigns.api.streaming.listener import Listener, OverviewView
from campaigns.api.streaming.looks import DATABASE_DOWN, LiveState, Panel, look
from campaigns.exchange.versions import Version

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
# Panels are rendered again when what they show has changed, and after so long in any case: who judges now
# changes with time alone.
PARTS_SECONDS = 20.0
# While judgments stream in, looks are no closer than this, nor are the panels that a page gets.
HEARD_SECONDS = 2.0
# Pages that come one after the other are looked up together.
REST_SECONDS = 0.3
# A database that has not answered for so long is reported as down.
PATIENCE_SECONDS = 10.0


class Lookout:
    def __init__(self, campaign: int, listeners: set[Listener]) -> None:
        self._campaign, self._listeners = campaign, listeners
        self._wanted = asyncio.Event()
        self._parts: Mapping[OverviewView, Mapping[str, Panel]] = {}
        self._version: Version = ()
        self._parts_at = self._looked_at = -inf
        self._late: asyncio.Future[LiveState] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def hurry(self) -> None:
        """Look at once: a new listener has received nothing yet."""
        self._wanted.set()

    def hear(self) -> None:
        """Something has changed that pages show."""
        self._look_by(self._looked_at + HEARD_SECONDS)

    async def run(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), LOOK_SECONDS)
            self._wanted.clear()
            await asyncio.sleep(REST_SECONDS)
            try:
                self._tell(await self._look())
            except Exception:
                # Events go on without it, and so does the next look.
                logger.exception("could not look after campaign %s", self._campaign)

    def _look_by(self, when: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(when, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._wanted.set()

    async def _look(self) -> LiveState:
        if self._late is None:
            pages = [listener for listener in self._listeners if listener.page]
            self._looked_at = asyncio.get_running_loop().time()
            views = {listener.view for listener in pages}
            fresh = self._due() or any(view not in self._parts for view in views)
            if views and fresh:
                self._parts_at = self._looked_at
            tokens = frozenset(one.token for one in self._listeners if one.token is not None)
            sessions = frozenset(one.session for one in self._listeners if one.session is not None)
            looking = in_thread(
                look,
                self._campaign,
                health=bool(pages),
                views=views,
                known=() if fresh else self._version,
                tokens=tokens,
                sessions=sessions,
            )
            self._late = asyncio.ensure_future(looking)
        done, _ = await asyncio.wait([self._late], timeout=PATIENCE_SECONDS)
        if not done:
            return DATABASE_DOWN
        looked, self._late = self._late, None
        try:
            return looked.result()
        except DatabaseError as error:
            logger.warning("could not look after campaign %s: %s", self._campaign, error)
            return DATABASE_DOWN

    def _due(self) -> bool:
        return asyncio.get_running_loop().time() >= self._parts_at + PARTS_SECONDS

    def _tell(self, found: LiveState) -> None:
        if found.parts:
            # Views that no page has open are dropped.
            self._parts, self._version = found.parts, found.version
        for listener in list(self._listeners):
            if found.shuts_out(listener.user, listener.token or listener.session):
                listener.end()
            elif listener.page:
                listener.tell(found.health + self._new_to(listener))
            else:
                listener.tell(KEEP_ALIVE)

    def _new_to(self, listener: Listener) -> bytes:
        """The panels that show something else than those it has, at most every `HEARD_SECONDS`: as looks are,
        counted from their beginnings, or a quick look after a slow one would bring nothing."""
        own = self._parts.get(listener.view, {})
        new = [name for name, panel in own.items() if listener.given.get(name) != panel.shows]
        due = listener.given_at + HEARD_SECONDS if listener.given else -inf
        if new and self._looked_at < due:
            self._look_by(due)
        if not new or self._looked_at < due:
            return b""
        listener.given = {name: panel.shows for name, panel in own.items()}
        listener.given_at = self._looked_at
        return b"".join(own[name].written for name in new)
