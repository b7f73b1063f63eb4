"""One Redis subscription a process, however many pages listen."""

from __future__ import annotations

import asyncio
import json
import logging
from contextvars import Context
from typing import Any

import redis.asyncio as redis_async
from django.conf import settings
from redis.exceptions import RedisError

from campaigns.api.streaming.listener import Listener
from campaigns.api.streaming.room import Room
from campaigns.core.broker import channel
from campaigns.operations.process_metrics import LISTENERS

logger = logging.getLogger(__name__)


class Fanout:
    """Takes every published message to the room of its campaign, if it has listeners."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}
        self._reader: asyncio.Task[None] | None = None

    def enter(self, listener: Listener) -> None:
        name = channel(listener.campaign)
        room = self._rooms.setdefault(name, Room(listener.campaign))
        room.enter(listener)
        LISTENERS.inc()
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read(), context=Context())

    def leave(self, listener: Listener) -> None:
        name = channel(listener.campaign)
        room = self._rooms[name]
        room.leave(listener)
        LISTENERS.dec()
        if not room.listeners:
            del self._rooms[name]

    async def _read(self) -> None:
        while True:
            try:
                await self._follow()
            except (RedisError, OSError) as error:
                logger.warning("live events wait, the broker does not answer: %s", error)
                await asyncio.sleep(1)

    def _take(self, message: Any) -> None:
        if message["type"] == "psubscribe":
            # At first, and after a lost connection: what was published while no process
            # listened is in the rows.
            for room in self._rooms.values():
                room.miss()
        elif message["type"] == "pmessage":
            listened = self._rooms.get(message["channel"].decode())
            if listened is not None:
                listened.hear(json.loads(message["data"]))

    async def _follow(self) -> None:
        client = redis_async.Redis.from_url(settings.REDIS_URL)
        try:
            async with client.pubsub() as subscription:
                await subscription.psubscribe(channel("*"))
                async for message in subscription.listen():
                    self._take(message)
        finally:
            await client.aclose()


_fanouts: dict[asyncio.AbstractEventLoop, Fanout] = {}


def fanout() -> Fanout:
    return _fanouts.setdefault(asyncio.get_running_loop(), Fanout())
