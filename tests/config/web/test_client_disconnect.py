"""Who stops listening to a long download frees the thread and the transaction that made it."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection

from campaigns.exchange.exports import EXPORTS
from campaigns.models import Campaign
from config.web.client_disconnect import DisconnectMonitor
from config.web.view_threads import ViewThreads
from tests.campaigns.computing.test_live_loop import Person
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_for

ACTS = 60_000
# More than the sockets hold on both sides together.
BYTES = 15_000_000

_ACTS = """
INSERT INTO campaigns_judgment (id, campaign_id, sequence, topic_id, document_id, assessor_id, grade, reason,
  undo, adjudication, method, stale_claim, topic_revision, created)
SELECT gen_random_uuid(), %(campaign)s, n, t.id, d.id, %(assessor)s, n %% 3, '', false, false, 'C', false, 1,
  now()
FROM generate_series(1, %(acts)s) n,
  (SELECT id FROM campaigns_topic WHERE campaign_id = %(campaign)s LIMIT 1) t,
  (SELECT id FROM campaigns_document WHERE collection_id = %(collection)s LIMIT 1) d
"""
_SENDING = (
    "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%' AND query LIKE 'FETCH%%'"
)


def with_long_log() -> Campaign:
    campaign = make_campaign()
    assessor = User.objects.get(username="Small-grace").id
    given = {
        "campaign": campaign.id,
        "collection": campaign.collection_id,
        "assessor": assessor,
        "acts": ACTS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ACTS, given)
    return campaign


def sending() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_SENDING)
        return int(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_a_client_that_hangs_up_in_the_middle(live_site: str) -> None:
    campaign = with_long_log()
    assert sum(map(len, EXPORTS["judgments-jsonl"].lines(campaign, ""))) > BYTES
    ada = Person(live_site, "Small-ada")
    host, port = urlsplit(live_site).netloc.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:
        path = "/campaigns/small/exports/judgments-jsonl/"
        head = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {ada.cookie}\r\n\r\n"
        client.sendall(head.encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        # The client stops reading: it waits in the middle, with its transaction.
        wait_for(lambda: sending() == 1)
    wait_for(lambda: sending() == 0)


def _run(served: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own: where a browser was before, this one has a loop already."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, served).result()


async def _served(app: Any, receive: Any, send: Any, stalled_seconds: float = 60) -> None:
    scope = {"type": "http", "method": "GET"}
    await DisconnectMonitor(app, stalled_seconds)(scope, receive, send)


def test_a_client_that_stops_reading_is_given_up() -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        gone: threading.Event = scope["assess.gone"]
        while not gone.is_set():
            await send({"type": "http.response.body", "body": b"more", "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Any) -> None:
        if len(sent) == 5:
            await asyncio.Event().wait()
        sent.append(message)

    async def receive() -> Any:
        await asyncio.Event().wait()

    _run(_served(app, receive, send, stalled_seconds=0.05))
    # Cut off, and never ended as if it were whole.
    assert [message["type"] for message in sent] == ["http.response.start", *["http.response.body"] * 4]
    assert sent[-1]["more_body"]


def test_an_answer_that_cannot_be_sent_frees_its_thread() -> None:
    ended = threading.Event()

    def view(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        # More than waits in between.
        for _ in range(100):
            yield b"more"
        ended.set()

    async def send(message: Any) -> None:
        raise RuntimeError("refused")

    async def receive() -> Any:
        await asyncio.Event().wait()

    scope = {"path": "/", "query_string": b"", "headers": [], "http_version": "1.1", "server": ("a", 1)}

    async def served() -> None:
        app = DisconnectMonitor(ViewThreads(view, 1))
        await app({"type": "http", "method": "GET", **scope}, receive, send)

    _run(asyncio.wait_for(served(), 60))
    assert ended.is_set()


@pytest.mark.parametrize("length", [b"4", None])
def test_an_answer_of_known_length_is_watched_by_nobody(length: bytes | None) -> None:
    asked: list[float] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [] if length is None else [(b"Content-Length", length)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b"more"})

    async def send(message: Any) -> None:
        pass

    async def receive() -> Any:
        asked.append(time.monotonic())
        return await asyncio.Event().wait()

    _run(_served(app, receive, send))
    assert len(asked) == (length is None)
