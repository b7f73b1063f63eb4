"""What a worker does for monitoring: its main process notes the memory of its pool."""

from __future__ import annotations

import socket
from typing import Any

from celery.signals import celeryd_init, heartbeat_sent

from campaigns.operations.worker_memory import note_memory

_name = socket.gethostname()


@celeryd_init.connect
def _learn_name(sender: str, **_: Any) -> None:
    global _name
    _name = sender


@heartbeat_sent.connect
def _note(**_: Any) -> None:
    note_memory(_name)
