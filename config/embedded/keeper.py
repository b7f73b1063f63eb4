"""Keeps one child running: a crash is named on the terminal, each restart comes a little later."""

import time
from collections.abc import Callable

from config.embedded.child import Child, describe_exit

FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
# Whatever ran this long was not failing at its start.
STEADY_AFTER = 60.0


class Keeper:
    def __init__(self, child: Child, say: Callable[[str], None]) -> None:
        self.child = child
        self._say = say
        self._delay = FIRST_DELAY
        self._restart_at: float | None = None

    def tend(self) -> None:
        now = time.monotonic()
        if self.child.running:
            if now - self.child.started > STEADY_AFTER:
                self._delay = FIRST_DELAY
        elif self._restart_at is None:
            self._note_crash(now)
        elif now >= self._restart_at:
            self._restart_at = None
            self.child.start()
            self._say(f"{self.child.program.name} is started again (process {self.child.pid}).")

    def _note_crash(self, now: float) -> None:
        name, ended_by = self.child.program.name, describe_exit(self.child.exit_code or 0)
        # A dead worker's own children hold connections and locks.
        self.child.kill_group()
        self._say(f"{name} ended ({ended_by}); next start in {self._delay:g} s. Its log: {self.child.log}")
        self._restart_at = now + self._delay
        self._delay = min(2 * self._delay, LONGEST_DELAY)
