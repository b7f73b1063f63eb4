"""The scheduler of periodic tasks, by a clock that cannot be set.

Celery's own compares times of day: after the clock is set back by three hours it sends nothing for three
hours. All periods here are minutes at most, so nothing of them needs to outlast a restart either.
"""

from __future__ import annotations

import time
from typing import Any

from celery.beat import Scheduler

from config import heartbeat


class SteadyScheduler(Scheduler):  # type: ignore[misc]
    """Sends each entry at the start, and again whenever its period is over."""

    def setup_schedule(self) -> None:
        self._due: dict[str, float] = {}
        self.merge_inplace(self.app.conf.beat_schedule)

    def tick(self, *_: Any, **__: Any) -> float:
        """Send what is due; the seconds until the next look."""
        heartbeat.touch()
        for name, entry in self.schedule.items():
            now = time.monotonic()
            if self._due.get(name, now) <= now:
                self._due[name] = now + entry.schedule.run_every.total_seconds()
                # A broker that does not answer is logged, and the next period tries again.
                self.apply_entry(entry, producer=self.producer)
        soonest = min(self._due.values()) - time.monotonic()
        return max(0.0, min(heartbeat.SECONDS, soonest))
