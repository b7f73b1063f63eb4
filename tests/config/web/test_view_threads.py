"""How an answer crosses from its view's thread to the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from config.web.view_threads import AHEAD_BYTES, ViewThreads

SCOPE = {
    "type": "http",
    "method": "GET",
    "path": "/",
    "query_string": b"",
    "headers": [],
    "http_version": "1.1",
    "server": ("a", 1),
}


def sent_by(view: Any, on_message: Any = lambda message: None) -> list[Any]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)
        on_message(message)

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def serve() -> None:
        await ViewThreads(view, 1)(SCOPE, receive, send)

    # A thread of its own: Playwright keeps a loop running in this one.
    with ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: asyncio.run(asyncio.wait_for(serve(), 60))).result()
    return sent


def test_an_answer_of_known_length_goes_out_as_one() -> None:
    def view(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Length", "6")])
        yield b"one"
        yield b"two"

    start, body = sent_by(view)
    assert start["status"] == 200
    assert (body["body"], body.get("more_body", False)) == (b"onetwo", False)


def test_an_answer_of_unknown_length_goes_out_as_it_comes() -> None:
    heard = threading.Event()

    def view(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        yield b"one"
        # The first part is out before the second is made.
        assert heard.wait(60)
        yield b"two"

    def hear(message: Any) -> None:
        if message.get("body") == b"one":
            heard.set()

    sent = sent_by(view, hear)
    assert [message.get("body") for message in sent] == [None, b"one", b"two", b""]


def test_a_long_answer_of_known_length_is_not_held_whole() -> None:
    part = b"x" * (AHEAD_BYTES // 2)

    def view(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [("Content-Length", str(5 * len(part)))])
        for _ in range(5):
            yield part

    sent = sent_by(view)
    bodies = [message["body"] for message in sent[1:]]
    assert b"".join(bodies) == 5 * part
    assert max(map(len, bodies)) < 5 * len(part)
    assert sent[-1].get("more_body", False) is False


def test_an_answer_without_a_body_ends() -> None:
    def view(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("204 No Content", [("Content-Length", "0")])
        return iter(())

    assert [message["type"] for message in sent_by(view)] == ["http.response.start", "http.response.body"]
