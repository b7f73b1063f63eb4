"""Threads for views, which neither slow senders nor slow readers hold.

A view finds the whole body of its request. Its answer goes to a queue, `AHEAD_BYTES` ahead of the client at
most: all but long downloads leave their thread at once, however slowly they are read.
"""

from __future__ import annotations

import threading
from typing import Any

from a2wsgi import WSGIMiddleware
from a2wsgi.wsgi import WSGIResponder

# Where a view's thread finds the body, in the request's scope.
BODY_KEY = "assess.body"
# More than any page, script or style has.
AHEAD_BYTES = 2 << 20
_NO_LIMIT = 0


class ViewThreads(WSGIMiddleware):
    def __init__(self, wsgi: Any, threads: int) -> None:
        def with_whole_body(environ: Any, start_response: Any) -> Any:
            body = environ["asgi.scope"].get(BODY_KEY)
            if body is not None:
                environ["wsgi.input"] = body
            return wsgi(environ, start_response)

        super().__init__(with_whole_body, workers=threads)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await ViewResponder(self.app, self.executor, _NO_LIMIT)(scope, receive, send)


class ViewResponder(WSGIResponder):
    """One view's answer, on its way from the thread to the event loop."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._progress = threading.Condition()
        self._ahead = 0
        self._ended = False
        # Whether the answer names its length, and what of it waits for the rest.
        self._has_length = False
        self._waiting: list[Any] = []

    def send(self, message: Any) -> None:
        """Called by the view's thread. An answer of known length goes to the event loop as one: each crossing
        costs two changes of threads, and its thread waits for none of them."""
        with self._progress:
            self._progress.wait_for(lambda: self._ahead <= AHEAD_BYTES or self._ended)
            self._ahead += _size(message)
            fits = self._ahead <= AHEAD_BYTES
        if message["type"] == "http.response.start":
            self._has_length = any(name == b"content-length" for name, _ in message["headers"])
            ends = False
        else:
            ends = not message.get("more_body", False)
        self._waiting.append(message)
        if self._has_length and fits and not ends:
            return
        self.loop.call_soon_threadsafe(self._queue, self._waiting)
        self._waiting = []

    def _queue(self, messages: list[Any]) -> None:
        for message in _joined(messages):
            self.send_queue.put_nowait(message)

    async def sender(self, send: Any) -> None:
        try:
            while (message := await self.send_queue.get()) is not None:
                await send(message)
                with self._progress:
                    self._ahead -= _size(message)
                    self._progress.notify()
        finally:
            # Or the thread would wait for ever.
            with self._progress:
                self._ended = True
                self._progress.notify()


def _joined(messages: list[Any]) -> list[Any]:
    """The same with the parts of the body, which follow one another, as one."""
    parts = [message for message in messages if message["type"] == "http.response.body"]
    if len(parts) < 2:
        return messages
    whole = {**parts[-1], "body": b"".join(part["body"] for part in parts)}
    return [*(message for message in messages if message not in parts), whole]


def _size(message: Any) -> int:
    return len(message.get("body", b""))
