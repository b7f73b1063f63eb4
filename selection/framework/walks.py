"""Methods that walk down a list, or down several: each judgment decides what is looked at next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from itertools import islice
from typing import NamedTuple, Protocol, Self

import numpy as np

from evaluation.arrays import BoolArray, IntArray
from selection.framework.interface import Explanation, Queue, Setting, make_explanation
from selection.judgments import GainChange
from selection.pool import TopicPool
from selection.rounding import round_significant


class Fact(Enum):
    """Knowledge about a document."""

    RELEVANT = "relevant"
    NOT_RELEVANT = "not relevant"
    PASSED_OVER = "passed over"
    UNKNOWN = "unknown"


class Walk(Protocol):
    """A walk through one topic's documents. It may look at a document more than once."""

    @property
    def document(self) -> int | None:
        """The current document, as a pool index; None at the end."""
        ...

    @property
    def run(self) -> int:
        """Run of the current document, -1 if it is no run's."""
        ...

    @property
    def weight(self) -> float:
        """Weight of the current document; positive."""
        ...

    def learn(self, relevant: bool) -> None:
        """Record the current document's relevance; go on to the next."""
        ...

    def presume(self) -> None:
        """Treat the current document as not relevant, as forecasts of a queue do; go on to the next."""
        ...

    def skip(self) -> None:
        """Go on to the next without having learnt anything."""
        ...

    def fork(self) -> Self: ...


class WalkStep(NamedTuple):
    document: int
    weight: float
    run: int


class RunLists:
    """The documents of each contributing run in rank order, as pool indices: those of run r are
    `documents[first[r]:end[r]]`."""

    def __init__(self, pool: TopicPool, contributing: BoolArray) -> None:
        entries = np.flatnonzero(contributing[pool.run])
        order = entries[np.lexsort((pool.rank[entries], pool.run[entries]))]
        of: IntArray = np.repeat(np.arange(len(pool), dtype=np.int32), np.diff(pool.start))
        # It gives plain integers, and several times faster than an array.
        self.documents = of[order].data
        lengths = np.bincount(pool.run[entries], minlength=len(contributing))
        self.end: list[int] = np.cumsum(lengths).tolist()
        self.first: list[int] = (np.cumsum(lengths) - lengths).tolist()


class WalkingTopic:
    """One topic served by a walk from nothing: it learns of each judged document when it comes to it, skips
    what was passed over, and stops at the first other one, which is next. Judgments of documents that it
    has not come to change nothing yet.

    The queue goes on from there as if each document served were not relevant. A document's weight is the
    walk's when it is served, or that of the one served before where that is smaller.
    """

    def __init__(self, setting: Setting, topic: int, served: BoolArray, begin: Callable[[], Walk]) -> None:
        """`served` (n,): what may be served, unless it is out."""
        self._setting, self._topic, self._served, self._begin = setting, topic, served, begin
        judgments = setting.judgments
        self._judged, self._out = judgments.judged_in(topic), judgments.out_of(topic)
        self._walk = begin()
        self._met: set[int] = set()

    def judged(self, act: GainChange) -> bool:
        return act.document not in self._met or self._agrees(act)

    def queue(self, limit: int, after: GainChange | None) -> Queue:
        # A closed topic would be walked to its end to find that out.
        documents = list(islice(self._serve(after), limit)) if after or self.remaining() else []
        weights = round_significant(np.array([one.weight for one in documents], dtype=np.float64))
        return Queue(np.array([one.document for one in documents], dtype=np.int64), weights)

    def remaining(self) -> int:
        return int(np.count_nonzero(self._served & ~self._out))

    def explain(self, document: int) -> Explanation:
        """The whole weight is the share of the run whose document it is when it is served; a document that
        is not to be served weighs 0."""
        runs, ranks = self._setting.pools[self._topic].occurrences(document)
        weight, run = 0.0, -1
        if self._served[document] and not self._out[document]:
            one = next(one for one in self._serve(None) if one.document == document)
            weight, run = float(round_significant(np.array(one.weight))), one.run
        return make_explanation(self._setting, runs, ranks, np.where(runs == run, weight, 0.0), weight)

    def _serve(self, after: GainChange | None) -> Iterator[WalkStep]:
        self._settle()
        supposed: dict[int, Fact] = {}
        if after is not None:
            supposed[after.document] = self._fact_after(after)
        if after is None or after.document not in self._met or self._agrees(after):
            walk = self._walk.fork()
        else:
            walk = self._begin()
        lightest = np.inf
        while (document := walk.document) is not None:
            fact = self._fact(document, supposed)
            if fact is Fact.UNKNOWN:
                lightest = min(lightest, walk.weight)
                yield WalkStep(document, lightest, walk.run)
                supposed[document] = Fact.NOT_RELEVANT
                walk.presume()
            else:
                _tell(walk, fact)

    def _settle(self) -> None:
        """Bring the walk to the first document that can be served."""
        while (document := self._walk.document) is not None:
            fact = self._fact(document, {})
            if fact is Fact.UNKNOWN:
                return
            self._met.add(document)
            _tell(self._walk, fact)

    def _fact(self, document: int, supposed: Mapping[int, Fact]) -> Fact:
        if document in supposed:
            return supposed[document]
        gain = self._judged.get(document)
        if gain is not None:
            return Fact.RELEVANT if self._setting.relevant(gain) else Fact.NOT_RELEVANT
        return Fact.PASSED_OVER if self._out[document] else Fact.UNKNOWN

    def _fact_after(self, act: GainChange) -> Fact:
        if act.after is not None:
            return Fact.RELEVANT if self._setting.relevant(act.after) else Fact.NOT_RELEVANT
        barred = self._setting.judgments.is_barred(self._topic, act.document)
        return Fact.PASSED_OVER if act.before is None or barred else Fact.UNKNOWN

    def _agrees(self, act: GainChange) -> bool:
        """True if the act does not change the walk's knowledge of its document."""
        if act.before is None or act.after is None:
            return act.before is act.after
        return self._setting.relevant(act.before) == self._setting.relevant(act.after)


def _tell(walk: Walk, fact: Fact) -> None:
    if fact is Fact.PASSED_OVER:
        walk.skip()
    else:
        walk.learn(fact is Fact.RELEVANT)
