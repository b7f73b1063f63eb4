"""Current judgments of a campaign, by topic and document, and which documents may still be chosen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.pool import Pools


@dataclass(frozen=True)
class GainChange:
    """One document's gain before and after; None = not judged."""

    topic: int
    document: int
    before: float | None
    after: float | None


class Judgments:
    """Current gain of every judged document, and which documents may still be chosen.

    out : bool, all topics' documents one after the other: judged, passed over, or ranked by no run that
        contributes. A topic's part is right once `out_of` was asked for it, and from then on.
    offset : int64 (topics + 1,), where each topic begins
    """

    def __init__(self, pools: Pools, contributing: BoolArray, unranked: Collection[int] = ()) -> None:
        """`unranked` are the topics whose documents may be chosen though no run ranks them."""
        self.offset: IntArray = np.concatenate([[0], np.cumsum(pools.capacities)])
        self._pools, self._contributing, self._unranked = pools, contributing, frozenset(unranked)
        self._judged: defaultdict[int, dict[int, float]] = defaultdict(dict)
        self._barred: BoolArray = np.zeros(self.offset[-1], dtype=np.bool_)
        self.out: BoolArray = np.zeros(self.offset[-1], dtype=np.bool_)
        self._sizes: dict[int, int] = {}
        self._searched: defaultdict[int, set[int]] = defaultdict(set)

    def copy(self) -> Judgments:
        other = copy(self)
        other._judged = defaultdict(dict, {topic: dict(gains) for topic, gains in self._judged.items()})
        other._barred, other.out, other._sizes = self._barred.copy(), self.out.copy(), dict(self._sizes)
        other._searched = defaultdict(set, {topic: set(ids) for topic, ids in self._searched.items()})
        return other

    def place(self, topic: int, document: int) -> int:
        return int(self.offset[topic]) + document

    def gain(self, topic: int, document: int) -> float | None:
        return self._judged[topic].get(document)

    def judged_in(self, topic: int) -> dict[int, float]:
        """The topic's current gains by pool index, in no particular order; not to be written to."""
        return self._judged[topic]

    def note_searched(self, topic: int, document: int, searched: bool) -> None:
        """Mark or unmark a document as found by an assessor's search and not served."""
        if searched:
            self._searched[topic].add(document)
        else:
            self._searched[topic].discard(document)

    def assume_not_relevant(self, topic: int, fitted: BoolArray) -> None:
        """Give every unjudged document of the topic gain 0; models of relevance are fitted to those of them
        that `fitted` (documents,) names, as to what was served."""
        size, judged = self._prepare(topic), self._judged[topic]
        self._judged[topic] = dict.fromkeys(range(size), 0.0) | judged
        self._searched[topic] |= set(np.flatnonzero(~fitted).tolist()) - judged.keys()
        self.out[self.offset[topic] : self.offset[topic] + size] = True

    def served_in(self, topic: int) -> dict[int, float]:
        """`judged_in` without what was found by search: such documents are relevant more often than others
        that are ranked alike, so models of relevance are not fitted to them."""
        searched = self._searched.get(topic)
        judged = self._judged[topic]
        if not searched:
            return judged
        return {document: gain for document, gain in judged.items() if document not in searched}

    def gains_of(self, topic: int) -> FloatArray:
        """The topic's gains by pool index, NaN = not judged."""
        gains = np.full(len(self._pools[topic]), np.nan)
        judged = self._judged[topic]
        gains[np.fromiter(judged.keys(), dtype=np.int64)] = np.fromiter(judged.values(), dtype=np.float64)
        return gains

    def set(self, topic: int, document: int, gain: float | None) -> None:
        self._prepare(topic)
        if gain is None:
            self._judged[topic].pop(document, None)
        else:
            self._judged[topic][document] = gain
        place = self.place(topic, document)
        self.out[place] = gain is not None or self._barred[place]

    def bar(self, topic: int, document: int | None = None) -> None:
        """Never choose this document, or any of the topic, whatever happens to its judgment."""
        self._prepare(topic)
        first = self.offset[topic]
        places = slice(first, self.offset[topic + 1]) if document is None else first + document
        self._barred[places] = self.out[places] = True

    def is_out(self, topic: int, document: int) -> bool:
        self._prepare(topic)
        return bool(self.out[self.place(topic, document)])

    def is_barred(self, topic: int, document: int) -> bool:
        self._prepare(topic)
        return bool(self._barred[self.place(topic, document)])

    def barred_in(self, topic: int) -> BoolArray:
        """Documents of the topic never to be chosen, by pool index; a view."""
        size = self._prepare(topic)
        first = self.offset[topic]
        return self._barred[first : first + size]

    def out_of(self, topic: int) -> BoolArray:
        """The topic's part of `out`, by pool index; a view."""
        size = self._prepare(topic)
        first = self.offset[topic]
        return self.out[first : first + size]

    def out_after(self, topic: int, after: GainChange | None) -> BoolArray:
        """`out_of` as it would be if this act of the topic had been made."""
        out = self.out_of(topic)
        if after is None:
            return out
        out = out.copy()
        withdrawn = after.before is not None and after.after is None
        out[after.document] = not withdrawn or self.is_barred(topic, after.document)
        return out

    def open_in(self, topic: int) -> int:
        """Number of the topic's documents that can still be chosen."""
        out = self.out_of(topic)
        return len(out) - int(np.count_nonzero(out))

    def _prepare(self, topic: int) -> int:
        """Number of the topic's documents. The first call bars those that cannot be chosen."""
        known = self._sizes.get(topic)
        if known is not None:
            return known
        pool = self._pools[topic]
        size = self._sizes[topic] = len(pool)
        if topic not in self._unranked:
            barred = ~pool.chosen_by(self._contributing)
            places = slice(self.offset[topic], self.offset[topic] + size)
            self._barred[places] = self.out[places] = barred
        return size
