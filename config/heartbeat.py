"""The heartbeat of worker and beat: a file that the process touches from its main loop.

Its supervisor watches whether the file's time changes, never what time it is: clocks are set.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery import bootsteps

VARIABLE = "HEARTBEAT_FILE"
SECONDS = 1.0


def touch() -> None:
    """Touch the file that the environment names, if it names one."""
    path = os.environ.get(VARIABLE)
    if path:
        # A full disk is no reason to stop working.
        with suppress(OSError):
            Path(path).touch(mode=0o600)
            os.utime(path)


class WorkerHeartbeat(bootsteps.StartStopStep):  # type: ignore[misc]
    """Beats from the loop in which the worker takes its tasks: where that hangs, the heart stops."""

    requires = {"celery.worker.components:Timer"}

    def start(self, worker: Any) -> None:
        worker.timer.call_repeatedly(SECONDS, touch)
