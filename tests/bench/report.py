"""What a bench prints: one line a figure, with what was to be reached beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Found = TypeVar("Found")


@dataclass(frozen=True)
class Figure:
    """A measured value; `target` says in words what it should reach, `met` whether it did."""

    what: str
    value: float
    unit: str
    target: str = ""
    met: bool | None = None


@dataclass(frozen=True)
class Timings:
    """Seconds of many repetitions; `processor` without those in which other programs had the processor."""

    seconds: Sequence[float]
    processor: Sequence[float] = ()

    def median_ms(self, what: str, at_most: float | None = None) -> Figure:
        return self._figure(f"{what}, median", float(np.median(self.seconds)), at_most)

    def p95_ms(self, what: str, at_most: float | None = None) -> Figure:
        return self._figure(f"{what}, 95th percentile", float(np.percentile(self.seconds, 95)), at_most)

    def p99_ms(self, what: str, at_most: float | None = None) -> Figure:
        return self._figure(f"{what}, 99th percentile", float(np.percentile(self.seconds, 99)), at_most)

    def processor_p99_ms(self, what: str) -> Figure:
        return Figure(
            f"{what}, 99th percentile, own time", 1000 * float(np.percentile(self.processor, 99)), "ms"
        )

    def _figure(self, what: str, seconds: float, at_most: float | None) -> Figure:
        value = 1000 * seconds
        if at_most is None:
            return Figure(what, value, "ms")
        return Figure(what, value, "ms", f"at most {at_most:g} ms", value <= at_most)


def at_least(what: str, value: float, unit: str, target: float) -> Figure:
    return Figure(what, value, unit, f"at least {target:g} {unit}", value >= target)


def at_most(what: str, value: float, unit: str, target: float) -> Figure:
    return Figure(what, value, unit, f"at most {target:g} {unit}", value <= target)


def own_time(do: Callable[[], Found]) -> tuple[float, Found]:
    """Seconds of this process alone, and what was made in them."""
    began = time.process_time()
    found = do()
    return time.process_time() - began, found
