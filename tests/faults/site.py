"""A whole site under its supervisor, and the processes of it that can be killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random

from config.embedded.machine import take_port
from tests.config.embedded.supervisor_process import Supervised, bare_environment

# Of the supervisor's own children, by words of their command lines.
CHILDREN = {
    "worker": ("celery", " worker "),
    "beat": ("celery", " beat "),
    "redis": ("-server ", "redis.sock"),
    "postmaster": ("/postgres ", " -D "),
}
# The one that serves is the older one.
WEB = {"web": slice(1), "web reserve": slice(1, None)}
TARGETS = (*WEB, *CHILDREN, "worker child", "backend", "supervisor")


class SiteUnderFire:
    def __init__(self, data: Path) -> None:
        self._data = data
        with take_port("127.0.0.1", 0) as listener:
            self._port = int(listener.getsockname()[1])
        self.address = f"http://127.0.0.1:{self._port}"
        self.supervised = self._start()
        self.supervised.await_words("Ready at")

    def urls(self) -> dict[str, str]:
        return self.supervised.urls()

    def kill(self, target: str, random: Random) -> bool:
        """Kill one process of that kind, without warning. Whether there was one: while the site recovers from
        the kill before, there may be none."""
        pids = self._pids(target)
        if not pids:
            return False
        try:
            os.kill(random.choice(sorted(pids)), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def restart_if_ended(self) -> None:
        """As the machine's own supervisor would, at once."""
        if self.supervised.process.poll() is not None:
            self.supervised = self._start()

    def end(self) -> None:
        self.supervised.stop()
        self.supervised.end()

    def _start(self) -> Supervised:
        return Supervised(self._data, "--port", str(self._port), environment=bare_environment())

    def _pids(self, target: str) -> list[int]:
        supervisor = self.supervised.process.pid
        if target == "supervisor":
            return [supervisor] if self.supervised.process.poll() is None else []
        if target == "worker child":
            return _children(self._pids("worker"))
        if target == "backend":
            # Postgres gives its processes names of its own; those of clients end with where they come from.
            return [pid for pid in _children(self._pids("postmaster")) if "[local]" in _command(pid)]
        if target in WEB:
            return self.supervised.web_processes()[WEB[target]]
        words = CHILDREN[target]
        return [pid for pid in _children([supervisor]) if all(word in _command(pid) for word in words)]


def _children(parents: list[int]) -> list[int]:
    return _where(lambda pid: _parent(pid) in parents) if parents else []


def _where(condition: Callable[[int], bool]) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if condition(int(entry.name)):
                found.append(int(entry.name))
        except OSError:
            # It ended meanwhile.
            continue
    return found


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
