"""A mail server on this machine that takes every email and keeps it."""

from __future__ import annotations

import socketserver
import threading
from typing import Self

# Sender, recipients, and the message as it came.
Received = tuple[str, list[str], bytes]


class _Session(socketserver.StreamRequestHandler):
    """One client, by the commands of RFC 5321 that are needed to hand in an email."""

    server: _Server

    def handle(self) -> None:
        self.sender, self.recipients = "", list[str]()
        self._say("220 here")
        while line := self.rfile.readline():
            verb, _, rest = line.decode().strip().partition(" ")
            match verb.upper():
                case "MAIL":
                    self.sender, self.recipients = _address(rest), []
                    self._say("250 ok")
                case "RCPT":
                    self.recipients.append(_address(rest))
                    self._say("250 ok")
                case "DATA":
                    self._say("354 go on")
                    self.server.received.append((self.sender, self.recipients, self._content()))
                    self._say("250 taken")
                case "QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("250 ok")

    def _content(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            # A line that begins with a full stop comes with one more.
            lines.append(line[1:] if line.startswith(b".") else line)
        return b"".join(lines)

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


def _address(rest: str) -> str:
    return rest[rest.index("<") + 1 : rest.index(">")]


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.received: list[Received] = []


class SmtpServer:
    """Runs within `with`; `received` grows as emails come in."""

    def __init__(self) -> None:
        self._server = _Server()
        self.port: int = self._server.server_address[1]

    @property
    def received(self) -> list[Received]:
        return self._server.received

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
