"""A second process of the web server, which has loaded everything and waits to take over.

Loading takes two seconds on an idle machine and many on a busy one. The process in reserve costs 110 MB of
memory. It opens no connection to Postgres or Redis, and takes none from the socket that both share:
connections wait in the socket's queue until the reserve serves them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from config.embedded.keeper import Keeper
from config.embedded.processes import Child, Program


class Reserve(Child):
    """`program` takes one more argument: a descriptor from which it reads before it serves."""

    def __init__(self, program: Program, log: Path, mark: str) -> None:
        super().__init__(replace(program, name=f"{program.name} reserve"), log, mark)
        self._waiting_program = self.program
        self._turn: int | None = None

    def start(self) -> None:
        self._close_turn()
        waits_for, self._turn = os.pipe()
        waiting = self._waiting_program
        self.program = replace(
            waiting, command=[*waiting.command, str(waits_for)], files=(*waiting.files, waits_for)
        )
        try:
            super().start()
        finally:
            os.close(waits_for)

    def hand_over(self) -> subprocess.Popen[bytes] | None:
        """Let the process serve, and give it up; None if there is none."""
        if not self.running or self._turn is None:
            return None
        process, self._process = self._process, None
        # It may end at this moment; its new keeper notices.
        with suppress(BrokenPipeError):
            os.write(self._turn, b"1")
        self._close_turn()
        return process

    @property
    def handed_over(self) -> bool:
        return self._process is None

    def _close_turn(self) -> None:
        if self._turn is not None:
            os.close(self._turn)
            self._turn = None


class RelievedChild(Child):
    """A child whose next process is the one in reserve, if there is one."""

    def __init__(self, program: Program, log: Path, mark: str, reserve: Reserve) -> None:
        super().__init__(program, log, mark)
        self._reserve = reserve

    def start(self) -> None:
        self._process = self._reserve.hand_over()
        if self._process is None:
            super().start()


class ReserveKeeper(Keeper):
    """Starts the next reserve once its predecessor serves: until then all of the machine is for that one."""

    def __init__(self, reserve: Reserve, say: Callable[[str], None], serves: Callable[[], bool]) -> None:
        super().__init__(reserve, say, lambda: reserve.running)
        self._reserve = reserve
        self._serves = serves

    def tend(self) -> None:
        if not self._reserve.handed_over:
            super().tend()
        elif self._serves():
            self._reserve.start()
