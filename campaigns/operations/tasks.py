"""A worker's part in monitoring: its main process notes the memory of its pool, and each task's lines in the
log name the task and its campaign."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

import structlog
from celery.signals import celeryd_init, heartbeat_sent, task_prerun

from campaigns.operations.worker_memory import note_memory

_name = socket.gethostname()


@celeryd_init.connect
def _learn_name(sender: str, **_: Any) -> None:
    global _name
    _name = sender


@heartbeat_sent.connect
def _note(**_: Any) -> None:
    note_memory(_name)


@task_prerun.connect
def _name_task(task_id: str, task: Any, args: Sequence[Any] = (), **_: Any) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    # Tasks that are about a campaign take its id first.
    if args and isinstance(args[0], int):
        structlog.contextvars.bind_contextvars(campaign_id=args[0])
