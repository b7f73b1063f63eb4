"""One request to an address that an organiser named: to where its host was found and nowhere else, within a
time; however long the answer is, only its beginning is read."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from functools import cache

from campaigns.core.digits import read_digits
from campaigns.notifications.addresses import WEB_PORTS, AddressNotAllowed, Endpoint, Target, parse, resolve

# Until something comes; and all in all, for who sends a byte now and then.
CONNECT_SECONDS, ANSWER_SECONDS = 5.0, 10.0
MOST_READ = 2000
CUT = "no whole answer in time"


@dataclass(frozen=True)
class WebhookResponse:
    """`status` None: there was none, and `error` says why. `retry_after`: seconds that it asks for."""

    status: int | None
    body: str = ""
    error: str = ""
    milliseconds: int = 0
    retry_after: int | None = None

    @property
    def is_ok(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


@dataclass(frozen=True)
class RawResponse:
    """An answer as it came. `broken`: the reason why `content` is not whole; empty if it is, or if no more
    was wanted than what it holds."""

    status: int
    headers: Message
    content: bytes
    broken: str = ""


@dataclass(frozen=True)
class ReadLimits:
    """Bounds of an exchange: seconds until the answer is whole, seconds of silence, and bytes read."""

    seconds: float
    silence: float
    most_read: int


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> WebhookResponse:
    """Send a request and return the response. A redirect is a response like others: following it could lead
    to a forbidden address."""
    began = time.monotonic()
    try:
        target = parse(url, private=private)
        limits = ReadLimits(ANSWER_SECONDS, CONNECT_SECONDS, MOST_READ)
        endpoints = resolve(target, private=private)
        answer = exchange("POST", target, endpoints, body=body, headers=headers, limits=limits)
    except (OSError, http.client.HTTPException, AddressNotAllowed) as error:
        return WebhookResponse(None, error=error_text(error), milliseconds=_since(began))
    status = answer.status
    wrong = "" if 200 <= status < 300 else f"answered {status}"
    if 300 <= status < 400:
        wrong += ": redirects are not followed"
    text = answer.content.decode(errors="replace").replace("\0", "�")
    return WebhookResponse(status, text, wrong, _since(began), retry_after_of(answer))


def exchange(
    method: str,
    target: Target,
    endpoints: list[Endpoint],
    *,
    body: bytes | None = None,
    headers: Mapping[str, str],
    limits: ReadLimits,
    context: ssl.SSLContext | None = None,
) -> RawResponse:
    """Send one request to one of the endpoints and read the beginning of the answer, until the time is over.

    Raises
    ------
    OSError, http.client.HTTPException : no answer, or one that was cut off amid its head.
    """
    connection = _Connection(target, endpoints, limits, context or _trusting())
    try:
        connection.request(method, target.path, body, dict(headers))
        with connection.getresponse() as response:
            # Cut off amid its head, an answer looks whole.
            connection.check_uncut()
            content, broken = b"", ""
            # By its status it is known what was meant, whatever becomes of the rest.
            try:
                content = response.read(limits.most_read)
                connection.check_uncut()
                # A read of so many bytes reports no connection that ended before them.
                if response.length and len(content) < limits.most_read:
                    broken = "the answer ended early"
            except (OSError, http.client.HTTPException) as error:
                broken = error_text(error)
            return RawResponse(response.status, response.headers, content, broken)
    except (OSError, http.client.HTTPException):
        connection.check_uncut()
        raise
    finally:
        connection.end()


class _Connection(http.client.HTTPConnection):
    """Goes to an address that was looked at, under the host's name; is cut when the time is over."""

    def __init__(
        self, target: Target, endpoints: list[Endpoint], limits: ReadLimits, context: ssl.SSLContext
    ) -> None:
        super().__init__(target.host, target.port, timeout=CONNECT_SECONDS)
        self.default_port = WEB_PORTS[target.scheme]
        self._target, self._endpoints = target, endpoints
        self._context, self._silence = context, limits.silence
        began = time.monotonic()
        self._until, self._reach_until = began + limits.seconds, began + min(limits.seconds, CONNECT_SECONDS)
        self._handle: socket.socket | None = None
        self._timer: threading.Timer | None = None
        self._was_cut = False

    def connect(self) -> None:
        raw = self._reach()
        # TLS takes the socket over; this second handle to the same connection stays ours.
        self._handle = socket.socket(fileno=os.dup(raw.fileno()))
        self._timer = threading.Timer(max(self._until - time.monotonic(), 0.0), self._cut)
        self._timer.daemon = True
        self._timer.start()
        self.sock = raw
        if self._target.scheme == "https":
            self.sock = self._context.wrap_socket(raw, server_hostname=self._target.host)

    def _reach(self) -> socket.socket:
        last: OSError = OSError("nowhere to go")
        for endpoint in self._endpoints:
            left = self._reach_until - time.monotonic()
            if left <= 0:
                break
            reaching = socket.socket(endpoint.family, socket.SOCK_STREAM)
            reaching.settimeout(left)
            try:
                reaching.connect(endpoint.address)
            except OSError as error:
                reaching.close()
                last = error
                continue
            reaching.settimeout(self._silence)
            return reaching
        raise last

    def _cut(self) -> None:
        self._was_cut = True
        if self._handle is not None:
            with suppress(OSError):
                self._handle.shutdown(socket.SHUT_RDWR)

    def check_uncut(self) -> None:
        if self._was_cut:
            raise TimeoutError(CUT)

    def end(self) -> None:
        """Not `close`, which the library calls as soon as the head of an answer was read."""
        self.close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._handle is not None:
            self._handle.close()


@cache
def _trusting() -> ssl.SSLContext:
    return ssl.create_default_context()


def retry_after_of(answer: RawResponse) -> int | None:
    """Seconds that the answer asks to wait for, if it does."""
    return read_digits(answer.headers.get("Retry-After", "").strip(), 6)


def error_text(error: Exception) -> str:
    """The reason why there is no answer."""
    if isinstance(error, TimeoutError) and str(error) != CUT:
        return "no answer in time"
    return str(error) or type(error).__name__


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
