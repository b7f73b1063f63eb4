"""Deliveries to webhooks. A task only looks what is due and wakes threads of this process, which do nothing
but wait for receivers: however slow those are, the worker's processes stay free to recompute."""

from __future__ import annotations

import threading

from celery import shared_task
from django.db import connections
from django.utils import timezone

from campaigns.notifications import deliveries, sending

# In each process of a worker. When all of them wait for receivers, one more serves those that last were quick
# to answer, so that these wait for no slow one.
AT_ONCE = 4
_room = threading.BoundedSemaphore(AT_ONCE)
_quick_room = threading.BoundedSemaphore(1)


@shared_task(name="campaigns.post_where_due")
def post_where_due() -> None:
    """Also what was due while no worker was there, and what a worker had begun and never ended."""
    deliveries.gather_all()
    slow = list(deliveries.free_webhooks(timezone.now()).values_list("slow", flat=True))
    for _ in slow:
        if not _start(_room):
            if not all(slow):
                _start(_quick_room, quick=True)
            return


def _start(room: threading.BoundedSemaphore, *, quick: bool = False) -> bool:
    """One more thread at it, if there is room."""
    if not room.acquire(blocking=False):
        return False
    threading.Thread(target=_run, args=(room, quick), name="courier", daemon=True).start()
    return True


def _run(room: threading.BoundedSemaphore, quick: bool) -> None:
    try:
        while sending.send_next(quick=quick):
            pass
    finally:
        connections.close_all()
        room.release()
