"""Runs the real supervisor as a person would, and looks at what it says and leaves behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from config.embedded.machine import PROJECT, processes_marked
from config.embedded.processes import MARK

# A database that was killed synchronises its whole disk when it starts again, and other tests keep that busy.
PATIENCE = 400.0
LEFT_OUT = {"DATABASE_URL", "REDIS_URL", "DATA_DIR", "PORT", "SECRET_KEY", MARK}
SERVICES_UP = "Postgres and Redis are up"


def bare_environment(**added: str) -> dict[str, str]:
    """This session's environment without what names the test session's own servers."""
    return {name: value for name, value in os.environ.items() if name not in LEFT_OUT} | added


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited {PATIENCE:g} s in vain: {what}"
        time.sleep(0.05)


class Supervised:
    def __init__(
        self,
        data: Path,
        *arguments: str,
        environment: Mapping[str, str],
        program: Sequence[str] = (sys.executable, str(PROJECT / "manage.py")),
        **options: Any,
    ) -> None:
        self.data = data
        self.output = data.with_name(f"{data.name}.output")
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [*program, "serve", "--data", str(data), *arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
                **options,
            )

    def said(self) -> str:
        return self.output.read_text()

    def await_words(self, words: str, *, times: int = 1) -> None:
        """All of what its predecessors on the same folder said counts, too."""
        try:
            eventually(lambda: self.has_said(words, times) or self.process.poll() is not None, words)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.said()}\n{self.logs()}") from error
        assert self.has_said(words, times), f"{self.said()}\n{self.logs()}"

    def has_said(self, words: str, times: int = 1) -> bool:
        return self.said().count(words) >= times

    def logs(self) -> str:
        """The ends of its children's logs."""
        return "\n".join(
            f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}"
            for log in sorted(self.data.rglob("*.log"))
        )

    def await_exit(self) -> int:
        return self.process.wait(timeout=PATIENCE)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.await_exit()

    def end(self) -> None:
        """Whatever a failing test leaves of it."""
        self.process.kill()
        self.process.wait()
        for pid in self.children():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def children(self) -> list[int]:
        """Every process it started that still runs, grandchildren included."""
        return [pid for pid in processes_marked(MARK, str(self.data)) if not _ended(pid)]

    def await_end_of_children(self) -> None:
        try:
            eventually(lambda: not self.children(), "children of a killed supervisor end")
        except AssertionError as error:
            left = [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in self.children()]
            raise AssertionError(f"{error}: {left}\n{self.said()[-4000:]}") from error

    def processes(self, *words: str) -> list[int]:
        """Those of them whose command line holds the words."""
        return [pid for pid in self.children() if _says(pid, words)]

    def child(self, *words: str) -> int:
        """The one of them that the supervisor itself started."""
        found = [pid for pid in self.processes(*words) if _parent(pid) == self.process.pid]
        assert len(found) == 1, (words, found)
        return found[0]

    def web_processes(self) -> list[int]:
        """The one that serves, then the one in reserve: it always starts later."""
        try:
            return sorted(self.processes("config.embedded.web"), key=_started)
        except OSError:
            # One ended meanwhile.
            return []

    def urls(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.data / "environment").read_text().splitlines())

    def ask(self, question: str) -> Any:
        """As the owner of the tables."""
        with closing(psycopg2.connect(self.urls()["OWNER_DATABASE_URL"])) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(question)
                return cursor.fetchone() if cursor.description else None


Start = Callable[..., Supervised]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts supervisors; whatever a failing test leaves of them is ended here."""
    started: list[Supervised] = []

    def begin(*arguments: str, data: Path = tmp_path / "data", **options: Any) -> Supervised:
        options.setdefault("environment", bare_environment())
        started.append(Supervised(data, *arguments, **options))
        return started[-1]

    yield begin
    for supervised in started:
        supervised.end()


@contextmanager
def ending(supervised: Supervised) -> Iterator[Supervised]:
    try:
        yield supervised
    finally:
        supervised.end()


def _ended(pid: int) -> bool:
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def _parent(pid: int) -> int:
    return int(_status(pid)[1])


def _started(pid: int) -> int:
    return int(_status(pid)[19])


def _status(pid: int) -> list[str]:
    """From the third field on: the second may hold spaces."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _says(pid: int, words: tuple[str, ...]) -> bool:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return all(word in command for word in words)
