"""What a planner is asked for, and when the courses that it imagines get there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.arrays import FloatArray
from selection.simulation.futures import low_median_high
from selection.simulation.planning import Course


@dataclass(frozen=True)
class Wish:
    """A mean residual that is not above `wanted`, or a tau not below it."""

    kind: Literal["residual", "tau"]
    wanted: float

    def reached(self, course: Course) -> float | None:
        """After how many judgments."""
        if self.kind == "tau":
            return judgments_until(course, course.tau, self.wanted, rising=True)
        return judgments_until(course, course.residual, self.wanted, rising=False)


def judgments_until(course: Course, values: FloatArray, wanted: float, *, rising: bool) -> float | None:
    """When a course first reaches `wanted` and stays, between its points in proportion; None if never.

    Examples
    --------
    >>> from selection.simulation.planning import Course
    >>> course = Course(np.array([0, 10, 20]), np.array([1.0, 0.5, 0.25]), np.array([np.nan, 0.6, 0.8]))
    >>> judgments_until(course, course.residual, 0.375, rising=False)
    15.0
    """
    gap = np.nan_to_num((values - wanted) * (1 if rising else -1), nan=-np.inf)
    below = np.flatnonzero(gap < 0)
    at = int(below[-1]) + 1 if len(below) else 0
    if at == len(values):
        return None
    if at == 0 or not np.isfinite(gap[at - 1]):
        return float(course.judged[at])
    share = -gap[at - 1] / (gap[at] - gap[at - 1])
    return float(course.judged[at - 1] + share * (course.judged[at] - course.judged[at - 1]))


def median_and_ends(reached: Sequence[float | None]) -> tuple[int | None, int | None, int | None]:
    """The low end, the median and the high end of what some courses reached (`low_median_high`), in whole
    judgments; None stands for never."""
    ends = low_median_high([np.inf if value is None else float(np.ceil(value)) for value in reached])
    low, median, high = (None if np.isinf(value) else int(value) for value in ends)
    return low, median, high
