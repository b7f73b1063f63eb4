"""Keeping a child running: whichever ends or hangs is started again, each time in a row a little later."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from config.embedded.processes import Child, describe_exit
from config.embedded.vital_signs import Sign

# The first restart is at once. Ten seconds of health halve the delay of the next, a minute ends it.
HALVED_AFTER, STEADY_AFTER = 10.0, 60.0
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
# A child that has shown itself hangs after so many seconds without a sign. One that starts may need longer,
# on a busy machine or with much to recover.
HUNG_AFTER, LONGEST_START = 30.0, 120.0
SECONDS_BETWEEN_LOOKS, SECONDS_AT_START = 2.0, 0.05


class Watch:
    """Looks for a child's sign of life on a thread of its own, since a hung child lets those wait who ask."""

    def __init__(self, sign: Sign, *, between: float = SECONDS_BETWEEN_LOOKS) -> None:
        self._sign = sign
        self._between = between
        self._began = time.monotonic()
        self._first: float | None = None
        self._last: float | None = None
        threading.Thread(target=self._run, name="watch", daemon=True).start()

    def begin(self) -> None:
        """The child starts now: what its predecessor showed is forgotten."""
        self._began, self._first, self._last = time.monotonic(), None, None

    @property
    def silence(self) -> float:
        """Seconds since the last sign, or since the start."""
        return time.monotonic() - (self._last or self._began)

    @property
    def alive(self) -> bool:
        """True if there was any sign since the start."""
        return self._first is not None

    @property
    def steady(self) -> float:
        """Seconds from the first sign to the last."""
        return (self._last or 0.0) - (self._first or 0.0)

    def _run(self) -> None:
        while True:
            began = self._began
            if self._sign() and began == self._began:
                self._last = time.monotonic()
                self._first = self._first or self._last
            time.sleep(self._between if self.alive else SECONDS_AT_START)


class Keeper:
    def __init__(
        self,
        child: Child,
        say: Callable[[str], None],
        sign: Sign,
        *,
        hung_after: float = HUNG_AFTER,
        between: float = SECONDS_BETWEEN_LOOKS,
    ) -> None:
        """`child` runs already; `sign` is looked for every `between` seconds."""
        self.child = child
        self.restarts = 0
        self.watch = Watch(sign, between=between)
        self._say = say
        self._hung_after = hung_after
        self._delay = 0.0
        self._restart_at: float | None = None

    @property
    def well(self) -> bool:
        return self.child.running and self.watch.alive

    def tend(self) -> None:
        """Look after the child once; to be called often."""
        if self._restart_at is not None:
            self._restart_when_due()
        elif not self.child.running:
            self._plan_restart(f"ended ({describe_exit(self.child.exit_code or 0)})")
        elif self.watch.silence > (self._hung_after if self.watch.alive else LONGEST_START):
            self._plan_restart(f"gave no sign of life for {self.watch.silence:.0f} s")

    def _plan_restart(self, what: str) -> None:
        # A dead worker's own children hold connections and locks.
        self.child.kill_group()
        self._delay = _after_health(self._delay, self.watch.steady)
        name, log = self.child.program.name, self.child.log
        self._say(f"{name} {what}; next start in {self._delay:g} s. Its log: {log}")
        self._restart_at = time.monotonic() + self._delay
        self._delay = min(max(FIRST_DELAY, 2 * self._delay), LONGEST_DELAY)

    def _restart_when_due(self) -> None:
        if self._restart_at is None or time.monotonic() < self._restart_at:
            return
        self._restart_at = None
        self.restarts += 1
        self.watch.begin()
        self.child.start()
        self._say(f"{self.child.program.name} is started again (process {self.child.pid}).")


def _after_health(delay: float, steady: float) -> float:
    """Rest of a delay after so many seconds of health."""
    left = 0.0 if steady > STEADY_AFTER else delay / 2 ** (steady // HALVED_AFTER)
    return left if left >= FIRST_DELAY else 0.0
