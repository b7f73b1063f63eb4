"""Names of measures in their parts, and the forms that they may have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measure import Formula, Measure, Rankings
from evaluation.measures.gains import check_cut_off

JUDGED_ONLY = "judged_only"
NUMBER = r"[0-9.eE+-]+"
# NAME, NAME(parameter=value,...), either with @k. Only DCG's discount has parentheses of its own.
_NAME = re.compile(r"(?P<name>(?:11)?[A-Za-z_]+2?\*?)(?:\((?P<inside>.+)\))?(?:@(?P<at>\d+(?:\.\d+)?))?")
_OF_RELEVANCE = {"rel": NUMBER, JUDGED_ONLY: "[Tt]rue"}
# Whether a form has a cut-off; `level` is a level of recall in its place, from 0 to 1.
Cut = Literal["never", "may", "must", "level"]


@dataclass(frozen=True)
class MeasureName:
    """A measure's name in its parts: `RBP(p=0.8,rel=2)@10` has two parameters and a cut-off. `at`: what is
    written behind the @."""

    name: str
    parameters: Mapping[str, str]
    at: str | None

    @classmethod
    def read(cls, text: str) -> MeasureName | None:
        """None for what is no name of this form, or gives a parameter twice."""
        match = _NAME.fullmatch(text.replace(" ", ""))
        if not match:
            return None
        words = match["inside"].split(",") if match["inside"] else []
        # ir_measures quotes words: nDCG(dcg='exp-log2').
        parameters = {word.partition("=")[0]: word.partition("=")[2].strip("'\"") for word in words}
        return cls(match["name"], parameters, match["at"]) if len(parameters) == len(words) else None

    @property
    def k(self) -> int | None:
        """ValueError if it is no possible cut-off."""
        return None if self.at is None else check_cut_off(int(self.at))

    @property
    def cut_off(self) -> int:
        assert self.k is not None
        return self.k

    @property
    def level(self) -> float:
        assert self.at is not None
        if float(self.at) > 1:
            raise ValueError(f"recall {self.at} is above 1")
        return float(self.at)

    def number(self, parameter: str, default: float) -> float:
        text = self.parameters.get(parameter)
        try:
            return default if text is None else float(text)
        except ValueError:
            raise ValueError(f"{parameter} = {text} is not a number") from None

    def called(self, *parameters: str) -> str:
        """The name as it is written, with these parameters."""
        inside = ",".join(word for word in parameters if word)
        return self.name + (f"({inside})" if inside else "") + ("" if self.at is None else f"@{self.k}")


@dataclass(frozen=True)
class Form:
    """Examples of names, the names and parameters (each with what its value looks like) that have this
    form, and how the measure is made. `binary`: takes `rel`, the lowest grade that is relevant, and
    `judged_only=True`."""

    example: str
    names: tuple[str, ...]
    make: Callable[[MeasureName], Measure]
    cut: Cut = "never"
    parameters: Mapping[str, str] = field(default_factory=dict)
    binary: bool = False

    def fits(self, asked: MeasureName) -> bool:
        known = {**self.parameters, **(_OF_RELEVANCE if self.binary else {})}
        return (
            asked.name in self.names
            and self._takes(asked.at)
            and all(
                name in known and re.fullmatch(known[name], value) is not None
                for name, value in asked.parameters.items()
            )
        )

    def _takes(self, at: str | None) -> bool:
        if at is None:
            return self.cut in ("never", "may")
        return self.cut == "level" or (self.cut != "never" and at.isdecimal())


def simple(formula: Callable[[Rankings], FloatArray]) -> Callable[[MeasureName], Measure]:
    """A measure without parameters, called as it is asked for."""
    return lambda asked: Formula(asked.called(), formula)


def lengths_of(topic: Rankings) -> IntArray:
    """Number of documents of each run, (runs,)."""
    if topic.lengths is not None:
        return topic.lengths
    return np.full(topic.gains.shape[0], topic.gains.shape[-1], dtype=np.int64)


def found_in(topic: Rankings) -> IntArray:
    """Number of relevant documents that each run retrieved, (runs,)."""
    return np.asarray((topic.gains > 0).sum(axis=-1))
