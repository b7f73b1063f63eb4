from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.pool import TopicPool


@dataclass(frozen=True, eq=False)
class Entries:
    """Some documents' occurrences, copied side by side so that they are read in one stretch.

    start : intp (k + 1,), document i has entries start[i]:start[i + 1]; each document has at least one
    run : intp (entries,); share : float64 (entries,), the weight of the rank
    """

    start: IntArray
    run: IntArray
    share: FloatArray

    def weights(self, factors: FloatArray, first: int, last: int) -> FloatArray:
        """Sum of share times factor of the run, for documents first:last."""
        if first >= last:
            return np.zeros(0)
        begin, end = self.start[first], self.start[last]
        parts = factors[self.run[begin:end]]
        parts *= self.share[begin:end]
        return np.asarray(np.add.reduceat(parts, self.start[first:last] - begin))

    def take(self, documents: IntArray) -> Entries:
        start, at = _spread(self.start[documents], self.start[documents + 1])
        return Entries(start, self.run[at], self.share[at])


def gather(pool: TopicPool, documents: IntArray, share: FloatArray) -> Entries:
    """The occurrences of these pool indices; `share` by rank."""
    start, at = _spread(pool.start[documents], pool.start[documents + 1])
    return Entries(start, pool.run[at].astype(np.intp), share[pool.rank[at]])


def join(parts: Sequence[Entries]) -> Entries:
    ends = np.cumsum([0, *(part.start[-1] for part in parts)])
    starts = [part.start[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Entries(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.run for part in parts]),
        np.concatenate([part.share for part in parts]),
    )


def _spread(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
    """Where each stretch begins when first[i]:last[i] are laid end to end, and all their indices."""
    first = first.astype(np.intp)
    start = np.zeros(len(first) + 1, dtype=np.intp)
    np.cumsum(last - first, out=start[1:])
    return start, np.arange(start[-1]) + np.repeat(first - start[:-1], np.diff(start))
