"""The tables of `docs/evidence/performance.md`, and under which circumstances each was measured."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """`words`: what was measured, and how, in sentences; a cell of None was not measured. `missed`: targets
    that the figures miss, in a sentence."""

    title: str
    words: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    beside: str = field(default="")
    missed: str = field(default="")

    def markdown(self) -> str:
        lines = [f"## {self.title}", "", self.words, ""]
        lines += [_row(self.head), _row([":--", *(["--:"] * (len(self.head) - 1))])]
        lines += [_row([shown(cell) for cell in row]) for row in self.rows]
        lines += ["", self.missed] if self.missed else []
        return "\n".join([*lines, "", self.beside, ""])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def shown(cell: Cell) -> str:
    """Three digits are what a repetition would confirm."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if abs(cell) >= 100 or cell == int(cell) else f"{cell:.3g}"


def commit() -> str:
    """The commit of the program that is measured, and whether files differ from it."""
    git = ["git", "describe", "--always", "--dirty=, with uncommitted changes", "--exclude=*"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> str:
    cpu = Path("/proc/cpuinfo").read_text()
    models = [line.partition(":")[2].strip() for line in cpu.splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = models[0] if models else platform.machine()
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores of {model}, {memory:.0f} GB, Python {platform.python_version()}"


BUSY_SECONDS = 2.0


def circumstances() -> str:
    """The machine, and how busy others keep it before the section starts anything."""
    idle, total = _processor_times()
    # The share is one of a stretch of time.
    time.sleep(BUSY_SECONDS)
    idle_after, total_after = _processor_times()
    busy = 100 * (1 - (idle_after - idle) / max(total_after - total, 1))
    load = os.getloadavg()[0]
    moment = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    return (
        f"*Commit {commit()}. {machine()}. Web server, worker, Postgres, Redis and the simulated clients "
        f"share these cores. Just before, other programs used {busy:.0f}% of them (load {load:.1f}). "
        f"{moment}.*"
    )


def _processor_times() -> tuple[int, int]:
    times = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return times[3] + times[4], sum(times)
