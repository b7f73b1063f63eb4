"""The axis of the overview's rows: as long as the ranges that are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor

# Shares of the whole axis between two ticks, and the most parts that have room for their labels.
STEPS = 0.01, 0.02, 0.05, 0.1, 0.2
MOST_PARTS = 6
NOISE = 1e-9


@dataclass(frozen=True)
class ScoreAxis:
    """An axis with evenly spaced ticks from `low` to `high`; `whole`: the one that it is a part of, None for
    the whole axis itself."""

    ticks: tuple[float, ...]
    whole: ScoreAxis | None = None

    @property
    def low(self) -> float:
        return self.ticks[0]

    @property
    def high(self) -> float:
        return self.ticks[-1]

    @property
    def parts(self) -> int:
        return len(self.ticks) - 1


def score_axis(spans: Iterable[tuple[float, float]], reach: float = 1.0) -> ScoreAxis:
    """The part of the axis from 0 to `reach` that holds the spans, from tick to tick; the whole axis where
    that has as few ticks.

    >>> score_axis([(0.58, 0.74), (0.61, 0.834)]).ticks
    (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
    >>> score_axis([(0.1, 0.9)]).ticks
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    """
    whole = ScoreAxis(_ticks(0, 5, reach * STEPS[-1]))
    ends = [end for span in spans for end in span]
    if not ends:
        return whole
    for step in (share * reach for share in STEPS):
        last = max(ceil(max(ends) / step - NOISE), 1)
        first = min(floor(min(ends) / step + NOISE), last - 1)
        if last - first <= MOST_PARTS and step < whole.ticks[1] - NOISE:
            return ScoreAxis(_ticks(first, last, step), whole)
    return whole


def _ticks(first: int, last: int, step: float) -> tuple[float, ...]:
    return tuple(round(place * step, 12) for place in range(first, last + 1))
