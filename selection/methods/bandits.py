"""Methods that treat each run as an arm: MaxMean and MM-NS (Losada, Parapar and Barreiro 2016, 2017), and
move-to-front (Cormack, Palmer and Clarke 1998)."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heapreplace

import numpy as np

from evaluation.arrays import FloatArray
from selection.framework.interface import Setting
from selection.framework.topicwise import Topicwise
from selection.framework.walks import RunLists, WalkingTopic
from selection.pool import TopicPool
from selection.rounding import round_significant


@dataclass(frozen=True)
class MaxMeanOptions:
    """rho : factor of both counts of a run, relevant and judged, before a further document is counted.

    With 1 all documents count alike, which is MaxMean. With 0, the default, only the last one counts. The
    paper gives no default; the public program of MM-NS passes 0.
    """

    rho: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.rho <= 1:
            raise ValueError(f"rho = {self.rho} is outside [0, 1]")


class MaxMean:
    """The run of highest mean gives its next document that no run has given, ties to the earlier run.

    Each run that ranks the document counts it: relevant <- rho relevant + x and judged <- rho judged + 1,
    where x is 1 for a relevant document, else 0. A run's mean is (1 + relevant) / (2 + judged), that of a
    beta distribution that begins uniform.
    """

    def __init__(self, pool: TopicPool, lists: RunLists, rho: float) -> None:
        self._pool, self._lists, self._rho = pool, lists, rho
        runs = len(lists.first)
        self._relevant: FloatArray = np.zeros(runs)
        self._judged: FloatArray = np.zeros(runs)
        self._mean: FloatArray = np.full(runs, 0.5)
        self._next = list(lists.first)
        # One byte a document: given by a run, or skipped.
        self._done = bytearray(len(pool))
        self._run = -1
        self._document: int | None = None
        for run in range(runs):
            if lists.first[run] == lists.end[run]:
                self._mean[run] = -1.0
        self._look()

    @property
    def document(self) -> int | None:
        return self._document

    @property
    def run(self) -> int:
        return self._run

    @property
    def weight(self) -> float:
        return float(self._mean[self._run])

    def learn(self, relevant: bool) -> None:
        if self._document is None:
            return
        at = self._pool.occurrences(self._document)[0].astype(np.intp)
        self._relevant[at] = self._rho * self._relevant[at] + relevant
        self._judged[at] = self._rho * self._judged[at] + 1
        means = round_significant((1 + self._relevant[at]) / (2 + self._judged[at]))
        # Runs without a further document stay below all others.
        self._mean[at] = np.where(self._mean[at] < 0, -1.0, means)
        self.skip()

    def presume(self) -> None:
        """Count the document as not relevant: a queue is a forecast, made before it is judged."""
        self.learn(False)

    def skip(self) -> None:
        if self._document is not None:
            self._done[self._document] = 1
            self._look()

    def fork(self) -> MaxMean:
        copy = object.__new__(MaxMean)
        copy.__dict__ |= self.__dict__
        copy._relevant, copy._judged = self._relevant.copy(), self._judged.copy()
        copy._mean = self._mean.copy()
        copy._next, copy._done = self._next.copy(), self._done.copy()
        return copy

    def _look(self) -> None:
        """Find the next document: that of the best run that still has one."""
        documents, end, done = self._lists.documents, self._lists.end, self._done
        while len(self._mean) and self._mean[run := int(self._mean.argmax())] >= 0:
            place = self._next[run]
            while place < end[run] and done[documents[place]]:
                place += 1
            self._next[run] = place
            if place < end[run]:
                self._run, self._document = run, documents[place]
                return
            self._mean[run] = -1.0
        self._run, self._document = -1, None


def max_mean(setting: Setting, rho: float) -> Topicwise:
    """In topic scope each topic has its turn; in campaign scope that whose best run has the highest mean."""

    def make(setting: Setting, topic: int) -> WalkingTopic:
        pool = setting.pools[topic]
        lists = RunLists(pool, setting.contributing)
        served = pool.chosen_by(setting.contributing)
        return WalkingTopic(setting, topic, served, lambda: MaxMean(pool, lists, rho))

    return Topicwise(setting, make, rounds=setting.scope == "topic")


class MoveToFront:
    """The run of highest priority gives its next document, ties to the earlier run. A relevant document
    makes the run's priority the highest there is; any other lowers it by 1. That the document was known
    from another run makes no difference."""

    def __init__(self, lists: RunLists) -> None:
        self._lists = lists
        self._next = list(lists.first)
        # How much the priority of each run was lowered, and the run: a sorted list is a heap.
        lengths = enumerate(zip(lists.first, lists.end, strict=True))
        self._heap = [(0, run) for run, (first, end) in lengths if first < end]

    @property
    def document(self) -> int | None:
        return self._lists.documents[self._next[self.run]] if self._heap else None

    @property
    def run(self) -> int:
        return self._heap[0][1]

    @property
    def weight(self) -> float:
        return 1.0 / (1 + self._heap[0][0])

    def learn(self, relevant: bool) -> None:
        self._go_on(0 if relevant else self._heap[0][0] + 1)

    def presume(self) -> None:
        """Count the document as not relevant: a queue is a forecast, made before it is judged."""
        self.learn(False)

    def skip(self) -> None:
        self._go_on(self._heap[0][0])

    def fork(self) -> MoveToFront:
        copy = object.__new__(MoveToFront)
        copy._lists, copy._next, copy._heap = self._lists, self._next.copy(), self._heap.copy()
        return copy

    def _go_on(self, lowered: int) -> None:
        run = self.run
        self._next[run] += 1
        if self._next[run] == self._lists.end[run]:
            heappop(self._heap)
        else:
            heapreplace(self._heap, (lowered, run))


def move_to_front(setting: Setting) -> Topicwise:
    """Local in topic scope: each topic has its turn. Global in campaign scope: the topic whose first run
    has the highest priority."""

    def make(setting: Setting, topic: int) -> WalkingTopic:
        pool = setting.pools[topic]
        lists = RunLists(pool, setting.contributing)
        served = pool.chosen_by(setting.contributing)
        return WalkingTopic(setting, topic, served, lambda: MoveToFront(lists))

    return Topicwise(setting, make, rounds=setting.scope == "topic")
