"""Scores of all runs by the campaign's measures, and how sure each statement about them is.

Three kinds of statements stand beside each other: certain bounds, estimates from a random sample, and
expectations of a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any, Literal, Self

import numpy as np

from campaigns.models import Campaign, Measured
from campaigns.models.packed import WEIGHTS, unpack_runs, unpack_weights
from evaluation.arrays import FloatArray

# "sampled": guaranteed by the sample's probabilities; "expected": what a model expects.
Kind = Literal["sampled", "expected"]
# Why nothing is measured: no run, or no judgment; the worker has yet to; too much to compute.
Unmeasured = Literal["empty", "computing", "too_large"]
Column = tuple[float | None, ...]
# Pairs by expected AP: probabilities by the calibrated and the published model, and 1 where it is proved.
CALIBRATED, PUBLISHED, PROVED = "calibrated", "published", "proved"
# Pairs by a sample: the difference, and half the widths of its intervals on these topics and for topics like
# these.
DIFFERENCE, HALF_WIDTH, TOPICS_HALF_WIDTH = "difference", "half_width", "topics_half_width"


@dataclass(frozen=True)
class Estimate:
    """Estimated scores of one measure, a number for each run.

    by : the estimator, by its name in `evaluate`, or the method that drew the sample
    score : means over `topics` topics
    low, high : ends of 95% intervals on these topics, None where there are none
    topics_low, topics_high : the same for topics like these
    approximate : the interval holds only nearly
    early : why there is no interval, see `TooEarly`: of what there are `early_count`, not `early_needed`
    left_out : topics that had too few judgments for the estimate
    pairs : matrices of the pairs that belong to it, by their names
    planned : topics, judgments in each, and half the width of the interval of a difference on these topics
        and on topics like these; `campaigns.scoring.sample_planning` has the meaning
    """

    kind: Kind
    by: str
    topics: int
    score: Column
    low: Column = ()
    high: Column = ()
    topics_low: Column = ()
    topics_high: Column = ()
    approximate: bool = False
    early: str = ""
    early_count: float = 0.0
    early_needed: float = 0.0
    left_out: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    planned: tuple[tuple[int, int, float, float], ...] = ()


@dataclass(frozen=True)
class MeasureScores:
    """Scores by one measure, a number for each run, None where it has no value on any topic.

    name : as the campaign has it
    computed : as commands have it, where the lowest relevant grade is part of it
    score : usual values, for which unjudged documents are not relevant; over `topics` topics
    base, top : certain bounds; empty for a measure that has none
    """

    name: str
    computed: str
    topics: int
    score: Column
    base: Column = ()
    top: Column = ()
    estimates: tuple[Estimate, ...] = ()

    @property
    def has_bounds(self) -> bool:
        return bool(self.base)

    def estimate(self, kind: Kind) -> Estimate | None:
        """The first of that kind."""
        return next((one for one in self.estimates if one.kind == kind), None)

    @property
    def best_estimate(self) -> Estimate | None:
        """A sample's estimate before a model's."""
        return self.estimate("sampled") or self.estimate("expected")

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        columns = {name: tuple(row[name]) for name in ("score", "base", "top")}
        return cls(**{**row, **columns, "estimates": tuple(map(_estimate, row["estimates"]))})


def _estimate(row: Mapping[str, Any]) -> Estimate:
    columns = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    return Estimate(**{**row, **columns})


@dataclass(frozen=True)
class MeasuredContent:
    """`Measured.content`. `seconds`: the time that it took; `matrices`: names of the packed ones in order,
    each as `measure estimator name`."""

    measures: tuple[MeasureScores, ...] = ()
    matrices: tuple[str, ...] = ()
    judged: int = 0
    reason: Unmeasured | Literal[""] = ""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        measures = tuple(map(MeasureScores.from_json, row["measures"]))
        return cls(measures, tuple(row["matrices"]), row["judged"], row["reason"], row["seconds"])


@dataclass(frozen=True, eq=False)
class MeasuredCampaign:
    """All measures of a campaign as of one judgment; `runs`: ids, in the order of all columns."""

    as_of: int
    runs: tuple[int, ...]
    content: MeasuredContent
    packed: bytes = field(default=b"", repr=False)

    @property
    def primary(self) -> MeasureScores | None:
        return next(iter(self.content.measures), None)

    def named(self, measure: str) -> MeasureScores | None:
        return next((one for one in self.content.measures if one.name == measure), None)

    @cached_property
    def place(self) -> Mapping[int, int]:
        """A run's place in the columns, by its id."""
        return {run: place for place, run in enumerate(self.runs)}

    def matrix(self, measure: MeasureScores, estimate: Estimate, name: str) -> FloatArray:
        """One of the estimate's `pairs`, float64 (runs, runs), row minus column."""
        size = len(self.runs)
        at = self.content.matrices.index(matrix_name(measure.name, estimate.by, name))
        width = size * size
        return unpack_weights(self.packed)[at * width : (at + 1) * width].reshape(size, size)


def column(values: Sequence[float | None]) -> Column:
    """None for what is no number."""
    return tuple(value if value is not None and isfinite(value) else None for value in values)


def matrix_name(measure: str, by: str, name: str) -> str:
    return f"{measure} {by} {name}"


def pack_matrices(matrices: Sequence[FloatArray]) -> bytes:
    return b"".join(np.ascontiguousarray(one, dtype=WEIGHTS).tobytes() for one in matrices)


def measured_of(*, campaign: Campaign, pairs: bool = True) -> MeasuredCampaign:
    """The latest scores of the campaign's present runs and settings; with the reason why there are none."""
    rows = Measured.objects.filter(campaign=campaign, configuration=campaign.configuration)
    row = (rows if pairs else rows.defer("pairs")).first()
    if row is None:
        reason: Unmeasured = "computing" if campaign.runs.taking_part().exists() else "empty"
        return MeasuredCampaign(0, (), MeasuredContent(reason=reason))
    content = MeasuredContent.from_json(row.content)
    runs = tuple(unpack_runs(row.runs).tolist())
    return MeasuredCampaign(row.as_of, runs, content, bytes(row.pairs) if pairs else b"")
