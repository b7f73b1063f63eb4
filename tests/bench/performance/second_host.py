"""A second host: a network namespace of its own on this machine, which a virtual cable connects. Needs Linux
and root."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from config.embedded.postgres import OWNER
from config.embedded.processes import Child, Program
from config.embedded.supervisor import Services

NAMESPACE = "assess-bench"
CABLE = ("assess-bench0", "assess-bench1")
# Set aside by RFC 2544 for benchmarks: no other host has them.
DATABASE_HOST, SITE_HOST = "198.18.77.1", "198.18.77.2"
REACHABLE = {
    "postgres": ["-c", f"listen_addresses={DATABASE_HOST}"],
    "redis": ["--port", "6379", "--bind", DATABASE_HOST, "--protected-mode", "no"],
}


@contextmanager
def second_host() -> Iterator[list[str]]:
    """What a command begins with to run on the host of the site."""
    with ExitStack() as stack:
        _ip("netns", "add", NAMESPACE)
        # The cable goes with it.
        stack.callback(_ip, "netns", "delete", NAMESPACE)
        there = ("-n", NAMESPACE)
        _ip("link", "add", CABLE[0], "type", "veth", "peer", "name", CABLE[1], "netns", NAMESPACE)
        for host, address, end in (((), DATABASE_HOST, CABLE[0]), (there, SITE_HOST, CABLE[1])):
            _ip(*host, "address", "add", f"{address}/30", "dev", end)
            _ip(*host, "link", "set", end, "up")
        _ip(*there, "link", "set", "lo", "up")
        yield ["ip", "netns", "exec", NAMESPACE]


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"`ip {' '.join(words)}` failed: {done.stderr.strip()}")


class ReachableServices(Services):
    """Services that the site's host reaches over TCP."""

    def start(self, pause: Callable[[float], None] = time.sleep) -> None:
        super().start(pause)
        self.urls = {
            "DATABASE_URL": f"postgres://{OWNER}@{DATABASE_HOST}/{OWNER}",
            "REDIS_URL": f"redis://{DATABASE_HOST}:6379",
        }

    def _start(self, program: Program) -> Child:
        if program.name == "postgres" and self.database_folder is not None:
            with (self.database_folder / "pg_hba.conf").open("a") as file:
                file.write(f"host all all {SITE_HOST}/32 trust\n")
        return super()._start(replace(program, command=[*program.command, *REACHABLE[program.name]]))
