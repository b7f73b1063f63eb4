"""Move-to-front (Cormack, Palmer and Clarke 1998)."""

from __future__ import annotations

from heapq import heappop, heapreplace

from selection.framework.interface import Setting
from selection.framework.topicwise import Topicwise
from selection.framework.walks import RunLists, WalkingTopic


class MoveToFront:
    """The run of highest priority gives its next document, ties to the earlier run. A relevant document
    makes the run's priority the highest there is; any other lowers it by 1. That the document was known
    from another run makes no difference."""

    def __init__(self, lists: RunLists) -> None:
        self._lists = lists
        self._next = list(lists.first)
        # Lowered by so much, run; ascending, and so a heap.
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
