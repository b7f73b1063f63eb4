"""The pair of private servers, less those that the environment names already."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from config.embedded import postgres, redis_server
from config.embedded.child import Child, Program
from config.embedded.leftovers import end_leftovers
from config.embedded.places import Places
from config.embedded.postgres_home import Home, home_at

Pause = Callable[[float], None]


class Services:
    def __init__(
        self, places: Places, *, given: Mapping[str, str] | None = None, forgetful: bool = False
    ) -> None:
        self.places = places
        self.forgetful = forgetful
        named = os.environ if given is None else given
        self.urls = {name: named[name] for name in ("DATABASE_URL", "REDIS_URL") if named.get(name)}
        self.children: list[Child] = []
        self._awaited: list[Callable[[Pause], None]] = []
        self._home = None if "DATABASE_URL" in self.urls else home_at(places)

    def start(self, pause: Pause = time.sleep) -> None:
        """Start what is missing and wait until both answer; `urls` then names them."""
        end_leftovers(self.places, self.database_folder)
        if "REDIS_URL" not in self.urls:
            self._start_redis()
        if self._home is not None:
            self._start_postgres(self._home)
        for answered in self._awaited:
            answered(pause)

    def stop(self, grace: float = 2.5) -> None:
        stop_together(self.children, grace)

    @property
    def database_folder(self) -> Path | None:
        return self._home.data if self._home else None

    def _start_redis(self) -> None:
        child = self._child(redis_server.program(self.places, forgetful=self.forgetful))
        self.urls["REDIS_URL"] = redis_server.url(self.places)
        self._awaited.append(lambda pause: redis_server.await_ready(self.places, child, pause))

    def _start_postgres(self, home: Home) -> None:
        postgres.prepare(home, forgetful=self.forgetful)
        child = self._child(postgres.program(home, forgetful=self.forgetful))
        self.urls["DATABASE_URL"] = home.url()
        self._awaited.append(lambda pause: postgres.await_ready(home, child, pause))

    def _child(self, program: Program) -> Child:
        child = Child(program, self.places.logs / f"{program.name}.log", mark=str(self.places.data))
        self.children.append(child)
        child.start()
        return child


def stop_together(children: Sequence[Child], grace: float) -> None:
    """Ask all, wait for all, then end what is left, each with its whole process group."""
    for child in children:
        child.ask_to_stop()
    deadline = time.monotonic() + grace
    while any(child.running for child in children) and time.monotonic() < deadline:
        time.sleep(0.02)
    for child in children:
        child.kill_group()
