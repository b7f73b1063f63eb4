"""A worker's part in monitoring: its main process notes the memory of its pool, and each task's lines in the
log name the task and its campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from celery.signals import task_prerun, worker_ready

from campaigns.operations.worker_memory import note_memory

SECONDS = 2.0


@worker_ready.connect
def _note_memory(sender: Any, **_: Any) -> None:
    sender.timer.call_repeatedly(SECONDS, note_memory, (sender.hostname,))


@task_prerun.connect
def _name_task(task_id: str, task: Any, args: Sequence[Any] = (), **_: Any) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    # Tasks that are about a campaign take its id first.
    if args and isinstance(args[0], int):
        structlog.contextvars.bind_contextvars(campaign_id=args[0])
