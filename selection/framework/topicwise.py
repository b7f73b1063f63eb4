"""Methods in which no topic's judgments change another topic's order, and topics whose order is settled
before anything is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace
from typing import Protocol

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.cache import LruCache
from selection.framework.interface import Explanation, NextDocument, Queue, Setting, make_explanation
from selection.judgments import GainChange
from selection.rounding import round_significant


@dataclass(frozen=True, eq=False)
class FixedOrder:
    """documents : int (k,), pool indices in serving order; weights : float64 (k,), falling along it

    inclusion : float64 (k,), with which probability each was drawn; None if nothing is drawn
    shares : float64 (entries,), what `explain` gives for each occurrence of a document in a run
    """

    documents: IntArray
    weights: FloatArray
    inclusion: FloatArray | None
    shares: FloatArray


class FixedTopic:
    """One topic served in a fixed order, but for what is judged or passed over."""

    def __init__(self, setting: Setting, topic: int, order: FixedOrder) -> None:
        self._setting, self._topic, self.order = setting, topic, order

    def judged(self, act: GainChange) -> bool:
        return True

    def queue(self, limit: int, after: GainChange | None) -> Queue:
        order, out = self.order, self._setting.judgments.out_after(self._topic, after)
        which = np.flatnonzero(~out[order.documents])[:limit]
        inclusion = None if order.inclusion is None else order.inclusion[which]
        return Queue(order.documents[which], order.weights[which], inclusion)

    def remaining(self) -> int:
        out = self._setting.judgments.out_of(self._topic)
        return int(np.count_nonzero(~out[self.order.documents]))

    def explain(self, document: int) -> Explanation:
        """A document that is not to be served weighs 0."""
        pool = self._setting.pools[self._topic]
        runs, ranks = pool.occurrences(document)
        at = np.flatnonzero(self.order.documents == document)
        out = self._setting.judgments.is_out(self._topic, document)
        weight = float(self.order.weights[at[0]]) if len(at) and not out else 0.0
        shares = self.order.shares[pool.start[document] : pool.start[document + 1]]
        return make_explanation(self._setting, runs, ranks, shares, weight)


# Occurrences of documents in runs, over all topics whose states are kept.
TOPIC_CACHE_SIZE = 2_500_000


HeapKey = tuple[float, float]


class TopicState(Protocol):
    """One topic under a method, brought up to the judgments that hold when it is made. It may be let
    go and made again at any time."""

    def judged(self, act: GainChange) -> bool:
        """Follow one act of the topic; False if the state must be made again for it."""
        ...

    def queue(self, limit: int, after: GainChange | None) -> Queue: ...

    def remaining(self) -> int: ...

    def explain(self, document: int) -> Explanation: ...


class Topicwise:
    """A method made of topic states.

    `best` is the topic's first document that weighs most. With `rounds`, for weights that do not compare
    across topics, it is that of the topic with the fewest judgments. Ties go to the document of greater
    Method-A weight, as everywhere, then to the earlier topic.
    """

    def __init__(
        self,
        setting: Setting,
        make: Callable[[Setting, int], TopicState],
        *,
        rounds: bool = False,
        room: int = TOPIC_CACHE_SIZE,
    ) -> None:
        self._setting, self._rounds = setting, rounds
        self._states: LruCache[int, TopicState] = LruCache(
            lambda topic: make(setting, topic), lambda topic, _: len(setting.pools[topic].run) + 100, room
        )
        # What is to be looked at first comes first; an entry whose stamp is not the topic's is void.
        self._heap: list[tuple[HeapKey, int, int]] = []
        self._stamps = dict.fromkeys(setting.topics, 0)
        self._tops: dict[int, NextDocument | None] = {}
        self._unknown = set(setting.topics)

    def judged(self, act: GainChange) -> None:
        state = self._states.peek(act.topic)
        if state is not None and not state.judged(act):
            self._states.discard(act.topic)
        self._tops.pop(act.topic, None)
        self._unknown.add(act.topic)

    def best(self) -> NextDocument | None:
        for topic in sorted(self._unknown):
            self._stamps[topic] += 1
            if self._rounds:
                self._push(topic, (len(self._setting.judgments.judged_in(topic)), 0.0))
            elif (top := self._top(topic)) is not None:
                self._push(topic, self._key(top))
        self._unknown.clear()
        while self._heap:
            key, topic, stamp = self._heap[0]
            if stamp == self._stamps[topic] and (top := self._top(topic)) is not None:
                if self._rounds or self._key(top) == key:
                    return top
                # Its first document was passed over since.
                heapreplace(self._heap, (self._key(top), topic, stamp))
            else:
                heappop(self._heap)
        return None

    def queue(self, topic: int, limit: int, after: GainChange | None) -> Queue:
        return self._states[topic].queue(limit, after)

    def remaining(self, topic: int) -> int:
        return self._states[topic].remaining()

    def explain(self, topic: int, document: int) -> Explanation:
        return self._states[topic].explain(document)

    def _push(self, topic: int, key: HeapKey) -> None:
        heappush(self._heap, (key, topic, self._stamps[topic]))

    def _key(self, top: NextDocument) -> HeapKey:
        method_a = self._setting.pools[top.topic].method_a[top.document]
        return -top.weight, -float(round_significant(method_a))

    def _top(self, topic: int) -> NextDocument | None:
        """Remembered until the topic is judged, or the document passed over."""
        top = self._tops.get(topic)
        if top is None or self._setting.judgments.is_out(topic, top.document):
            top = self._tops[topic] = self._first(topic)
        return top

    def _first(self, topic: int) -> NextDocument | None:
        queue = self._states[topic].queue(1, None)
        if not len(queue.documents):
            return None
        return NextDocument(topic, int(queue.documents[0]), float(queue.weights[0]))
