"""One POST to an address that an organiser named: to where its host was found and nowhere else, within a
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


def post(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> WebhookResponse:
    """Send a request and return the response. A redirect is a response like others: following it could lead
    to a forbidden address."""
    began = time.monotonic()
    try:
        target = parse(url, private=private)
        status, text, retry_after = _exchange(target, resolve(target, private=private), body, headers)
    except (OSError, http.client.HTTPException, AddressNotAllowed) as error:
        return WebhookResponse(None, error=_message(error), milliseconds=_since(began))
    wrong = "" if 200 <= status < 300 else f"answered {status}"
    if 300 <= status < 400:
        wrong += ": redirects are not followed"
    return WebhookResponse(status, text, wrong, _since(began), retry_after)


def _exchange(
    target: Target, endpoints: list[Endpoint], body: bytes, headers: Mapping[str, str]
) -> tuple[int, str, int | None]:
    connection = _Connection(target, endpoints)
    try:
        connection.request("POST", target.path, body, dict(headers))
        with connection.getresponse() as response:
            # Cut off amid its head, an answer looks whole.
            connection.check_uncut()
            text = b""
            # By its status it is known what was meant, whatever becomes of the rest.
            with suppress(OSError, http.client.HTTPException):
                text = response.read(MOST_READ)
            retry_after = _seconds(response.headers.get("Retry-After", ""))
            return response.status, text.decode(errors="replace").replace("\0", "�"), retry_after
    except (OSError, http.client.HTTPException):
        connection.check_uncut()
        raise
    finally:
        connection.end()


class _Connection(http.client.HTTPConnection):
    """Goes to an address that was looked at, under the host's name; is cut when the time is over."""

    def __init__(self, target: Target, endpoints: list[Endpoint]) -> None:
        super().__init__(target.host, target.port, timeout=CONNECT_SECONDS)
        self.default_port = WEB_PORTS[target.scheme]
        self._target, self._endpoints = target, endpoints
        self._until = time.monotonic() + ANSWER_SECONDS
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
            self.sock = _trusting().wrap_socket(raw, server_hostname=self._target.host)

    def _reach(self) -> socket.socket:
        last: OSError = OSError("nowhere to go")
        for endpoint in self._endpoints:
            left = self._until - ANSWER_SECONDS + CONNECT_SECONDS - time.monotonic()
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
            reaching.settimeout(CONNECT_SECONDS)
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


def _seconds(header: str) -> int | None:
    return read_digits(header.strip(), 6)


def _message(error: Exception) -> str:
    if isinstance(error, TimeoutError) and str(error) != CUT:
        return "no answer in time"
    return str(error) or type(error).__name__


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
