"""Frames of the event stream. Events are rows and carry their id. Health and parts of the dashboard are no
rows and carry none, so the last id that a page saw stays the last row's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from django.db import close_old_connections

from campaigns.models import Event

# Rows that are read together.
MOST_AT_ONCE = 500
KEEP_ALIVE = b": still here\n\n"

Message = dict[str, Any]
ReadParams = ParamSpec("ReadParams")
ReadResult = TypeVar("ReadResult")


def frame(message: Message) -> bytes:
    return b"id: %d\n" % message["id"] + unnumbered_event(message["kind"], message["data"])


def unnumbered_event(kind: str, data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode()


@dataclass(frozen=True)
class Batch:
    """Events that go out in one piece, written out once for all pages; `whole` is all of them joined."""

    events: list[tuple[int, bytes]]
    whole: bytes

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Batch:
        """Batch of messages in order."""
        events = [(one["id"], frame(one)) for one in messages]
        return cls(events, b"".join(written for _, written in events))

    @property
    def first(self) -> int:
        return self.events[0][0]

    @property
    def last(self) -> int:
        return self.events[-1][0]

    def after(self, seen: int) -> bytes:
        return b"".join(written for id, written in self.events if id > seen)


# Of all streams together; their database connections last, as those of the web's threads do.
THREADS = 4
threads = ThreadPoolExecutor(THREADS, thread_name_prefix="streams")


async def in_thread(
    read: Callable[ReadParams, ReadResult], *given: ReadParams.args, **named: ReadParams.kwargs
) -> ReadResult:
    def reading() -> ReadResult:
        close_old_connections()
        try:
            return read(*given, **named)
        finally:
            close_old_connections()

    return await asyncio.get_running_loop().run_in_executor(threads, reading)


def newest(campaign: int) -> int:
    ids = Event.objects.filter(campaign_id=campaign).order_by("-id").values_list("id", flat=True)
    return ids.first() or 0


def first_after(campaign: int, seen: int) -> list[Message]:
    rows = Event.objects.filter(campaign_id=campaign, id__gt=seen).order_by("id")[:MOST_AT_ONCE]
    return [_message(row) for row in rows]


def newest_after(campaign: int, seen: int) -> list[Message]:
    rows = Event.objects.filter(campaign_id=campaign, id__gt=seen).order_by("-id")[:MOST_AT_ONCE]
    return [_message(row) for row in rows][::-1]


def _message(row: Event) -> Message:
    return {"id": row.id, "kind": row.kind, "data": row.data}
