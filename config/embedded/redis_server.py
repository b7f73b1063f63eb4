"""A private Redis, reachable through one Unix socket only.

It holds only what is made again from rows, so a folder that it cannot read does not end a start.
"""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from config.embedded import processes
from config.embedded.machine import DataFolders, EmbeddedError
from config.embedded.processes import Child, Program
from config.embedded.server_programs import REDIS_WHEEL, redis_program

# Valkey refuses files of Redis 7.4 and later unless told so; its own early versions lack the option.
ANY_VERSION = ("--rdb-version-check", "relaxed")


def socket_at(places: DataFolders) -> Path:
    return places.sockets / "redis.sock"


def url(places: DataFolders) -> str:
    return f"unix://{quote(str(socket_at(places)))}"


def program(places: DataFolders, *, forgetful: bool = False) -> Program:
    folder, server = _folder(places), redis_program()
    folder.mkdir(exist_ok=True)
    return Program(
        name="redis",
        command=[
            str(server),
            *("--port", "0", "--unixsocket", str(socket_at(places)), "--unixsocketperm", "700"),
            *("--dir", str(folder), "--save", "", "--appendonly", "no" if forgetful else "yes"),
            *("--daemonize", "no", "--loglevel", "warning"),
            # The title would be written over the mark by which a later start knows its leftovers.
            *("--set-proc-title", "no"),
            *(ANY_VERSION if REDIS_WHEEL in server.parts else ()),
        ],
    )


def await_ready(places: DataFolders, child: Child, pause: Callable[[float], None] = time.sleep) -> None:
    # Only now: the web server loads meanwhile.
    import redis

    def answers() -> bool:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False

    with redis.Redis(unix_socket_path=str(socket_at(places)), socket_timeout=2) as client:
        try:
            processes.await_ready(child, answers, pause)
        except EmbeddedError:
            # One that was stopped or killed says nothing of its folder.
            if (child.exit_code or 0) <= 0 or not any(_folder(places).iterdir()):
                raise
            _set_folder_aside(places, child)
            child.start()
            processes.await_ready(child, answers, pause)


def _folder(places: DataFolders) -> Path:
    return places.data / "redis"


def _set_folder_aside(places: DataFolders, child: Child) -> None:
    folder = _folder(places)
    aside = folder.with_name("redis.unreadable")
    shutil.rmtree(aside, ignore_errors=True)
    folder.rename(aside)
    folder.mkdir()
    with child.log.open("a") as log:
        log.write(f"Redis ended while it loaded {folder}: that is {aside} now, and Redis starts empty.\n")
