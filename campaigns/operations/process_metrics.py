"""Metrics of each web process: responses by route, uploads under way, pages that listen.

All web processes of a machine write into one folder (prometheus_client's multiprocess mode), so whichever of
them is asked answers for all. Without `METRICS_TOKEN` nothing is written.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Gauge, Histogram, Summary
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

# A histogram writes 15 lines for each combination of its labels, so it knows the parts of the site alone.
REQUESTS = Histogram(
    "assess_request_seconds",
    "Time from a request to its answer, by part of the site and class of status.",
    ["part", "status"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60),
)
ROUTES = Summary("assess_route_seconds", "Time from a request to its answer, by route.", ["route"])
UPLOADS = Gauge("assess_uploads_running", "Uploads being read or stored now.", multiprocess_mode="livesum")
LISTENERS = Gauge("assess_event_listeners", "Open streams of live events.", multiprocess_mode="livesum")


def measured() -> bool:
    """True if the figures can be read."""
    return bool(settings.METRICS_TOKEN)


@cache
def start_process() -> None:
    """Forget the figures of a site that has ended; Prometheus takes a counter from 0 for a restart."""
    others = _others() if measured() else {}
    if not any(_alive(process) for process in others.values()):
        for file in others:
            file.unlink(missing_ok=True)


def register_processes(registry: CollectorRegistry) -> None:
    for process in {process for process in _others().values() if not _alive(process)}:
        # Its counts stay, what it had open is gone.
        mark_process_dead(process, str(_folder()))  # type: ignore[no-untyped-call]
    MultiProcessCollector(registry, path=str(_folder()))  # type: ignore[no-untyped-call]


def _folder() -> Path:
    return Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])


def _others() -> dict[Path, int]:
    """The files of other processes, and which process each is of."""
    files = {file: int(file.stem.rpartition("_")[2]) for file in _folder().glob("*_[0-9]*.db")}
    return {file: process for file, process in files.items() if process != os.getpid()}


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
