"""Topics with their runs' rankings and judgments, as the arrays that measures take."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.formats.prels import PooledDocument, SampledJudgment, SampledJudgments, Strata
from campaigns.formats.qrels import Grade
from campaigns.formats.runs.report import RunReport
from campaigns.formats.subtopics import Subtopics
from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.ordering import Scores
from selection.pool import Ids


@dataclass(frozen=True, eq=False)
class JudgedTopic:
    """One topic; a document's id is its place in `docnos`, which ascend by their UTF-8 bytes.

    Where `docnos` are only those that the qrels name, all others have the id -1.
    """

    number: str
    docnos: Sequence[str]
    rankings: list[Ids | None]
    grades: Mapping[str, Grade]
    # In the pool, and not judged on purpose: sampled measures count them.
    not_judged: Set[str] = frozenset()
    drawn: Mapping[str, SampledJudgment] | None = None
    strata: Mapping[str, PooledDocument] | None = None
    # The subtopics that each judged document is relevant to.
    subtopics: Mapping[str, Set[str]] | None = None
    # For each ranking, where a document has the score of the one before it.
    ties: Sequence[BoolArray | None] | None = None
    # For each ranking, the score of each document; () where only named documents are distinguished.
    scores: Sequence[Scores | None] = ()

    @property
    def is_ranked(self) -> bool:
        return any(ranking is not None for ranking in self.rankings)

    def gains(self, grading: Grading) -> FloatArray:
        """Gains (documents,) by id, NaN where not judged."""
        return self._by_id(grading.gain)

    def grades_by_id(self) -> FloatArray:
        """Grades (documents,) by id, NaN where not judged."""
        return self._by_id(float)

    def _by_id(self, value: Callable[[Grade], float]) -> FloatArray:
        values = np.full(len(self.docnos), np.nan)
        docnos, ids = self.places(self.grades)
        values[ids] = [value(self.grades[docno]) for docno in docnos]
        return values

    def judged(self) -> BoolArray:
        """(documents,) by id: where a document is judged."""
        judged = np.zeros(len(self.docnos), dtype=np.bool_)
        judged[self.places(self.grades)[1]] = True
        return judged

    def pooled(self) -> BoolArray:
        """(documents,) by id: where a document is judged, or named by the qrels as not judged."""
        pooled = self.judged()
        pooled[self.places(self.not_judged)[1]] = True
        return pooled

    def ranks(self, documents: IntArray) -> IntArray:
        """Ranks, (runs, documents), of documents by their ids; 0 where a run does not rank one."""
        # Its last element is for documents without an id of their own.
        place = np.full(len(self.docnos) + 1, -1)
        place[documents] = np.arange(len(documents))
        placed = np.zeros((len(self.rankings), len(documents)), dtype=np.int64)
        for row, ranking in zip(placed, self.rankings, strict=True):
            if ranking is not None:
                at = place[ranking]
                row[at[at >= 0]] = np.flatnonzero(at >= 0) + 1
        return placed

    def to_depth(self, depth: int) -> JudgedTopic:
        """Each ranking's first documents only."""
        return self._kept([None if ids is None else np.arange(min(depth, len(ids))) for ids in self.rankings])

    def judged_lists(self) -> JudgedTopic:
        """Rankings without the documents that are not judged."""
        # Its last element is for documents without an id of their own.
        judged = np.append(self.judged(), False)
        return self._kept([None if ids is None else np.flatnonzero(judged[ids]) for ids in self.rankings])

    def _kept(self, places: Sequence[IntArray | None]) -> JudgedTopic:
        """Each ranking's documents at these places, which ascend."""
        ties, scores = self.ties or [None] * len(places), self.scores
        return replace(
            self,
            rankings=[
                None if ids is None or at is None else ids[at]
                for ids, at in zip(self.rankings, places, strict=True)
            ],
            ties=[
                None if tied is None or at is None else _ties_between(tied, at)
                for tied, at in zip(ties, places, strict=True)
            ],
            scores=[
                None if of is None or at is None else of[at] for of, at in zip(scores, places, strict=True)
            ]
            if scores
            else scores,
        )

    def places(self, names: Iterable[str]) -> tuple[list[str], list[int]]:
        """Names that are in `docnos`, and their ids."""
        pairs = [(name, bisect_left(self.docnos, name)) for name in names]
        # Code points ascend as UTF-8 bytes do.
        known = [(name, at) for name, at in pairs if at < len(self.docnos) and self.docnos[at] == name]
        return [name for name, _ in known], [at for _, at in known]


def _ties_between(tied: BoolArray, places: IntArray) -> BoolArray:
    """Mark a document at one of the places if it has the score of the one at the place before."""
    group = np.cumsum(~tied)[places]
    ties = np.zeros(len(places), dtype=np.bool_)
    np.equal(group[1:], group[:-1], out=ties[1:])
    return ties


@dataclass(frozen=True, eq=False)
class JudgedCollection:
    """All runs' names, in the order of the files, and all topics that a run or the qrels name. `tags`,
    `reports`: the runs' own and what was noticed in their files, where they were read from files."""

    runs: tuple[str, ...]
    topics: tuple[JudgedTopic, ...]
    tags: tuple[str, ...] = ()
    reports: tuple[RunReport, ...] = ()

    @property
    def judged(self) -> int:
        return sum(len(topic.grades) for topic in self.topics)

    @cached_property
    def grades(self) -> list[Grade]:
        """Every grade that the qrels give, ascending."""
        return sorted({grade for topic in self.topics for grade in topic.grades.values()})

    @property
    def without_judgments(self) -> list[str]:
        return [topic.number for topic in self.topics if not topic.grades]

    @property
    def without_runs(self) -> list[str]:
        return [topic.number for topic in self.topics if not topic.is_ranked]

    @property
    def unjudged_runs(self) -> list[str]:
        """Runs that rank no judged document."""
        left = set(range(len(self.runs)))
        for topic in self.topics:
            if not left:
                break
            # Its last element is for documents without an id of their own.
            judged = np.append(topic.judged(), False)
            left -= {
                run for run in left if (ranked := topic.rankings[run]) is not None and judged[ranked].any()
            }
        return [self.runs[run] for run in sorted(left)]

    def with_samples(self, prels: SampledJudgments) -> JudgedCollection:
        topics = tuple(replace(topic, drawn=prels.get(topic.number)) for topic in self.topics)
        return replace(self, topics=topics)

    def with_strata(self, strata: Strata) -> JudgedCollection:
        topics = tuple(replace(topic, strata=strata.get(topic.number)) for topic in self.topics)
        return replace(self, topics=topics)

    def with_subtopics(self, subtopics: Subtopics) -> JudgedCollection:
        topics = tuple(replace(topic, subtopics=subtopics.get(topic.number)) for topic in self.topics)
        return replace(self, topics=topics)

    def without_ties(self) -> JudgedCollection:
        topics = tuple(replace(topic, ties=[None] * len(self.runs)) for topic in self.topics)
        return replace(self, topics=topics)

    def to_depth(self, depth: int) -> JudgedCollection:
        """With each run's first `depth` documents of a topic only."""
        return replace(self, topics=tuple(topic.to_depth(depth) for topic in self.topics))

    def judged_lists(self) -> JudgedCollection:
        """With runs without the documents that are not judged."""
        return replace(self, topics=tuple(topic.judged_lists() for topic in self.topics))

    def only_judged(self) -> JudgedCollection:
        return replace(self, topics=tuple(topic for topic in self.topics if topic.grades))
