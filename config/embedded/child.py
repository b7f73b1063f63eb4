"""One program kept running: its own process group, its own log, a signal when the supervisor dies."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from config.embedded.identity import Identity
from config.embedded.linux import dies_with_parent

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
