"""Child processes: each with its own process group and log; and those that a killed supervisor left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from config.embedded.machine import DataFolders, EmbeddedError, Identity, dies_with_parent, processes_marked

# Put into every child's environment, so that a later start finds what a killed supervisor left behind.
MARK = "EMBEDDED_DATA"
LARGEST_LOG = 5_000_000

PATIENCE = 3.0
# A server that is killed again and again while it starts is somebody's intention.
MOST_LOSSES, SECONDS_AFTER_LOSS = 5, 0.2


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


def await_ready(child: Child, ready: Callable[[], bool], pause: Callable[[float], None]) -> None:
    """Wait until a server is ready. One that a signal ends meanwhile is started again, a few times."""
    losses = 0
    while not ready():
        if not child.running:
            code = child.exit_code or 0
            # After a loss, one that ends by itself met what its predecessor held for a moment longer.
            if (code >= 0 and not losses) or losses == MOST_LOSSES:
                ended = f"{child.program.name} ended before it answered ({describe_exit(code)})"
                raise EmbeddedError(f"{ended}:\n{child.last_words()}")
            losses += 1
            child.kill_group()
            pause(losses * SECONDS_AFTER_LOSS)
            child.start()
        pause(0.02)


def describe_exit(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    return f"signal {-code} ({signal.Signals(-code).name})"


def _shorten(log: Path) -> None:
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        # Another process may go on writing to this file, so it keeps its place.
        shutil.copyfile(log, log.with_suffix(".log.old"))
        os.truncate(log, 0)


def end_leftovers(places: DataFolders, database: Path | None, spared: Collection[int] = ()) -> int:
    """End the processes of an earlier start on this data folder; returns how many there were. `spared`: of
    this start."""
    if not sys.platform.startswith("linux"):
        return 0
    others = _others(places, spared)
    postmaster = _noted_postmaster(database)
    for pid in others:
        # Postgres ends quickly and cleanly on SIGINT; nothing else here minds being interrupted at once.
        _send(pid, signal.SIGINT if pid == postmaster else signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while _others(places, spared) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in _others(places, spared):
        _send(pid, signal.SIGKILL)
    if database is not None and postmaster is not None:
        # Its process number may be another process's by now, and Postgres would refuse to start.
        (database / "postmaster.pid").unlink(missing_ok=True)
    return len(others)


def _others(places: DataFolders, spared: Collection[int]) -> list[int]:
    marked = processes_marked(MARK, str(places.data))
    known = {os.getpid(), os.getppid(), *spared}
    return [pid for pid in marked if pid not in known and not _ended(pid)]


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
