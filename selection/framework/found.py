from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Found:
    """Documents that were weighed: topics, pool indices, weights and Method-A weights (12 digits)."""

    topic: IntArray
    document: IntArray
    weight: FloatArray
    method_a: FloatArray

    def sorted(self, limit: int | None = None) -> Found:
        """In serving order: weight, Method-A weight, topic order, docno (the pool index carries it)."""
        if len(self.document) == 1:
            return self
        order = np.lexsort((self.document, self.topic, -self.method_a, -self.weight))[:limit]
        return Found(self.topic[order], self.document[order], self.weight[order], self.method_a[order])

    def merged(self, other: Found) -> Found:
        return Found(
            np.concatenate([self.topic, other.topic]),
            np.concatenate([self.document, other.document]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.method_a, other.method_a]),
        ).sorted()
