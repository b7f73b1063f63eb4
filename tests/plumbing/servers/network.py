"""A network between a browser and the site that can be cut: for pages and service workers alike."""

from __future__ import annotations

import socket
import socketserver
from contextlib import suppress
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit


class Network:
    """Forwards connections; while it is cut it closes every connection at once."""

    def __init__(self, site: str) -> None:
        parts = urlsplit(site)
        self._upstream = (parts.hostname, parts.port)
        self._open: set[socket.socket] = set()
        self._lock = Lock()
        self._is_cut = False
        network = self

        class Connection(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                network._forward(self.request)

        self._server = _Server(("127.0.0.1", 0), Connection)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Network:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._server.shutdown()
        self._server.server_close()

    def cut(self) -> None:
        with self._lock:
            self._is_cut = True
            for end in self._open:
                _close(end)

    def mend(self) -> None:
        with self._lock:
            self._is_cut = False

    def _forward(self, browser: socket.socket) -> None:
        with suppress(OSError), socket.create_connection(self._upstream) as site:
            with self._lock:
                if self._is_cut:
                    return
                self._open |= {browser, site}
            back = Thread(target=_pump, args=(site, browser), daemon=True)
            back.start()
            _pump(browser, site)
            back.join()
            with self._lock:
                self._open -= {browser, site}


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    # A browser opens many connections at once.
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves in the middle is nothing unusual."""


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(65536):
            sink.sendall(part)
    for end in (source, sink):
        _close(end)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
