"""Runs and qrels together, read as the commands read them, with the sentences on what was noticed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from judged.qrels import QrelsSource, read_qrels
from judged.runs import RunsSource, read_runs

if TYPE_CHECKING:
    from campaigns.formats.grading import Grading
    from campaigns.formats.runs.reader import Order
    from campaigns.scoring.judged_collection import JudgedCollection
    from evaluation.arrays import BoolArray, IntArray
    from evaluation.measure import Measure
    from evaluation.measures.ordering import ScorePrecision

# Of grades 0, 1, 2 …, or by grade, or a file of a grade and its gain a line.
GainsSource: TypeAlias = Sequence[float] | Mapping[int, float] | str | PathLike[str]
# The sentences of commands name their options.
_OPTIONS = {"--topics judged": 'topics="judged"', "--order rank": 'order="rank"', "--gains": "gains"}


class Notice(UserWarning):
    """Warning about input that may be misread, or choices that were made by default."""


class Reading(TypedDict, total=False):
    """Options of every function that takes runs and qrels.

    gains : gains of grades 0, 1, 2 …, each in [0, 1], or {grade: gain}, or a file as `export_qrels --what
        gains` writes it; default: 1 from grade 1 on, and a fractional grade counts its own value
    topics : "all" (default), those of runs and qrels, or "judged", those with a judgment
    order, score_precision, jobs, cache : as of `read_runs`
    depth : number of documents of a run and topic to use, from the first; all by default
    judged_only : leaves unjudged documents out of the runs
    """

    gains: GainsSource | None
    topics: Literal["all", "judged"]
    order: Order | None
    score_precision: ScorePrecision
    jobs: int
    cache: bool
    depth: int | None
    judged_only: bool


@dataclass
class Notices:
    """Sentences, collected and warned of at the end."""

    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        for option, keyword in _OPTIONS.items():
            sentence = sentence.replace(option, keyword)
        self.sentences.append(sentence)

    def warn(self) -> tuple[str, ...]:
        """All sentences; each is a warning at the caller of the library's function, too."""
        for sentence in self.sentences:
            warnings.warn(sentence, Notice, stacklevel=3)
        return tuple(self.sentences)


def read_collection(
    runs: RunsSource,
    qrels: QrelsSource | None,
    notices: Notices,
    measures: Sequence[Measure] = (),
    *,
    gains: GainsSource | None = None,
    topics: Literal["all", "judged"] = "all",
    order: Order | None = None,
    score_precision: ScorePrecision = 64,
    jobs: int = 1,
    cache: bool = False,
    depth: int | None = None,
    judged_only: bool = False,
    scored: bool = True,
) -> tuple[JudgedCollection, Grading]:
    """The collection and the gains of its grades; see `Reading`. `scored`: refuse qrels that judge no topic
    of the runs, and keep the topics to average over."""
    from campaigns.formats.grading import Grading
    from campaigns.formats.qrels import ParsedQrels, QrelsReport
    from campaigns.management.offline.files import build
    from campaigns.scoring.scored_topics import narrowest_scale, scored_topics

    if topics not in ("all", "judged"):
        raise ValueError(f"topics is {topics!r}, neither 'all' nor 'judged'")
    if depth is not None and depth < 1:
        raise ValueError(f"depth = {depth} is below 1")
    # The qrels first, as the commands do: they are short, and an error in them shows at once.
    judgments = None if qrels is None else read_qrels(qrels)
    grading = Grading(gains_of(gains), narrowest_scale(measures))
    parsed = ParsedQrels({}, QrelsReport()) if judgments is None else judgments.parsed
    name = "qrels" if judgments is None else judgments.name
    grading.check(parsed, name)
    read = read_runs(runs, order=order, score_precision=score_precision, jobs=jobs, cache=cache)
    collection = build(read.names, read.joined, parsed)
    if read.order != "score":
        collection = collection.without_ties()
    if depth is not None:
        collection = collection.to_depth(depth)
    if judged_only:
        collection = collection.judged_lists()
    for notice in read.notices:
        notices.add(notice)
    if scored:
        collection = scored_topics(collection, name, topics, notices.add)
    return collection, grading


def gains_of(given: GainsSource | None) -> dict[int, float] | None:
    """The gain of each grade; ValueError for one outside [0, 1]."""
    from campaigns.formats.grading import read_gains

    if given is None:
        return None
    if isinstance(given, str | PathLike):
        return dict(read_gains(Path(given)))
    by_grade = given.items() if isinstance(given, Mapping) else enumerate(given)
    gains = {int(grade): float(gain) for grade, gain in by_grade}
    wrong = next((gain for gain in gains.values() if not 0 <= gain <= 1), None)
    if wrong is not None:
        raise ValueError(f"the gain {wrong:g} is outside [0, 1]: divide gains by the highest")
    return gains


def method_options(options: Mapping[str, object] | None, groups: Mapping[str, str] | None) -> dict[str, str]:
    """Options of a method as the commands have them; ValueError unless teams come with what reads them."""
    given = {name: str(value) for name, value in (options or {}).items()}
    if (given.get("run_weights") == "team") != (groups is not None):
        raise ValueError("the option run_weights=team needs groups, and only it reads them")
    return given


def contributing_runs(names: Iterable[str] | None, runs: Sequence[str]) -> BoolArray:
    """Mark the runs named, (runs,); all if none are given. ValueError for a name that no run has."""
    import numpy as np

    from campaigns.management.offline.files import unknown_run

    chosen = list(runs) if names is None else list(names)
    if wrong := next((name for name in chosen if name not in runs), None):
        raise ValueError(unknown_run(wrong, runs))
    return np.isin(np.array(runs), chosen)


def run_groups(groups: Mapping[str, str] | None, runs: Sequence[str]) -> IntArray | None:
    """The team of each run as a number, (runs,); a run that is not named is a team of its own."""
    from campaigns.management.offline.files import group_numbers, unknown_run

    if groups is None:
        return None
    if wrong := next((name for name in groups if name not in runs), None):
        raise ValueError(unknown_run(wrong, runs))
    return group_numbers(groups, runs)
