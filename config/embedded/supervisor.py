"""Starts everything in order, keeps it running, and leaves nothing behind."""

import signal
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from config.embedded import application
from config.embedded.child import Child, Program
from config.embedded.errors import EmbeddedError
from config.embedded.keeper import Keeper
from config.embedded.listening import answers
from config.embedded.machine import Places
from config.embedded.running import write_environment
from config.embedded.services import Services, stop_together
from config.embedded.terminal import Follower, say

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Together well below the five seconds after which people reach for kill -9, also on a busy machine.
GRACE_FOR_SITE, GRACE_FOR_SERVICES = 2.0, 1.5


class Stopped(Exception):
    """Somebody asked for the end."""


class Supervisor:
    def __init__(self, places: Places) -> None:
        self.places = places
        self.services = Services(places)
        self.environment: dict[str, str] = {}
        self._site: list[Child] = []
        self._followers: list[Follower] = []
        self._stopping = False

    def __enter__(self) -> "Supervisor":
        for number in STOP_SIGNALS:
            signal.signal(number, self._on_stop)
        return self

    def __exit__(self, *_: object) -> None:
        self.places.environment.unlink(missing_ok=True)
        stop_together(self._site, GRACE_FOR_SITE)
        self.services.stop(GRACE_FOR_SERVICES)

    def start_services(self) -> None:
        self.services.start(self.pause)
        self.environment = application.environment(self.places, self.services.urls)
        write_environment(self.places, {**self.services.urls, "SECRET_KEY": self.environment["SECRET_KEY"]})

    def run_command(self, arguments: Sequence[str], *, on_terminal: bool = False) -> None:
        """Run one management command to its end; a failure ends the start."""
        child = self._start(application.manage(arguments, self.environment, on_terminal=on_terminal))
        while child.running:
            self.pause(0.02)
        self._site.remove(child)
        if child.exit_code:
            words = "" if on_terminal else f":\n{child.last_words()}"
            raise EmbeddedError(f"`manage.py {' '.join(arguments)}` failed{words}")

    def start_site(self, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        for program in (
            application.web(listener.fileno(), self.environment),
            application.worker(self.places, self.environment),
        ):
            self._followers.append(Follower(self._log(program), program.name))
            self._start(program)
        web = self._site[0]
        while (status := answers(host, port)) is None:
            if not web.running:
                raise EmbeddedError(f"The web server did not start:\n{web.last_words()}")
            self.pause(0.05)
        if status >= 500:
            say(f"The first page answers {status}; see {web.log}")

    def watch(self) -> None:
        keepers = [Keeper(child, say) for child in [*self.services.children, *self._site]]
        while True:
            self.pause(0.2)
            for keeper in keepers:
                keeper.tend()
            for follower in self._followers:
                follower.show_new()

    def pause(self, seconds: float) -> None:
        if self._stopping:
            raise Stopped
        time.sleep(seconds)

    def _start(self, program: Program) -> Child:
        child = Child(program, self._log(program), mark=str(self.places.data))
        self._site.append(child)
        child.start()
        return child

    def _log(self, program: Program) -> Path:
        return self.places.logs / f"{program.name}.log"

    def _on_stop(self, number: int, _: FrameType | None) -> None:
        self._stopping = True
