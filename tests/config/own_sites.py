"""Web servers with settings of their own, and clients that write bytes as they like."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from config.embedded.machine import answers, take_port
from config.embedded.processes import Child, Program
from config.embedded.supervisor import stop_together
from tests.plumbing.idle import PATIENCE, wait_for
from tests.plumbing.servers.services import pair

CSRF = "c" * 32


@contextmanager
def own_site(
    environment: dict[str, str], *, before: str = "", protocol: str = "Connection"
) -> Iterator[tuple[str, Child]]:
    """A web server and its address. `before`: Python that its process runs first."""
    with take_port("127.0.0.1", 0) as listener:
        main = f"main({listener.fileno()}, 'config.web.connections:{protocol}')"
        code = f"{before}\nfrom config.embedded.web import main\n{main}"
        command = [sys.executable, "-c", code]
        program = Program("own-web", command, environment, files=(listener.fileno(),))
        child = Child(program, pair.places.logs / "own-web.log", mark=str(pair.places.data))
        child.start()
        port = listener.getsockname()[1]
        try:
            wait_for(lambda: answers("127.0.0.1", port) is not None, child)
            yield f"http://127.0.0.1:{port}", child
        finally:
            stop_together([child], grace=4)


def connect(site: str, sent: bytes = b"") -> socket.socket:
    host, port = urlsplit(site).netloc.split(":")
    client = socket.create_connection((host, int(port)), timeout=PATIENCE)
    client.sendall(sent)
    return client


def head(method: str, path: str, **headers: object) -> bytes:
    """The head of a request; `content_length` becomes Content-Length."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def form(length: int, path: str = "/sign-in/") -> bytes:
    """The head of a form that needs no sign-in: the token against forgery is in it, so Django reads it."""
    kind = "application/x-www-form-urlencoded"
    return head("POST", path, content_type=kind, content_length=length, cookie=f"csrftoken={CSRF}")


def upload(path: str, length: int, **headers: object) -> bytes:
    """The head of a form with a file."""
    kind = "multipart/form-data; boundary=x"
    return head("POST", path, content_type=kind, content_length=length, **headers)


def read_to_end(client: socket.socket) -> bytes:
    """All that the server sends until it hangs up."""
    found = b""
    try:
        while piece := client.recv(1 << 16):
            found += piece
    except ConnectionError:
        pass
    return found


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def page(site: str) -> int:
    """The status of an ordinary page, on a connection of its own."""
    with connect(site, head("GET", "/sign-in/", connection="close")) as client:
        return status_of(read_to_end(client))
