"""Processor time of a site's processes: what a deed costs, whatever else the machine does meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.bench.judging.loop import Site


def processor_seconds(pid: int) -> float:
    """Of the process, and of its children that have ended: a database has one for each connection."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")


def site_seconds(folder: Path, running: Site) -> float:
    """Of the web server, the worker and the database, with all their children."""
    database = int((folder / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    roots = (running.web.pid, running.worker.pid, database)
    return sum(seconds for root in roots for seconds in _of_family(root))


def _of_family(pid: int) -> Iterator[float]:
    # Some of the database's come and go.
    with suppress(FileNotFoundError, ProcessLookupError):
        yield processor_seconds(pid)
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from _of_family(int(child))
