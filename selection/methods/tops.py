from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.framework.found import Found
from selection.framework.interface import Choice


class Tops:
    """Each topic's best document, remembered until something of the topic changes."""

    def __init__(self, topics: int, served: Iterable[int]) -> None:
        self.unknown = set(served)
        self._document: IntArray = np.zeros(topics, dtype=np.int64)
        # Negative where the topic has no document left.
        self._weight: FloatArray = np.full(topics, -1.0)
        self._method_a: FloatArray = np.zeros(topics)

    def note(self, topic: int, found: Found) -> None:
        self.unknown.discard(topic)
        if not len(found.document):
            self._weight[topic] = -1.0
            return
        self._document[topic] = found.document[0]
        self._weight[topic], self._method_a[topic] = found.weight[0], found.method_a[0]

    def best(self) -> Choice | None:
        heaviest = self._weight.max(initial=-1.0)
        if heaviest < 0:
            return None
        tied = np.flatnonzero(self._weight == heaviest)
        topic = int(tied[self._method_a[tied].argmax()])
        return Choice(topic, int(self._document[topic]), float(heaviest))
