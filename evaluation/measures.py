"""Measures by the names the community uses for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from evaluation.arrays import FloatArray
from evaluation.bounds import Bounds
from evaluation.rbp import rbp_bounds


@dataclass(frozen=True)
class Scored:
    """The measure's usual value (unjudged counts as not relevant), and its bounds where it has any."""

    score: float
    bounds: Bounds | None


class Measure(Protocol):
    @property
    def name(self) -> str: ...

    def score(self, ranked: FloatArray, judged: FloatArray) -> Scored:
        """One ranking of one topic: gains in rank order, NaN = unjudged; `judged`: the gains of all the
        topic's judged documents."""
        ...


@dataclass(frozen=True)
class RBP:
    p: float

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise ValueError(f"p = {self.p} is not inside (0, 1)")

    @property
    def name(self) -> str:
        return f"RBP(p={self.p!r})"

    def score(self, ranked: FloatArray, judged: FloatArray) -> Scored:
        bounds = rbp_bounds(ranked, self.p)
        return Scored(bounds.base, bounds)


_FORMS: dict[str, Callable[[re.Match[str]], Measure]] = {
    r"RBP\(p=(?P<p>[0-9.eE+-]+)\)": lambda found: RBP(float(found["p"])),
}


def parse_measure(name: str) -> Measure:
    """The measure of that name; ValueError says which names there are."""
    for form, make in _FORMS.items():
        found = re.fullmatch(form, name.replace(" ", ""))
        if found:
            return make(found)
    raise ValueError(f"no measure is called {name!r}; there is RBP(p=0.8), with any p inside (0, 1)")
