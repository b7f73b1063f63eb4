"""Long computations that leave the processor to work that needs it at once."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import ParamSpec, TypeVar

from django.db import connections

ComputeParams = ParamSpec("ComputeParams")
ComputeResult = TypeVar("ComputeResult")

LOWEST = 19


def run_at_low_priority(
    compute: Callable[ComputeParams, ComputeResult], *given: ComputeParams.args, **named: ComputeParams.kwargs
) -> ComputeResult:
    """Result of a computation at the lowest priority. It runs on a thread of its own, which ends: a worker
    that lowers its own priority may not raise it again for the next judgment. It should read no rows."""

    def computing() -> ComputeResult:
        _step_back()
        try:
            return compute(*given, **named)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1, thread_name_prefix="yielding") as apart:
        return apart.submit(computing).result()


def _step_back() -> None:
    # Elsewhere a priority is the whole process's.
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST)
