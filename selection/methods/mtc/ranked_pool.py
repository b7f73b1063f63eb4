"""A topic's pool laid out for MTC: the documents that the contributing runs rank, and where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.pool import TopicPool

# Most documents are ranked by so many runs or fewer; what is taken together is laid out for them.
NARROW = 8


@dataclass(frozen=True, eq=False)
class RankedPool:
    """Weighing part of a topic's pool: the first ranks of the runs that take part.

    Documents come by how many runs rank them. First all entries of the narrow ones, in layers: each one's
    first, then each one's second that has one, and so on; then those of the others, one after the other.

    part : bool (runs,), which take part; runs : how many do, also where they miss the topic
    documents : intp (k,), pool indices of those that they rank there
    place : intp (pool,), a pool index's place in `documents`, -1 where it has none
    count : intp (k,), how many entries each has; the narrow are first
    begin : intp (k - narrow,), where the entries of the others begin
    layer : intp (layers,), a narrow document's j-th entry is layer[j] + its place
    run : intp (entries,); rank : int (entries,); document : int32 (entries,), pool index
    """

    part: BoolArray
    runs: int
    documents: IntArray
    place: IntArray
    count: IntArray
    begin: IntArray
    layer: IntArray
    run: IntArray
    rank: IntArray
    document: IntArray

    @cached_property
    def narrow(self) -> int:
        return len(self.count) - len(self.begin)

    @cached_property
    def everywhere(self) -> IntArray:
        """The entries (m, runs) of the documents that every run ranks; they are the last m."""
        first = int(np.searchsorted(self.count, self.runs))
        return self.entries_of(np.arange(first, len(self.count))).reshape(-1, max(self.runs, 1))

    def entries(self, document: int) -> IntArray:
        """Entries of a document, given by pool index."""
        place = self.place[document]
        if place < 0:
            return np.zeros(0, dtype=np.intp)
        if place < self.narrow:
            return np.asarray(self.layer[: self.count[place]] + place)
        begin = self.begin[place - self.narrow]
        return np.arange(begin, begin + self.count[place])

    def entries_of(self, places: IntArray) -> IntArray:
        """Entries of several documents, given by place, one document after the other."""
        return _entries(places, self.count[places], self.begin, self.layer, self.narrow)

    @cached_property
    def _steps(self) -> list[tuple[int, slice]]:
        """For each layer but the first, the first place that it has, and its entries."""
        firsts = np.searchsorted(self.count, np.arange(2, len(self.layer) + 1))
        return [
            (int(first), slice(int(start + first), int(start) + self.narrow))
            for first, start in zip(firsts, self.layer[1:], strict=True)
        ]

    def reduce(self, ufunc: np.ufunc, values: FloatArray) -> FloatArray:
        """Each document's entries of `values` (entries,) taken together by a ufunc, (k,)."""
        results, narrow = np.empty(len(self.documents)), self.narrow
        results[:narrow] = values[:narrow]
        for first, entries in self._steps:
            ufunc(results[first:narrow], values[entries], out=results[first:narrow])
        if len(self.begin):
            start = self.begin[0]
            ufunc.reduceat(values[start:], self.begin - start, out=results[narrow:])
        return results

    def by_run(self) -> tuple[IntArray, IntArray]:
        """Lay entries run after run by rank: the start of each run, and each entry's place."""
        lengths = np.bincount(self.run, minlength=len(self.part))
        first = np.concatenate([[0], np.cumsum(lengths)])
        return first, first[self.run] + self.rank - 1

    def rankings(self) -> list[IntArray]:
        """Each run's pool indices in rank order, (runs of the campaign,); empty for those without part."""
        first, at = self.by_run()
        laid = np.empty_like(self.document)
        laid[at] = self.document
        return [laid[first[run] : first[run + 1]] for run in range(len(self.part))]


def ranked_pool(pool: TopicPool, part: BoolArray, depth: int | None) -> RankedPool:
    mask = part[pool.run]
    if depth is not None:
        mask &= pool.rank <= depth
    counts = np.diff(np.concatenate([[0], np.cumsum(mask)])[pool.start])
    documents = np.flatnonzero(counts)
    documents = documents[np.argsort(counts[documents], kind="stable")]
    place = np.full(len(pool), -1)
    place[documents] = np.arange(len(documents))
    count = counts[documents]
    begin, layer = _layout(count)
    # From the order of the pool's entries to this one.
    ranked = place[place >= 0]
    at = _entries(ranked, count[ranked], begin, layer, len(count) - len(begin))
    run, rank = np.empty(len(at), dtype=np.intp), np.empty(len(at), dtype=pool.rank.dtype)
    document = np.empty(len(at), dtype=np.int32)
    run[at], rank[at] = pool.run[mask], pool.rank[mask]
    document[at] = np.repeat(np.arange(len(pool)), counts)
    runs = int(np.count_nonzero(part))
    return RankedPool(part, runs, documents, place, count, begin, layer, run, rank, document)


def _layout(count: IntArray) -> tuple[IntArray, IntArray]:
    """`begin` and `layer` for documents with so many entries each, ascending."""
    narrow = int(np.searchsorted(count, NARROW, side="right"))
    firsts = np.searchsorted(count[:narrow], np.arange(1, int(count[:narrow].max(initial=0)) + 1))
    ends = np.cumsum(narrow - firsts)
    wide = count[narrow:]
    return count[:narrow].sum() + np.cumsum(wide) - wide, ends - narrow


def _entries(places: IntArray, count: IntArray, begin: IntArray, layer: IntArray, narrow: int) -> IntArray:
    entries = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    places = np.repeat(places, count)
    low = places < narrow
    entries[low] = layer[entries[low]] + places[low]
    entries[~low] += begin[places[~low] - narrow]
    return entries
