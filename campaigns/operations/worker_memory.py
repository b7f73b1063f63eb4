"""The memory of each worker and the processes of its pool, noted in Redis by the worker itself."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import cast

from redis.exceptions import RedisError

from campaigns.core.broker import broker

KEY = "workers"
NOTED_EVERY_SECONDS = 10.0
# A worker that has not noted anything for so long is gone.
FORGOTTEN_AFTER_SECONDS = 60.0

_noted = 0.0


def note_memory(worker: str) -> None:
    """Called often by the worker's main process; does something now and then."""
    global _noted
    if time.monotonic() - _noted < NOTED_EVERY_SECONDS:
        return
    _noted = time.monotonic()
    try:
        broker().hset(KEY, worker, json.dumps({"bytes": resident_bytes(), "at": time.time()}))
    except RedisError:
        # A worker without its broker has other troubles.
        return


def memory_by_worker() -> dict[str, int]:
    """Bytes by worker, of those that live."""
    stored = cast("dict[bytes, bytes]", broker().hgetall(KEY))
    noted = {name.decode(): json.loads(value) for name, value in stored.items()}
    gone = [name for name, one in noted.items() if time.time() - one["at"] > FORGOTTEN_AFTER_SECONDS]
    if gone:
        broker().hdel(KEY, *gone)
    return {name: int(one["bytes"]) for name, one in noted.items() if name not in gone}


def resident_bytes() -> int:
    """Resident memory of this process and its children; 0 where the system does not show it (no /proc)."""
    processes = [os.getpid(), *_children()]
    return sum(_resident(process) for process in processes)


def _children() -> list[int]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def _resident(process: int) -> int:
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
