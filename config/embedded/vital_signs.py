"""Signs of life: how a child that works differs from one that only runs.

A sign is a function that returns True if the child has just shown that it is alive. It may wait a few seconds
for it, and depends on no clock that can be set.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from config.embedded.machine import answers

Sign = Callable[[], bool]

PROBE_SECONDS = 5.0
# A server that is loading its data, or recovering from a crash, replies to these, too.
REDIS_PING = b"PING\r\n"
POSTGRES_TLS_REQUEST = struct.pack("!ii", 8, 80877103)
POSTGRES_SOCKET = ".s.PGSQL.5432"


def replies(address: Path, request: bytes) -> bool:
    """True if a server on a Unix socket sends anything back."""
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            probe.connect(str(address))
            probe.sendall(request)
            return bool(probe.recv(1))
        except OSError:
            return False


def redis_sign(address: Path) -> Sign:
    return lambda: replies(address, REDIS_PING)


def postgres_sign(sockets: Path) -> Sign:
    return lambda: replies(sockets / POSTGRES_SOCKET, POSTGRES_TLS_REQUEST)


def web_sign(host: str, port: int) -> Sign:
    """The event loop's answer: views may wait for a database that is away."""
    return lambda: answers(host, port, "/healthz") is not None


def heartbeat_sign(file: Path, broker: str) -> Sign:
    """Sign that the file was touched since the last look. Without a broker the heart stands still, and no
    restart would help."""
    beats = _touches(file)
    return lambda: beats() or not broker_answers(broker)


def _touches(file: Path) -> Sign:
    seen = _touched_at(file)

    def touched() -> bool:
        nonlocal seen
        before, seen = seen, _touched_at(file)
        return seen != before

    return touched


def _touched_at(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def broker_answers(url: str) -> bool:
    # Only now: a third of what the supervisor imports, before the web server loads.
    import redis

    try:
        with redis.Redis.from_url(
            url, retry=None, socket_connect_timeout=PROBE_SECONDS, socket_timeout=PROBE_SECONDS
        ) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
