"""A private Redis, reachable through one Unix socket only."""

import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from config.embedded import processes
from config.embedded.machine import Places
from config.embedded.processes import Child, Program
from config.embedded.server_programs import redis_program


def socket_at(places: Places) -> Path:
    return places.sockets / "redis.sock"


def url(places: Places) -> str:
    return f"unix://{quote(str(socket_at(places)))}"


def program(places: Places, *, forgetful: bool = False) -> Program:
    folder = places.data / "redis"
    folder.mkdir(exist_ok=True)
    return Program(
        name="redis",
        command=[
            str(redis_program()),
            *("--port", "0", "--unixsocket", str(socket_at(places)), "--unixsocketperm", "700"),
            *("--dir", str(folder), "--save", "", "--appendonly", "no" if forgetful else "yes"),
            *("--daemonize", "no", "--loglevel", "warning"),
            # The title would be written over the mark by which a later start knows its leftovers.
            *("--set-proc-title", "no"),
        ],
    )


def await_ready(places: Places, child: Child, pause: Callable[[float], None] = time.sleep) -> None:
    # Only now: the web server loads meanwhile.
    import redis

    def answers() -> bool:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False

    with redis.Redis(unix_socket_path=str(socket_at(places)), socket_timeout=2) as client:
        processes.await_ready(child, answers, pause)
