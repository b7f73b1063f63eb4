"""A receiver of webhooks: a real server on this machine, that answers as a test wants and keeps what came."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> Any:
        return json.loads(self.body)

    def is_signed_by(self, secret: str) -> bool:
        """Worked out by the letter of the standard, with nothing of ours."""
        message = b"%s.%s.%s" % (
            self.headers["webhook-id"].encode(),
            self.headers["webhook-timestamp"].encode(),
            self.body,
        )
        key = base64.b64decode(secret[len("whsec_") :])
        wanted = base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()
        return f"v1,{wanted}" in self.headers["webhook-signature"].split(" ")


Reply = Callable[[BaseHTTPRequestHandler], object]


def answering(status: int, body: bytes = b"", **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


class Receiver:
    """`reply`: what the next requests get, and who sets it may wait in it."""

    def __init__(self, context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> None:
        self.received: list[Received] = []
        self.reply: Reply = answering(204)
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.append(Received(self.path, dict(self.headers), body))
                receiver.reply(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """Who hung up is no trouble of the test's."""

        self._server = Server((host, 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"{'https' if context else 'http'}://{host}:{self.port}/hook"
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def kinds(self) -> list[str]:
        return [one.said["type"] for one in self.received]


@contextmanager
def receiving(**options: Any) -> Iterator[Receiver]:
    receiver = Receiver(**options)
    try:
        yield receiver
    finally:
        receiver.close()
