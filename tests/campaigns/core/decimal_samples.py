"""Floats at which rounding goes wrong first, and many others."""

from __future__ import annotations

import math
import random


def ties() -> list[float]:
    """All floats from 0 to 1 that lie exactly between two numbers of up to four digits."""
    return [odd / 2**power for power in range(1, 6) for odd in range(1, 2**power, 2)]


def neighbours(value: float) -> list[float]:
    """The value and the floats beside it, and what arithmetic may make of it."""
    noise = [3e-16, 9e-13, 2e-12, 1e-9]
    beside = [math.nextafter(value, -9), math.nextafter(value, 9)]
    return [value, *beside, *(value + some for some in noise), *(value - some for some in noise)]


def sample() -> list[float]:
    drawn = random.Random(31)
    edges = [0.0, -0.0, 5e-324, 1e-300, 1e-13, 0.0004, 0.0005, 0.001, 0.0509, 0.88497, 1.005, 0.1 + 0.2]
    edges += [0.2 + 0.7, 1 - 0.9, 99.95, 999.9995, 1e6 + 1 / 16, 123456789.0625, 1e11 + 0.5]
    near = [one for step in range(0, 1001, 7) for one in neighbours(step / 1000)]
    near += [one for half in range(1, 1000, 22) for one in neighbours(half / 2000)]
    values = [*edges, *ties(), *near, *(drawn.random() for _ in range(1000))]
    values += [drawn.expovariate(0.001) for _ in range(200)]
    values += [10 ** drawn.uniform(-9, 0) for _ in range(200)]
    return [math.nan, *values, *(-value for value in values)]
