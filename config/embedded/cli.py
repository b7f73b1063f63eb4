"""The supervisor's command line: `python manage.py serve`, and `python manage.py demo` around it.

Keeps one child running: a crash is named on the terminal, each restart comes a little later.

What the supervisor shows: its own words, and the warnings in the logs of web and worker as they come.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from config.embedded.machine import EmbeddedError, Places, default_data_folder, places_at, take_port
from config.embedded.supervisor import Child, Stopped, Supervisor, alone, describe_exit


def say(words: str) -> None:
    # The reader of our words may be gone; that is no reason to stop serving.
    with suppress(OSError):
        print(words, flush=True)


class Follower:
    """Prints a log's new lines; the file stays the record, and nothing blocks when nobody reads."""

    def __init__(self, log: Path, name: str) -> None:
        self._log = log
        self._name = name
        self._offset = log.stat().st_size if log.exists() else 0
        self._rest = ""

    def show_new(self) -> None:
        if not self._log.exists():
            return
        if self._log.stat().st_size < self._offset:
            self._offset = 0
        with self._log.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
            self._offset = file.tell()
        *lines, self._rest = (self._rest + data.decode(errors="replace")).split("\n")
        for line in lines:
            if line.strip():
                say(f"{self._name} | {line}")


def serve(arguments: Sequence[str], *, first: str | None = None) -> int:
    """Run until stopped; ``first`` names a management command to run before the site opens."""
    parser = serve_parser(first or "serve")
    options, rest = parser.parse_known_args(arguments)
    if rest and first is None:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    try:
        _serve(options, [first, *rest] if first else [])
    except Stopped:
        return 0
    except (EmbeddedError, PermissionError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _serve(options: argparse.Namespace, first: Sequence[str]) -> None:
    places = places_at(options.data)
    host = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{host}:{options.port}/"
    with alone(places, address):
        if options.services_only:
            _only_services(places)
        else:
            _whole_site(places, options, first, address)


def _only_services(places: Places) -> None:
    with Supervisor(places) as supervisor:
        supervisor.start_services()
        say(f"Postgres and Redis are up; their addresses are in {places.environment}")
        supervisor.watch()


def _whole_site(places: Places, options: argparse.Namespace, first: Sequence[str], address: str) -> None:
    with take_port(options.host, options.port) as listener, Supervisor(places) as supervisor:
        supervisor.start_services()
        supervisor.run_command(["migrate", "--no-input", "--skip-checks"])
        if first:
            supervisor.run_command(first, on_terminal=True)
        supervisor.start_site(listener)
        say(f"Ready at {address}   (Ctrl-C stops everything; the data stays in {places.data})")
        supervisor.watch()


def serve_parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"manage.py {name}",
        description="Start a private Postgres and Redis (unless DATABASE_URL and REDIS_URL name others), "
        "the web server and the worker.",
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=os.environ.get("PORT") or "8000")
    parser.add_argument("--data", type=Path, default=default_data_folder(), help="the data folder")
    parser.add_argument("--services-only", action="store_true", help="no web server, no worker")
    return parser


FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
# Whatever ran this long was not failing at its start.
STEADY_AFTER = 60.0


class Keeper:
    def __init__(self, child: Child, say: Callable[[str], None]) -> None:
        self.child = child
        self._say = say
        self._delay = FIRST_DELAY
        self._restart_at: float | None = None

    def tend(self) -> None:
        now = time.monotonic()
        if self.child.running:
            if now - self.child.started > STEADY_AFTER:
                self._delay = FIRST_DELAY
        elif self._restart_at is None:
            self._note_crash(now)
        elif now >= self._restart_at:
            self._restart_at = None
            self.child.start()
            self._say(f"{self.child.program.name} is started again (process {self.child.pid}).")

    def _note_crash(self, now: float) -> None:
        name, ended_by = self.child.program.name, describe_exit(self.child.exit_code or 0)
        # A dead worker's own children hold connections and locks.
        self.child.kill_group()
        self._say(f"{name} ended ({ended_by}); next start in {self._delay:g} s. Its log: {self.child.log}")
        self._restart_at = now + self._delay
        self._delay = min(2 * self._delay, LONGEST_DELAY)
