"""Server-sent events. One Redis subscription a process, however many pages listen; what is sent is
first a row, so a page that was away catches up by the last id it saw."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import redis.asyncio as redis_async
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import extend_schema
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.access import OrganiserView
from campaigns.api.problems import problem
from campaigns.api.shapes.results import Event as EventShape
from campaigns.api.shapes.results import EventsQuery
from campaigns.api.words import RESULTS
from campaigns.models import Event
from campaigns.services.events import channel

logger = logging.getLogger(__name__)

KEEP_ALIVE_SECONDS = 15
MOST_CAUGHT_UP = 500
MOST_WAITING = 1000
# What comes within this time goes out in one piece: pages redraw no more often.
GATHER_SECONDS = 0.1

Message = dict[str, Any]


class Fanout:
    """Hands every published message to the queues of the pages that listen to its campaign."""

    def __init__(self) -> None:
        self._queues: defaultdict[str, set[asyncio.Queue[Message | None]]] = defaultdict(set)
        self._reader: asyncio.Task[None] | None = None

    def listen(self, name: str) -> asyncio.Queue[Message | None]:
        queue: asyncio.Queue[Message | None] = asyncio.Queue(MOST_WAITING)
        self._queues[name].add(queue)
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read())
        return queue

    def leave(self, name: str, queue: asyncio.Queue[Message | None]) -> None:
        self._queues[name].discard(queue)
        if not self._queues[name]:
            del self._queues[name]

    async def _read(self) -> None:
        while True:
            try:
                await self._follow()
            except (RedisError, OSError) as error:
                logger.warning("live events wait, the broker does not answer: %s", error)
                await asyncio.sleep(1)

    async def _follow(self) -> None:
        client = redis_async.Redis.from_url(settings.REDIS_URL)
        try:
            async with client.pubsub() as subscription:
                await subscription.psubscribe(channel("*"))
                # Whatever was published while nobody listened is in the rows.
                self._tell_all(None)
                async for message in subscription.listen():
                    if message["type"] == "pmessage":
                        told = json.loads(message["data"])
                        # Written out once, however many pages it goes to.
                        told["frame"] = _frame(told)
                        self._tell(message["channel"].decode(), told)
        finally:
            await client.aclose()

    def _tell_all(self, message: Message | None) -> None:
        for name in list(self._queues):
            self._tell(name, message)

    def _tell(self, name: str, message: Message | None) -> None:
        for queue in self._queues.get(name, ()):
            if queue.full():
                # A page that cannot keep up reads the rows instead.
                while not queue.empty():
                    queue.get_nowait()
                message = None
            queue.put_nowait(message)


_fanouts: dict[asyncio.AbstractEventLoop, Fanout] = {}


def fanout() -> Fanout:
    return _fanouts.setdefault(asyncio.get_running_loop(), Fanout())


@csrf_exempt
async def events(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    if request.method != "GET":
        refused = problem("method_not_allowed", gettext("events are read with GET"))
        headers = {"Allow": "GET"}
        return JsonResponse(refused, status=405, content_type="application/problem+json", headers=headers)
    answer = await sync_to_async(_ask)(request, slug)
    if isinstance(answer, HttpResponse):
        return answer
    response = StreamingHttpResponse(_stream(answer, _last_seen(request)), content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


class EventsView(OrganiserView):
    """Who may follow a campaign: asked as of every other view, before the stream itself begins."""

    queries = {"GET": EventsQuery}

    @extend_schema(
        operation_id="follow_events",
        summary="Live events",
        description="Server-sent events: `judgment`, `intervals`, `status` and others, each with an id. "
        "`Last-Event-ID` goes on behind one.",
        tags=[RESULTS],
        responses={(200, "text/event-stream"): EventShape},
    )
    def get(self, request: Request, slug: str) -> Response:
        return Response({"campaign": self.campaign.id})


# Each stream's thread lives as long as the stream: it must not keep a database connection for so long.
def _ask(request: HttpRequest, slug: str) -> int | HttpResponse:
    """The campaign's id, or the answer to somebody who may not follow it."""
    try:
        answer = EventsView.as_view()(request, slug=slug)
        if answer.status_code == 200:
            return int(answer.data["campaign"])
        refusal: HttpResponse = answer.render()
        return refusal
    finally:
        connection.close()


def _last_seen(request: HttpRequest) -> int | None:
    value = request.headers.get("Last-Event-ID", request.GET.get("last_event_id", ""))
    return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else None


async def _stream(campaign: int, last_seen: int | None) -> AsyncIterator[bytes]:
    name = channel(campaign)
    # Listen first, then read the rows: what comes in between is seen twice and sent once.
    queue = fanout().listen(name)
    try:
        seen = await _newest(campaign) if last_seen is None else last_seen
        yield b"retry: 2000\n\n"
        for message in await _rows(campaign, seen):
            seen = message["id"]
            yield _frame(message)
        while True:
            try:
                first = await asyncio.wait_for(queue.get(), KEEP_ALIVE_SECONDS)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if queue.empty():
                await asyncio.sleep(GATHER_SECONDS)
            gathered = [first, *(queue.get_nowait() for _ in range(queue.qsize()))]
            known = [message for message in gathered if message is not None]
            fresh = known if len(known) == len(gathered) else await _rows(campaign, seen)
            later = sorted((row for row in fresh if row["id"] > seen), key=lambda row: row["id"])
            if later:
                seen = later[-1]["id"]
                yield b"".join(message.get("frame") or _frame(message) for message in later)
    finally:
        fanout().leave(name, queue)


def _frame(message: Message) -> bytes:
    data = json.dumps(message["data"])
    return f"id: {message['id']}\nevent: {message['kind']}\ndata: {data}\n\n".encode()


async def _newest(campaign: int) -> int:
    return await sync_to_async(_read_newest)(campaign)


def _read_newest(campaign: int) -> int:
    try:
        newest = Event.objects.filter(campaign_id=campaign).order_by("-id")
        return newest.values_list("id", flat=True).first() or 0
    finally:
        connection.close()


async def _rows(campaign: int, after: int) -> list[Message]:
    return await sync_to_async(_read_rows)(campaign, after)


def _read_rows(campaign: int, after: int) -> list[Message]:
    try:
        rows = Event.objects.filter(campaign_id=campaign, id__gt=after).order_by("-id")[:MOST_CAUGHT_UP]
        found = [{"id": row.id, "kind": row.kind, "data": row.data} for row in rows]
        return found[::-1]
    finally:
        connection.close()
