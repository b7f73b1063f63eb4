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
        await Answer(self.app, self.executor, _NO_LIMIT)(scope, receive, send)


class Answer(WSGIResponder):
    """One view's answer, on its way from the thread to the event loop."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._progress = threading.Condition()
        self._ahead = 0
        self._ended = False

    def send(self, message: Any) -> None:
        """Called by the view's thread."""
        with self._progress:
            self._progress.wait_for(lambda: self._ahead <= AHEAD_BYTES or self._ended)
            self._ahead += _size(message)
        # It waits until the event loop has the message, so the interpreter's lock goes there at once.
        super().send(message)

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


def _size(message: Any) -> int:
    return len(message.get("body", b""))
