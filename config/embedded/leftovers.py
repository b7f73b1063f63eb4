"""What a supervisor that was killed left behind: processes, and a note by a Postgres that is gone."""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from config.embedded.child import MARK
from config.embedded.linux import processes_marked
from config.embedded.machine import Places

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
