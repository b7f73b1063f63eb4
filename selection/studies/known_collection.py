"""A collection whose relevance is known: the data of every study."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import FloatArray, IntArray
from selection.pool import Ids
from selection.studies.topics.topic_trials import KnownTopics
from selection.topics.lists import cut_lists

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class KnownTopic:
    """One topic with at least one judgment; a document is its place in the order of docnos.

    number : its name
    rankings : int32 (ranks,) of each run, best document first; None where a run misses the topic
    scores : float (ranks,) of each run, likewise: the run's own score of each document
    gains : float64 (documents,) in [0, 1]; NaN where the qrels do not name the document
    unranked : float64, gains in [0, 1] of the judged documents that no run ranks
    grades, unranked_grades : float64, like `gains` and `unranked`: what measures of cumulated gain read; None
        for both where they read the gains
    """

    number: str
    rankings: Sequence[Ids | None]
    scores: Sequence[NDArray[np.floating[Any]] | None]
    gains: FloatArray
    unranked: FloatArray
    grades: FloatArray | None = None
    unranked_grades: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class KnownCollection:
    """Runs over judged topics.

    runs : the runs' names
    topics : at least one judgment each
    groups : int (runs,), equal for the runs of one participant
    """

    runs: tuple[str, ...]
    topics: Sequence[KnownTopic]
    groups: IntArray
    _made: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(topic.number for topic in self.topics)

    def default_gains(self) -> dict[str, float]:
        """The gain of each grade, by its name and ascending; empty unless topics keep their grades."""
        gains: dict[float, float] = {}
        for topic in self.topics:
            for grades, of in ((topic.grades, topic.gains), (topic.unranked_grades, topic.unranked)):
                if grades is not None:
                    gains.update(zip(grades.tolist(), of.tolist(), strict=True))
        return {f"{grade:g}": gains[grade] for grade in sorted(gains) if not isnan(grade)}

    def cached(self, key: object, make: Callable[[], Made]) -> Made:
        """`make()`, computed once for each key: trials share what they derive from the collection."""
        if key not in self._made:
            self._made[key] = make()
        return cast("Made", self._made[key])

    def topics_to_choose(self, depth: int) -> KnownTopics:
        """The topics as the methods that choose topics see them, each list cut at `depth`; a document that
        the qrels do not name is not relevant.

        Raises ValueError if a run gives every document the same score, as these methods read scores.
        """
        return self.cached(("topics to choose", depth), lambda: self._topics_to_choose(depth))

    def _topics_to_choose(self, depth: int) -> KnownTopics:
        for place in range(len(self.runs)):
            self._refuse_equal_scores(place)
        lists, relevance = [], []
        for topic in self.topics:
            pooled, topic_lists = cut_lists(topic.rankings, topic.scores, depth)
            if topic_lists.documents:
                lists.append((topic.number, topic_lists))
                relevance.append((np.nan_to_num(topic.gains[pooled]) > 0).astype(np.float64))
        numbers = tuple(number for number, _ in lists)
        return KnownTopics([topic_lists for _, topic_lists in lists], numbers, relevance, self.groups)

    def _refuse_equal_scores(self, run: int) -> None:
        scores = [of_run for topic in self.topics if (of_run := topic.scores[run]) is not None]
        every = np.concatenate([np.zeros(0, np.float32), *scores])
        if len(every) > 1 and every.min() == every.max():
            raise ValueError(
                f"run {self.runs[run]} gives every document the score {every[0]:g}; topics are chosen by "
                "scores that differ"
            )

    def fingerprint(self) -> str:
        """16 hexadecimal digits of everything that a trial may read; 32-bit scores count as 64-bit ones."""
        digest = hashlib.sha256(repr((self.runs, self.numbers, self.groups.tolist())).encode())
        for topic in self.topics:
            scores = [None if one is None else one.astype(np.float64) for one in topic.scores]
            for array in (*topic.rankings, *scores, topic.gains, topic.unranked):
                digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
            for grades in (topic.grades, topic.unranked_grades):
                digest.update(b"" if grades is None else np.ascontiguousarray(grades).tobytes())
        return digest.hexdigest()[:16]
