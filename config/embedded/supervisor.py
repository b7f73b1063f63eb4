"""The supervisor: it starts services and site in order, keeps them running, and leaves nothing behind.

There is one supervisor for a data folder. It leaves the addresses of its services in a file, by which other
commands find them. A child that ends or hangs is named on the terminal and started again (`keeper`), from the
first moment on: what dies while the site starts does not end the start.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from types import FrameType
from urllib.parse import parse_qs, unquote, urlsplit

from config.embedded import application, postgres, redis_server
from config.embedded.keeper import Keeper
from config.embedded.machine import DataFolders, EmbeddedError, answers, default_data_folder
from config.embedded.postgres import home_at
from config.embedded.processes import Child, Program, describe_exit, end_leftovers
from config.embedded.reserve import RelievedChild, Reserve, ReserveKeeper
from config.embedded.vital_signs import Sign, heartbeat_sign, postgres_sign, redis_sign, web_sign

NO_DATABASE = "No database is running. Start one with `serve` or `demo`, or set DATABASE_URL."

# Commands that change tables run as their owner, whose address stands beside the site's.
OWNER_COMMANDS, OWNER_URL = ("migrate", "restore"), "OWNER_DATABASE_URL"

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Together well below the five seconds after which people reach for kill -9, also on a busy machine.
GRACE_FOR_SITE, GRACE_FOR_SERVICES = 2.0, 1.5

SECONDS_BETWEEN_ROUNDS = 0.05
# Of a migration that loses its database or its life.
MOST_ATTEMPTS = 5

Pause = Callable[[float], None]


class StopRequested(Exception):
    """A signal asked for the end."""


class Supervisor:
    def __init__(self, places: DataFolders) -> None:
        self.places = places
        self.services = Services(places)
        self.environment: dict[str, str] = {}
        self._site: list[Child] = []
        self._keepers: list[Keeper] = []
        self._followers: list[Follower] = []
        self._web: RelievedChild | None = None
        self._stopping = False

    def __enter__(self) -> Supervisor:
        for number in STOP_SIGNALS:
            signal.signal(number, self._on_stop)
        return self

    def __exit__(self, *_: object) -> None:
        self.places.environment.unlink(missing_ok=True)
        stop_together(self._site, GRACE_FOR_SITE)
        self.services.stop(GRACE_FOR_SERVICES)

    def start_services(self, listener: socket.socket | None = None) -> None:
        """With the site's socket, its web server loads meanwhile."""
        self.environment = application.environment(self.places, self.services.site_urls)
        if listener is not None:
            self._web = self._load_web(listener)
        end_leftovers(self.places, self.services.database_folder, [child.pid for child in self._site])
        self.services.start(self.pause)
        for child, sign in self.services.children_with_signs():
            self._keepers.append(Keeper(child, print_message, sign))
        known = {OWNER_URL: self.services.urls["DATABASE_URL"], "SECRET_KEY": self.environment["SECRET_KEY"]}
        write_environment(self.places, {**self.services.site_urls, **known})

    def run_command(self, arguments: Sequence[str], *, on_terminal: bool = False) -> None:
        """Run one management command to its end. Its failure ends the start, but for `migrate`: that runs
        again if a server crashed meanwhile, and a few times if the database broke off or a signal ended it.
        Others may have committed a part."""
        owner = self.services.urls if arguments[0] in OWNER_COMMANDS else {}
        environment = {**self.environment, **owner}
        for attempt in count(1):
            restarts = self._restarts()
            child = self._child(application.manage(arguments, environment, on_terminal=on_terminal))
            self._start(child)
            while child.running:
                self.pause()
            self._site.remove(child)
            if not child.exit_code:
                return
            self._await_keepers()
            lost = child.exit_code < 0 or child.exit_code == os.EX_TEMPFAIL
            lost = (lost and attempt < MOST_ATTEMPTS) or self._restarts() != restarts
            if not lost or arguments[0] != "migrate":
                failed = f"`manage.py {' '.join(arguments)}` failed ({describe_exit(child.exit_code)})"
                raise EmbeddedError(failed if on_terminal else f"{failed}:\n{child.last_words()}")

    def _load_web(self, listener: socket.socket) -> RelievedChild:
        program = application.web(listener.fileno(), self.environment)
        log, mark = self._log(program), str(self.places.data)
        reserve = Reserve(program, log, mark)
        self._start(reserve)
        self._keepers.append(ReserveKeeper(reserve, print_message, lambda: self._are_well("web")))
        return RelievedChild(program, log, mark, reserve)

    def start_site(self, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        broker = self.services.urls["REDIS_URL"]
        # The web server first and alone: people wait for it alone.
        self._keep(self._web or self._load_web(listener), web_sign(host, port))
        self._await_keepers("web")
        if (status := answers(host, port)) is not None and status >= 500:
            print_message(f"The first page answers {status}; see {self.places.logs / 'web.log'}")
        for make in (application.worker, application.beat):
            child = self._child(make(self.places, self.environment))
            self._keep(
                child, heartbeat_sign(application.heartbeat_file(self.places, child.program.name), broker)
            )

    def watch(self) -> None:
        while True:
            self.pause()

    def pause(self, seconds: float = SECONDS_BETWEEN_ROUNDS) -> None:
        """Let time pass, and look after the children that were started."""
        if self._stopping:
            raise StopRequested
        time.sleep(seconds)
        for keeper in self._keepers:
            keeper.tend()
        for follower in self._followers:
            follower.show_new()

    def _await_keepers(self, *names: str) -> None:
        """Wait until all children, or those with these names, have shown a sign of life."""
        while not self._are_well(*names):
            self.pause()

    def _are_well(self, *names: str) -> bool:
        return all(keeper.well for keeper in self._keepers if not names or keeper.child.program.name in names)

    def _restarts(self) -> int:
        return sum(keeper.restarts for keeper in self._keepers)

    def _keep(self, child: Child, sign: Sign) -> None:
        self._followers.append(Follower(child.log, child.program.name))
        self._start(child)
        self._keepers.append(Keeper(child, print_message, sign))

    def _start(self, child: Child) -> None:
        self._site.append(child)
        child.start()

    def _child(self, program: Program) -> Child:
        return Child(program, self._log(program), mark=str(self.places.data))

    def _log(self, program: Program) -> Path:
        return self.places.logs / f"{program.name}.log"

    def _on_stop(self, number: int, _: FrameType | None) -> None:
        self._stopping = True


@contextmanager
def hold_folder_lock(places: DataFolders, address: str) -> Iterator[None]:
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


def write_environment(places: DataFolders, variables: Mapping[str, str]) -> None:
    text = "".join(f"{name}={value}\n" for name, value in variables.items())
    unfinished = places.environment.with_suffix(".unfinished")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    unfinished.replace(places.environment)


def use_running_services(environment: MutableMapping[str, str], command: str = "") -> bool:
    """Fill in what the environment leaves open, if the services are really there."""
    try:
        lines = (default_data_folder() / "environment").read_text().splitlines()
    except OSError:
        return False
    services = dict(line.split("=", 1) for line in lines)
    if not _reachable(services.get("DATABASE_URL", "")):
        # A supervisor that was killed could not take the file away.
        return False
    owner = services.pop(OWNER_URL, services["DATABASE_URL"])
    if command in OWNER_COMMANDS:
        services["DATABASE_URL"] = owner
    for name, value in services.items():
        environment.setdefault(name, value)
    return True


def _reachable(url: str) -> bool:
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    if not folder:
        # A server that is not ours; whether it answers shows when it is used.
        return bool(unquote(parts.netloc))
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        return probe.connect_ex(str(Path(folder) / ".s.PGSQL.5432")) == 0


class Services:
    def __init__(
        self, places: DataFolders, *, given: Mapping[str, str] | None = None, forgetful: bool = False
    ) -> None:
        self.places = places
        self._mode: dict[str, bool] = {"forgetful": forgetful}
        named = os.environ if given is None else given
        self.urls = {name: named[name] for name in ("DATABASE_URL", "REDIS_URL") if named.get(name)}
        # As the site's own processes reach them: they own no table.
        self.site_urls = dict(self.urls)
        self.children: list[Child] = []
        self._home = None if "DATABASE_URL" in self.urls else home_at(places)
        self._own_redis = "REDIS_URL" not in self.urls
        if self._home is not None:
            self.urls["DATABASE_URL"] = self._home.url()
            self.site_urls["DATABASE_URL"] = self._home.url(role=postgres.SITE)
        if self._own_redis:
            self.urls["REDIS_URL"] = self.site_urls["REDIS_URL"] = redis_server.url(places)

    def start(self, pause: Pause = time.sleep) -> None:
        """Start those that are ours and wait until they answer."""
        redis = self._start(redis_server.program(self.places, **self._mode)) if self._own_redis else None
        if self._home is not None:
            postgres.prepare(self._home, **self._mode)
            child = self._start(postgres.program(self._home, **self._mode))
            postgres.await_ready(self._home, child, pause)
        if redis is not None:
            redis_server.await_ready(self.places, redis, pause)

    def children_with_signs(self) -> Iterator[tuple[Child, Sign]]:
        """The servers that are ours, each with how it shows that it is alive."""
        for child in self.children:
            if child.program.name == "redis":
                yield child, redis_sign(redis_server.socket_at(self.places))
            elif self._home is not None:
                yield child, postgres_sign(self._home.sockets)

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


class Follower:
    """Prints a log's new lines; the file stays the record, and nothing blocks without a reader."""

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
                print_message(f"{self._name} | {line}")


def print_message(words: str) -> None:
    # The reader of our words may be gone; that is no reason to stop serving.
    with suppress(OSError):
        print(words, flush=True)
