"""Starts everything in order, keeps it running, and leaves nothing behind.

One program kept running: its own process group, its own log, a signal when the supervisor dies.

What a supervisor that was killed left behind: processes, and a note by a Postgres that is gone.

One supervisor per data folder.

How other commands find the services that a supervisor has up: it leaves their addresses in a file.

The pair of private servers, less those that the environment names already.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from urllib.parse import parse_qs, unquote, urlsplit

from config.embedded import application, postgres, redis_server
from config.embedded.cli import Follower, Keeper, say
from config.embedded.machine import (
    EmbeddedError,
    Identity,
    Places,
    answers,
    default_data_folder,
    dies_with_parent,
    processes_marked,
)
from config.embedded.postgres import home_at

# Put into every child's environment, so that a later start finds what a killed supervisor left behind.
MARK = "EMBEDDED_DATA"
LARGEST_LOG = 5_000_000


@dataclass(frozen=True)
class Program:
    name: str
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    stop_signal: int = signal.SIGTERM
    orphan_signal: int = signal.SIGTERM
    identity: Identity = Identity.ONESELF
    files: tuple[int, ...] = ()
    on_terminal: bool = False


class Child:
    def __init__(self, program: Program, log: Path, mark: str) -> None:
        self.program = program
        self.log = log
        self._mark = mark
        self._process: subprocess.Popen[bytes] | None = None
        self.started = 0.0

    def start(self) -> None:
        _shorten(self.log)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.program.command,
                env={**os.environ, **self.program.environment, MARK: self._mark},
                stdin=subprocess.DEVNULL,
                stdout=None if self.program.on_terminal else log,
                stderr=None if self.program.on_terminal else subprocess.STDOUT,
                start_new_session=True,
                pass_fds=self.program.files,
                preexec_fn=self._before_exec(),
                **self.program.identity.popen_options(),
            )
        self.started = time.monotonic()

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for the signal that ended it."""
        return self._process.poll() if self._process else 0

    @property
    def running(self) -> bool:
        return self.exit_code is None

    def ask_to_stop(self) -> None:
        if self.running:
            os.kill(self.pid, self.program.stop_signal)

    def kill_group(self) -> None:
        """End whatever is left of its process group, the program itself included."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()

    def last_words(self, lines: int = 15) -> str:
        with suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        return ""

    def _before_exec(self) -> Callable[[], None]:
        mapped = self.program.identity.preparation()
        mortal = dies_with_parent(self.program.orphan_signal)

        def prepare() -> None:
            # The kernel forgets the request when the identity changes, so it comes second.
            if mapped:
                mapped()
            mortal()

        return prepare


def describe_exit(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    return f"signal {-code} ({signal.Signals(-code).name})"


def _shorten(log: Path) -> None:
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_suffix(".log.old"))


PATIENCE = 3.0


def end_leftovers(places: Places, database: Path | None) -> int:
    """End the processes of an earlier start on this data folder; returns how many there were."""
    if not sys.platform.startswith("linux"):
        return 0
    found = _others(places)
    postmaster = _noted_postmaster(database)
    for pid in found:
        # Postgres ends quickly and cleanly on SIGINT; nothing else here minds being interrupted at once.
        _send(pid, signal.SIGINT if pid == postmaster else signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while _others(places) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in _others(places):
        _send(pid, signal.SIGKILL)
    if database is not None and postmaster is not None:
        # Its process number may belong to anybody by now, and Postgres would refuse to start.
        (database / "postmaster.pid").unlink(missing_ok=True)
    return len(found)


def _others(places: Places) -> list[int]:
    marked = processes_marked(MARK, str(places.data))
    return [pid for pid in marked if pid not in (os.getpid(), os.getppid()) and not _ended(pid)]


def _ended(pid: int) -> bool:
    """A zombie still has its number, and holds nothing."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _noted_postmaster(database: Path | None) -> int | None:
    if database is None:
        return None
    with suppress(OSError, ValueError, IndexError):
        return int((database / "postmaster.pid").read_text().splitlines()[0])
    return None


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


@contextmanager
def alone(places: Places, address: str) -> Iterator[None]:
    """Hold the folder's lock; it says who holds it, and falls with the process that does."""
    descriptor = os.open(places.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(descriptor, 200).decode(errors="replace").strip()
            raise EmbeddedError(
                f"Already running on {places.data} ({holder or 'still starting'}). Stop that one first."
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()}, {address}".encode())
        yield
    finally:
        os.close(descriptor)


NO_DATABASE = "No database is running. Start one with `make demo`, or set DATABASE_URL."


def write_environment(places: Places, variables: Mapping[str, str]) -> None:
    text = "".join(f"{name}={value}\n" for name, value in variables.items())
    unfinished = places.environment.with_suffix(".unfinished")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    unfinished.replace(places.environment)


def use_running_services(environment: MutableMapping[str, str]) -> bool:
    """Fill in what the environment leaves open, if the services are really there."""
    try:
        lines = (default_data_folder() / "environment").read_text().splitlines()
    except OSError:
        return False
    found = dict(line.split("=", 1) for line in lines)
    if not _reachable(found.get("DATABASE_URL", "")):
        # A supervisor that was killed could not take the file away.
        return False
    for name, value in found.items():
        environment.setdefault(name, value)
    return True


def _reachable(url: str) -> bool:
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    if not folder:
        # A server of somebody else's; whether it answers shows when it is used.
        return bool(unquote(parts.netloc))
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        return probe.connect_ex(str(Path(folder) / ".s.PGSQL.5432")) == 0


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
