"""The threshold scan: the heaviest documents, exactly, without weighing all of them.

A document's weight is a sum over runs, share times factor. When no factor has grown by more than `growth`
since a document was weighed, its weight has not grown by more either. A shortlist holds the documents that
weighed at least `cut` under some earlier factors, heaviest first; reading it down to where old weight times
growth falls below what was found gives the true maximum. Method A's weight is the weight under factors of
1, so the same rule with growth = the largest factor fills the list from whole pools.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.judgments import Judgments
from selection.pool import TopicPool
from selection.rounding import round_significant


@dataclass(frozen=True, eq=False)
class Occurrences:
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

    def take(self, documents: IntArray) -> Occurrences:
        start, at = _spread(self.start[documents], self.start[documents + 1])
        return Occurrences(start, self.run[at], self.share[at])


def gather(pool: TopicPool, documents: IntArray, share: FloatArray) -> Occurrences:
    """The occurrences of these pool indices; `share` by rank."""
    start, at = _spread(pool.start[documents], pool.start[documents + 1])
    return Occurrences(start, pool.run[at].astype(np.intp), share[pool.rank[at]])


def join(parts: Sequence[Occurrences]) -> Occurrences:
    ends = np.cumsum([0, *(part.start[-1] for part in parts)])
    starts = [part.start[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Occurrences(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.run for part in parts]),
        np.concatenate([part.share for part in parts]),
    )


def _spread(first: IntArray, last: IntArray) -> tuple[IntArray, IntArray]:
    """Start of each stretch when first[i]:last[i] are laid end to end, and all their indices."""
    first = first.astype(np.intp)
    start = np.zeros(len(first) + 1, dtype=np.intp)
    np.cumsum(last - first, out=start[1:])
    return start, np.arange(start[-1]) + np.repeat(first - start[:-1], np.diff(start))


@dataclass(frozen=True, eq=False)
class WeighedDocuments:
    """Documents that were weighed: topics, pool indices, weights and Method-A weights (12 digits)."""

    topic: IntArray
    document: IntArray
    weight: FloatArray
    method_a: FloatArray

    def sorted(self, limit: int | None = None) -> WeighedDocuments:
        """In serving order: weight, Method-A weight, topic order, docno (the pool index carries it)."""
        if len(self.document) == 1:
            return self
        order = np.lexsort((self.document, self.topic, -self.method_a, -self.weight))[:limit]
        return WeighedDocuments(
            self.topic[order], self.document[order], self.weight[order], self.method_a[order]
        )

    def merged(self, other: WeighedDocuments) -> WeighedDocuments:
        return WeighedDocuments(
            np.concatenate([self.topic, other.topic]),
            np.concatenate([self.document, other.document]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.method_a, other.method_a]),
        ).sorted()


# Wider than rounding to 12 digits: nothing that could tie may be left unread.
SLACK = 1.0 + 1e-9
FIRST_READ = 24
SURPLUS = 4


@dataclass(frozen=True, eq=False)
class ListedDocuments:
    """Some documents and their occurrences; `place` is the index into `Judgments.out`."""

    topic: IntArray
    document: IntArray
    place: IntArray
    method_a: FloatArray
    entries: Occurrences

    def __len__(self) -> int:
        return len(self.place)

    def take(self, which: IntArray) -> ListedDocuments:
        return ListedDocuments(
            self.topic[which],
            self.document[which],
            self.place[which],
            self.method_a[which],
            self.entries.take(which),
        )


class FactorSnapshot:
    """Factors of some moment, to see by how much they have grown since."""

    def __init__(self, factors: FloatArray) -> None:
        self._zero = factors == 0
        self._any_zero = bool(self._zero.any())
        self._inverse = np.divide(1.0, factors, out=np.zeros_like(factors), where=~self._zero)

    def growth(self, factors: FloatArray) -> float:
        if self._any_zero and (factors[self._zero] > 0).any():
            return np.inf
        return float((factors * self._inverse).max(initial=0.0))


class Shortlist:
    """The documents that weighed at least `cut` under `factors`; all others weighed less.

    A negative cut means that there are no others.
    """

    def __init__(self, listed: ListedDocuments, factors: FloatArray, cut: float) -> None:
        self._filled, self._filled_cut = FactorSnapshot(factors), cut
        self._weigh(listed, factors, cut)

    def heaviest(
        self, factors: FloatArray, limit: int, out: BoolArray, without: int = -1
    ) -> WeighedDocuments | None:
        """The `limit` heaviest documents under the factors of now, None if the list is too short.

        `out` flags the places that cannot be chosen; `without` is one more of them.
        """
        growth = self._snapshot.growth(factors)
        read = min(len(self._listed), FIRST_READ + limit)
        weights = self._read(factors, 0, read, out, without)
        while read < (needed := self._reach(floor := nth(weights, limit), growth)):
            # With a floor, it only rises: one more stretch is enough.
            more = needed if floor > 0 else min(needed, 2 * read)
            weights = np.concatenate([weights, self._read(factors, read, more, out, without)])
            read = more
        if self._cut >= 0 and self._cut * growth * SLACK >= floor:
            return None
        heaviest = self._sorted(weights, floor, limit)
        self._surplus += read - limit
        if self._surplus > SURPLUS * len(self._listed):
            alive = np.flatnonzero(~out[self._listed.place])
            self._weigh(self._listed, factors, self._filled_cut * self._filled.growth(factors), alive)
        return heaviest

    def _weigh(
        self, listed: ListedDocuments, factors: FloatArray, cut: float, alive: IntArray | None = None
    ) -> None:
        """Order the list, of which only `alive` stay, by its weights under these factors, which others then
        are compared with."""
        weights = listed.entries.weights(factors, 0, len(listed))
        # Chosen and ordered in one go, as copying occurrences is what takes the time.
        order = np.arange(len(listed)) if alive is None else alive
        order = order[np.argsort(-weights[order], kind="stable")]
        self._listed, self._lightness = listed.take(order), -weights[order]
        self._snapshot, self._cut = FactorSnapshot(factors), cut
        # Documents read in vain since then: when they are many, ordering again is cheaper.
        self._surplus = 0

    def _read(self, factors: FloatArray, first: int, last: int, out: BoolArray, without: int) -> FloatArray:
        """Weights now, -1 for what cannot be chosen."""
        weights = self._listed.entries.weights(factors, first, last)
        place = self._listed.place[first:last]
        weights[out[place]] = -1.0
        if without >= 0:
            weights[place == without] = -1.0
        return weights

    def _reach(self, floor: float, growth: float) -> int:
        """Number of listed documents that could weigh `floor` or more."""
        if floor <= 0 or growth == np.inf:
            return len(self._listed)
        lightest = floor / (growth * SLACK) if growth > 0 else np.inf
        return int(self._lightness.searchsorted(-lightest, side="right"))

    def _sorted(self, weights: FloatArray, floor: float, limit: int) -> WeighedDocuments:
        which = np.flatnonzero(weights >= max(floor, 0.0) / SLACK)
        listed = self._listed
        documents = WeighedDocuments(
            listed.topic[which],
            listed.document[which],
            round_significant(weights[which]),
            listed.method_a[which],
        )
        return documents.sorted(limit)


def nth(weights: FloatArray, n: int) -> float:
    """The n-th largest, -1 if there are fewer that can be chosen."""
    if len(weights) < n:
        return -1.0
    if n == 1:
        return float(weights.max())
    weights = weights.copy()
    weights.partition(len(weights) - n)
    return float(weights[len(weights) - n])


def fill(
    pools: Sequence[TopicPool],
    judgments: Judgments,
    share: FloatArray,
    factors: FloatArray,
    topics: Sequence[int],
    want: int,
) -> Shortlist:
    """List the `want` heaviest documents of these topics that may still be chosen, or all if fewer.

    `share` is the weight of each rank (index 0 unused), `factors` the multiplier of each run.
    """
    largest = float(factors.max(initial=0.0))
    open_ = [np.flatnonzero(~judgments.out_of(topic)) for topic in topics]
    reach = _probe([len(documents) for documents in open_], want)
    weights = [_weigh(pools[t], d[:n], share, factors) for t, d, n in zip(topics, open_, reach, strict=True)]
    floor = max(nth(_joined(weights), want), 0.0)
    lightest = floor / (largest * SLACK * SLACK) if largest > 0 else 0.0
    for i, (topic, documents) in enumerate(zip(topics, open_, strict=True)):
        # Pool order is Method-A order, so what could weigh enough is a prefix.
        end = int(np.count_nonzero(pools[topic].method_a[documents] >= lightest))
        further = documents[reach[i] : end]
        weights[i] = np.concatenate([weights[i], _weigh(pools[topic], further, share, factors)])
    # With fewer than `want`, or with weights of 0 to be listed, nothing is left out.
    cut = -1.0 if floor == 0 else nth(_joined(weights), want)
    parts = [
        _listed(pools[t], judgments, t, d[: len(w)][w >= cut], share)
        for t, d, w in zip(topics, open_, weights, strict=True)
    ]
    return Shortlist(_join(parts), factors, cut)


def _probe(lengths: Sequence[int], want: int) -> list[int]:
    """Number of documents of each topic to weigh first, so that there are at least `want`, if at all
    possible."""
    each = 2 * want // max(int(np.count_nonzero(lengths)), 1) + 1
    while sum(min(each, length) for length in lengths) < min(want, sum(lengths)):
        each *= 2
    return [min(each, length) for length in lengths]


def _weigh(pool: TopicPool, documents: IntArray, share: FloatArray, factors: FloatArray) -> FloatArray:
    return gather(pool, documents, share).weights(factors, 0, len(documents))


def _joined(arrays: Sequence[FloatArray]) -> FloatArray:
    return np.concatenate([np.zeros(0), *arrays])


def _listed(
    pool: TopicPool, judgments: Judgments, topic: int, documents: IntArray, share: FloatArray
) -> ListedDocuments:
    return ListedDocuments(
        np.full(len(documents), topic, dtype=np.int32),
        documents,
        judgments.offset[topic] + documents,
        round_significant(pool.method_a[documents]),
        gather(pool, documents, share),
    )


def _join(parts: Sequence[ListedDocuments]) -> ListedDocuments:
    return ListedDocuments(
        np.concatenate([part.topic for part in parts]),
        np.concatenate([part.document for part in parts]),
        np.concatenate([part.place for part in parts]),
        np.concatenate([part.method_a for part in parts]),
        join([part.entries for part in parts]),
    )
