"""Request bodies are read whole before a thread is taken, so slow clients hold no thread.

Each request may send `SMALL_BYTES`. More is stored only for an account, and only as much as the address
accepts.
Bodies wait in memory, longer ones in a temporary file without a name. A client must send some bytes every
`SLOW_CLIENT_SECONDS`, and `LEAST_RATE` on average.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import IO, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from campaigns.core.database import is_disk_full
from config.web.refusals import API, REFUSED_KEY, Reason, RefusedBody, slow_body, unknown_sender
from config.web.upload_addresses import (
    Sender,
    UploadAddress,
    find_sender,
    header,
    names_sender,
    upload_address,
)
from config.web.view_threads import BODY_KEY

SMALL_BYTES = 1 << 16
IN_MEMORY_BYTES = 1 << 18
# Bytes per second. Every network that shows a page is faster.
LEAST_RATE = 1000
# A refused client may go on sending so much: to hang up at once would lose the answer on its way.
LINGER_SECONDS = 20.0
LINGER_BYTES = 64 << 20

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ClientGoneError(Exception):
    """The client hung up before its body was complete."""


@dataclass(frozen=True)
class RequestBodies:
    """ASGI applications for pages and for uploads behind one that reads bodies. `threads` look up senders."""

    pages: Any
    uploads: Any
    threads: Executor
    slow_seconds: float

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        headers = scope["headers"]
        if header(headers, b"transfer-encoding"):
            # The site reads no body of unknown length.
            await self._answer_unread(scope, receive, send)
            return
        declared = int(header(headers, b"content-length") or 0)
        if not declared:
            await self._answer(self.pages, scope, io.BytesIO(), receive, send)
            return
        address = upload_address(scope["method"], scope["path"], headers)
        if declared > SMALL_BYTES:
            refused = await self._refusal(scope, declared, address)
            if refused is not None:
                await self._refuse(refused, scope, receive, send)
                return
        await self._spool(scope, declared, address, receive, send)

    async def _refusal(self, scope: Any, declared: int, address: UploadAddress | None) -> RefusedBody | None:
        """Refuse a body that is not to be stored, with the reason; None where it is stored."""
        sender = Sender.UNKNOWN
        if names_sender(scope["headers"]):
            loop = asyncio.get_running_loop()
            sender = await loop.run_in_executor(self.threads, find_sender, scope["headers"], address)
        if sender is Sender.UNKNOWN:
            return RefusedBody(Reason.NO_SENDER)
        if sender is Sender.NOT_ADMITTED:
            return RefusedBody(Reason.NOT_ADMITTED)
        most = address.max_bytes if address else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return RefusedBody(Reason.TOO_LARGE, most) if declared > most else None

    async def _refuse(self, refused: RefusedBody, scope: Any, receive: Receive, send: Send) -> None:
        if refused.reason is Reason.NO_SENDER and scope["path"].startswith(API):
            await _send(unknown_sender, scope, receive, send)
        else:
            await self._answer_unread(scope, receive, send, refused)

    async def _spool(
        self, scope: Any, declared: int, address: UploadAddress | None, receive: Receive, send: Send
    ) -> None:
        body: IO[bytes] | None = None
        try:
            body = await read_body(receive, declared, self.slow_seconds)
        except ClientGoneError:
            return
        except TimeoutError:
            await _send(slow_body, scope, receive, send)
            return
        except OSError as error:
            if not is_disk_full(error):
                raise
            await self._answer_unread(scope, receive, send, RefusedBody(Reason.NO_ROOM))
            return
        with body:
            await self._answer(self.uploads if address else self.pages, scope, body, receive, send)

    async def _answer(self, app: Any, scope: Any, body: IO[bytes], receive: Receive, send: Send) -> None:
        await app({**scope, BODY_KEY: body}, receive, send)

    async def _answer_unread(
        self, scope: Any, receive: Receive, send: Send, refused: RefusedBody | None = None
    ) -> None:
        """Answer as to an empty body, and end the connection."""
        scope = {**_without_length(scope), REFUSED_KEY: refused}

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            elif not message.get("more_body", False):
                # The answer is out, but the server may hang up only after its end.
                await send({**message, "more_body": True})
                await _discard(receive)
                message = {"type": "http.response.body"}
            await send(message)

        await self._answer(self.pages, scope, io.BytesIO(), receive, send_on)


async def read_body(receive: Receive, declared: int, slow_seconds: float) -> IO[bytes]:
    """Read a body of `declared` bytes. Raises ClientGoneError, TimeoutError for a slow client, OSError."""
    now = asyncio.get_running_loop().time
    spool, begun, more = Spool(declared), now(), True
    try:
        while more:
            earned = begun + slow_seconds + spool.received / LEAST_RATE
            async with asyncio.timeout_at(min(now() + slow_seconds, earned)):
                message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            await spool.add(message.get("body", b""))
            more = message.get("more_body", False)
        return await spool.finish()
    except BaseException:
        spool.discard()
        raise


class Spool:
    """A body on its way in. Threads write the file: a slow disk must not stop the event loop."""

    threads = ThreadPoolExecutor(2, thread_name_prefix="spool")

    def __init__(self, declared: int) -> None:
        self.received = 0
        self._in_file = declared > IN_MEMORY_BYTES
        self._waiting = bytearray()
        self._file: IO[bytes] | None = None

    async def add(self, piece: bytes) -> None:
        self.received += len(piece)
        self._waiting += piece
        if self._in_file and len(self._waiting) >= IN_MEMORY_BYTES:
            await self._write()

    async def finish(self) -> IO[bytes]:
        if not self._in_file:
            return io.BytesIO(self._waiting)
        await self._write()
        assert self._file is not None
        self._file.seek(0)
        return self._file

    def discard(self) -> None:
        if self._file is not None:
            self._file.close()

    async def _write(self) -> None:
        piece, self._waiting = self._waiting, bytearray()
        await asyncio.get_running_loop().run_in_executor(self.threads, self._write_now, piece)

    def _write_now(self, piece: bytearray) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115
        self._file.write(piece)
        self._file.flush()


def without_body(scope: Any, receive: Receive) -> tuple[Any, Receive]:
    """The same request, with an empty body. Django would store a body of any length."""
    begun = False

    async def receive_rest() -> Message:
        nonlocal begun
        if not begun:
            begun = True
            return {"type": "http.request", "body": b"", "more_body": False}
        while (message := await receive())["type"] != "http.disconnect":
            pass
        return message

    return _without_length(scope), receive_rest


def _without_length(scope: Any) -> Any:
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"content-length"]}


async def _discard(receive: Receive) -> None:
    left = LINGER_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while left > 0 and (message := await receive()).get("more_body", False):
                left -= len(message["body"])


async def _send(
    answer_to: Callable[[HttpRequest], HttpResponse], scope: Any, receive: Receive, send: Send
) -> None:
    """Answer from the event loop: a thousand refused clients must not cost a thread each."""
    request = HttpRequest()
    request.path = request.path_info = scope["path"]
    for name in ("accept-language", "authorization"):
        if value := header(scope["headers"], name.encode()):
            request.META[f"HTTP_{name.upper().replace('-', '_')}"] = value.decode("latin-1")
    with translation.override(translation.get_language_from_request(request)):
        answer = answer_to(request)
    headers = [(name.lower().encode(), value.encode()) for name, value in answer.headers.items()]
    headers += [(b"content-length", b"%d" % len(answer.content)), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": answer.content, "more_body": True})
    if answer.status_code != HTTPStatus.REQUEST_TIMEOUT:
        await _discard(receive)
    await send({"type": "http.response.body"})
