"""The pair of private servers, less those that the environment names already."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from config.embedded import postgres, redis_server
from config.embedded.child import Child, Program
from config.embedded.leftovers import end_leftovers
from config.embedded.machine import Places
from config.embedded.postgres_home import home_at

Pause = Callable[[float], None]


class Services:
    def __init__(
        self, places: Places, *, given: Mapping[str, str] | None = None, forgetful: bool = False
    ) -> None:
        self.places = places
        self._mode: dict[str, bool] = {"forgetful": forgetful}
        named = os.environ if given is None else given
        self.urls = {name: named[name] for name in ("DATABASE_URL", "REDIS_URL") if named.get(name)}
        self.children: list[Child] = []
        self._home = None if "DATABASE_URL" in self.urls else home_at(places)
        self._own_redis = "REDIS_URL" not in self.urls
        if self._home is not None:
            self.urls["DATABASE_URL"] = self._home.url()
        if self._own_redis:
            self.urls["REDIS_URL"] = redis_server.url(places)

    def start(self, pause: Pause = time.sleep) -> None:
        """Start those that are ours and wait until they answer."""
        end_leftovers(self.places, self.database_folder)
        redis = self._start(redis_server.program(self.places, **self._mode)) if self._own_redis else None
        if self._home is not None:
            postgres.prepare(self._home, **self._mode)
            child = self._start(postgres.program(self._home, **self._mode))
            postgres.await_ready(self._home, child, pause)
        if redis is not None:
            redis_server.await_ready(self.places, redis, pause)

    def stop(self, grace: float = 2.5) -> None:
        stop_together(self.children, grace)

    @property
    def database_folder(self) -> Path | None:
        return self._home.data if self._home else None

    def _start(self, program: Program) -> Child:
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
