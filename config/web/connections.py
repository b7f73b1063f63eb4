"""Connections of the web server with deadlines: uvicorn waits for the head of a request without an end.

A connection is *unfinished* while its client owes something: the head of a request, or the rest of a body.
A head must be complete within `SLOW_CLIENT_SECONDS`, from its first byte or, on a new connection, from its
opening. Bodies have deadlines in `request_bodies`, and unread answers have one here. There are fewer
connections than files the process may open: a further one ends the oldest unfinished one.
"""

from __future__ import annotations

import asyncio
import resource
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from django.conf import settings
from uvicorn.protocols.http.h11_impl import H11Protocol

from config.web.client_disconnect import STALLED_SECONDS

LONGEST_HEAD = 1 << 16
# Also where the system allows more: each costs some 20 kB.
MOST_CONNECTIONS = 10_000
_ANSWER = "HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

if TYPE_CHECKING:
    _Protocol = H11Protocol
else:
    _Protocol = object


def raise_open_file_limit() -> None:
    """Raise the limit as far as the system allows: the usual 1,024 is few for a page's open event stream
    each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST_CONNECTIONS if hard == resource.RLIM_INFINITY else min(hard, 2 * MOST_CONNECTIONS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # Some systems have a further limit, below the one they name.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_connections() -> int:
    """Half of the files that may be open: a connection may need a temporary file, and threads need theirs."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else min(soft // 2, MOST_CONNECTIONS)


class Deadlines(_Protocol):
    """Deadlines that a protocol of uvicorn lacks."""

    # Of this process, oldest first.
    unfinished: dict[Deadlines, None] = {}

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _reader_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > most_connections() and not self._make_room():
            self._end("503 Service Unavailable")
            return
        self.unfinished[self] = None
        self._await_head()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        in_head = before is None or not before.more_body
        super().data_received(data)
        if self.cycle is not before:
            self._cancel_head_timer()
            self._head_bytes = 0
        elif in_head:
            self._head_bytes += len(data)
        if self._head_bytes > LONGEST_HEAD:
            self._end("431 Request Header Fields Too Large")
        self._note_progress()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._note_progress()
        self._watch_reader()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_head_timer()
        if self._reader_timer is not None:
            self._reader_timer.cancel()
        self.unfinished.pop(self, None)
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _note_progress(self) -> None:
        if self._is_idle or self.cycle.more_body:
            self.unfinished.setdefault(self)
        else:
            self.unfinished.pop(self, None)
        # The next head may begin before the last answer ends.
        begun = self._is_idle and self._head_bytes
        if begun and self._head_timer is None and not self.transport.is_closing():
            self._await_head()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(
            settings.SLOW_CLIENT_SECONDS, self._end, "408 Request Timeout"
        )

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _watch_reader(self) -> None:
        """A connection ends only when all is sent: without an end, if its client reads nothing."""
        waiting = self.transport.get_write_buffer_size()
        if waiting and self._reader_timer is None:
            self._reader_timer = self.loop.call_later(STALLED_SECONDS, self._check_reader, waiting)

    def _check_reader(self, waiting: int) -> None:
        self._reader_timer = None
        if self.transport.get_write_buffer_size() >= waiting:
            self.transport.abort()
        else:
            self._watch_reader()

    def _make_room(self) -> bool:
        """End the oldest unfinished connection; False where each is being answered."""
        oldest = next(iter(self.unfinished), None)
        if oldest is None:
            return False
        oldest._end("503 Service Unavailable")
        return True

    def _end(self, status: str) -> None:
        self._cancel_head_timer()
        self.unfinished.pop(self, None)
        # No client reads an answer to what it has not begun to ask, and one under way cannot be put off.
        if self._is_idle and self._head_bytes and not self.transport.is_closing():
            self.transport.write(_ANSWER.format(status).encode())
        self.transport.close()


class H11Connection(Deadlines, H11Protocol):
    pass


try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:
    Connection: type[asyncio.Protocol] = H11Connection
else:

    class HttpToolsConnection(Deadlines, HttpToolsProtocol):  # type: ignore[misc]
        pass

    Connection = HttpToolsConnection
