"""Interface of the studies of papers: settings, trials, and a table and figure of their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import scipy

from evaluation.arrays import FloatArray
from selection.studies.known_collection import KnownCollection
from selection.topics.measures import PUBLISHED


@dataclass(frozen=True)
class TrialMean:
    """A mean over trials. `half_width`: of its 95% interval, by Student's t. `marked`: better than those that
    the table compares it with."""

    mean: float
    half_width: float
    trials: int
    marked: bool = False


Row = dict[str, str | int | float | TrialMean]
# A point of a figure: named values.
Point = dict[str, str | int | float]
# What a trial finds: lists, strings, numbers, None, and dictionaries of them by strings.
Found = Any


def trial_mean(values: FloatArray) -> TrialMean:
    """Mean of values (trials,), two or more, with its interval.

    >>> trial_mean(np.array([0.5, 0.7]))
    TrialMean(mean=0.6, half_width=1.2706, trials=2, marked=False)
    """
    count = len(values)
    error = float(values.std(ddof=1) / np.sqrt(count))
    half = float(scipy.stats.t.ppf(0.975, count - 1)) * error
    return TrialMean(round(float(values.mean()), 12), round(half, 4), count)


@dataclass(frozen=True)
class StudySettings:
    """Settings of a study; each study names those that it reads.

    trials : how many of each kind, 2 or more, where a study draws at random
    seed : of the first trial
    depth : ranks of each run and topic that are judged
    p : persistences of RBP, each in (0, 1); none: those of the paper
    budgets : judgments, ascending; none: chosen by the collection's size
    methods : names of selection methods; none: those of the paper
    variance : of AP and recall where topics are selected, a name of `selection.topics.measures.VARIANCES`
    minutes_per_topic, seconds_per_judgment : cost of developing a topic and of a judgment, 0 or more; by
        default the medians of Carterette and others 2008
    """

    trials: int = 20
    seed: int = 0
    depth: int = 100
    p: tuple[float, ...] = ()
    budgets: tuple[int, ...] = ()
    methods: tuple[str, ...] = ()
    variance: str = PUBLISHED
    minutes_per_topic: float = 5.0
    seconds_per_judgment: float = 14 * 60 / 40


class Trial(Protocol):
    """One piece of a study's work: a frozen dataclass of strings, numbers and tuples of them. Two studies
    that have an equal trial share its result."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True)
class PaperStudy:
    """A study as pure functions; results are by trial.

    trials : what is to be done, in a defined order without repetitions; raises ValueError, in words for the
        reader, where the collection has too little for the study
    run : do one trial; depends on nothing but its arguments, and is a module's function (processes import it)
    rows : the paper's table
    points : what the figure shows
    uses : names of the fields of `StudySettings` that it reads
    fewest_runs, fewest_topics : without which it says nothing
    """

    trials: Callable[[KnownCollection, StudySettings], Sequence[Any]]
    run: Callable[[KnownCollection, Any], Found]
    rows: Callable[[KnownCollection, StudySettings, Mapping[Any, Found]], list[Row]]
    points: Callable[[KnownCollection, StudySettings, Mapping[Any, Found]], list[Point]]
    uses: tuple[str, ...]
    fewest_runs: int = 2
    fewest_topics: int = 2

    def check(self, known: KnownCollection) -> None:
        """Raises ValueError where the collection is too small."""
        for name, count, fewest in (
            ("runs", len(known.runs), self.fewest_runs),
            ("judged topics", len(known.topics), self.fewest_topics),
        ):
            if count < fewest:
                raise ValueError(f"too few {name} ({count}): this study needs {fewest} or more")


# Raised whenever a trial of some type would find other results than before: what is kept then counts no more.
VERSION = 3


def trial_key(trial: Trial) -> str:
    """The trial as text, equal for equal trials of one type and version."""
    return json.dumps([VERSION, type(trial).__name__, asdict(trial)], sort_keys=True)


def found_as_kept(result: Found) -> Found:
    """A result as it is read back from JSON: a study that was interrupted computes with the same values."""
    return json.loads(json.dumps(result, allow_nan=False))
