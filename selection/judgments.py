from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.pool import TopicPool


class Judgments:
    """Current gain of every pooled document, and which documents may still be chosen.

    gains : float64 (documents of all topics,), NaN = not judged; topics follow one another
    out : bool, same shape: judged, passed over, or of no weight
    offset : int64 (topics + 1,), where each topic begins
    """

    def __init__(self, pools: Sequence[TopicPool]) -> None:
        self.offset: IntArray = np.cumsum([0, *(len(pool) for pool in pools)])
        self.gains: FloatArray = np.full(self.offset[-1], np.nan)
        # A document that only runs outside the pool rank, or so deep that its weight underflows.
        weights = [np.zeros(0), *(pool.method_a for pool in pools)]
        self._barred: BoolArray = np.concatenate(weights) == 0
        self.out: BoolArray = self._barred.copy()

    def place(self, topic: int, document: int) -> int:
        return int(self.offset[topic]) + document

    def gain(self, topic: int, document: int) -> float | None:
        gain = float(self.gains[self.place(topic, document)])
        return None if isnan(gain) else gain

    def set(self, topic: int, document: int, gain: float | None) -> None:
        place = self.place(topic, document)
        self.gains[place] = np.nan if gain is None else gain
        self.out[place] = gain is not None or self._barred[place]

    def bar(self, topic: int, document: int | None = None) -> None:
        """Never choose this document, or any of the topic, whatever happens to its judgment."""
        first = self.offset[topic]
        places = slice(first, self.offset[topic + 1]) if document is None else first + document
        self._barred[places] = self.out[places] = True

    def is_out(self, topic: int, document: int) -> bool:
        return bool(self.out[self.place(topic, document)])

    def is_barred(self, topic: int, document: int) -> bool:
        return bool(self._barred[self.place(topic, document)])

    def out_of(self, topic: int) -> BoolArray:
        """The topic's part of `out`, by pool index; a view."""
        return self.out[self.offset[topic] : self.offset[topic + 1]]
