from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.found import Found
from selection.judgments import Judgments
from selection.protocol import Choice

UNKNOWN, NOTHING = -2, -1


class Tops:
    """Each topic's best document, remembered until something of the topic changes."""

    def __init__(self, topics: int) -> None:
        self._place: IntArray = np.full(topics, UNKNOWN, dtype=np.int64)
        self._document: IntArray = np.zeros(topics, dtype=np.int64)
        self._weight: FloatArray = np.full(topics, -1.0)
        self._method_a: FloatArray = np.zeros(topics)

    def forget(self, topic: int) -> None:
        self._place[topic] = UNKNOWN

    def unknown(self, judgments: Judgments) -> list[int]:
        """Topics to look at again: forgotten, or their best document was taken out of the pool."""
        gone = (self._place >= 0) & judgments.out[self._place] if len(judgments.out) else self._place >= 0
        return np.flatnonzero(gone | (self._place == UNKNOWN)).tolist()

    def note(self, topic: int, found: Found, judgments: Judgments) -> None:
        if not len(found.document):
            self._place[topic], self._weight[topic] = NOTHING, -1.0
            return
        self._document[topic] = found.document[0]
        self._place[topic] = judgments.place(topic, int(found.document[0]))
        self._weight[topic], self._method_a[topic] = found.weight[0], found.method_a[0]

    def best(self) -> Choice | None:
        heaviest = np.flatnonzero(self._weight == self._weight.max(initial=0.0))
        if not len(heaviest):
            return None
        topic = int(heaviest[np.argmax(self._method_a[heaviest])])
        return Choice(topic, int(self._document[topic]), float(self._weight[topic]))
