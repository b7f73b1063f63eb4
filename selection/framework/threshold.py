"""The threshold scan: the heaviest documents, exactly, without weighing all of them.

A document's weight is a sum over runs, share times factor. When no factor has grown by more than
`growth` since a document was weighed, its weight has not grown by more either. A shortlist holds the
documents that weighed at least `cut` under some earlier factors, heaviest first; reading it down to
where old weight times growth falls below what was found gives the true maximum. Method A's weight is
the weight under factors of 1, so the same rule with growth = the largest factor fills the list.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.framework.entries import Entries
from selection.framework.found import Found
from selection.rounding import significant

# Wider than rounding to 12 digits: nothing that could tie may be left unread.
SLACK = 1.0 + 1e-9
FIRST_READ = 24
SURPLUS = 2


@dataclass(frozen=True, eq=False)
class Listed:
    """Some documents and their occurrences; `place` is the index into `Judgments.out`."""

    topic: IntArray
    document: IntArray
    place: IntArray
    method_a: FloatArray
    entries: Entries

    def __len__(self) -> int:
        return len(self.place)

    def take(self, which: IntArray) -> Listed:
        return Listed(
            self.topic[which],
            self.document[which],
            self.place[which],
            self.method_a[which],
            self.entries.take(which),
        )


class Snapshot:
    """Factors of some moment, to tell by how much they have grown since."""

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

    def __init__(self, listed: Listed, factors: FloatArray, cut: float) -> None:
        self._filled, self._filled_cut = Snapshot(factors), cut
        self._weigh(listed, factors, cut)

    def heaviest(self, factors: FloatArray, limit: int, out: BoolArray, without: int = -1) -> Found | None:
        """The `limit` heaviest documents under the factors of now, None if the list is too short to tell.

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
        found = self._sorted(weights, floor, limit)
        self._surplus += read - limit
        if self._surplus > SURPLUS * len(self._listed):
            alive = np.flatnonzero(~out[self._listed.place])
            self._weigh(self._listed.take(alive), factors, self._filled_cut * self._filled.growth(factors))
        return found

    def _weigh(self, listed: Listed, factors: FloatArray, cut: float) -> None:
        """Order the list by its weights under these factors, which others then are compared with."""
        weights = listed.entries.weights(factors, 0, len(listed))
        order = np.argsort(-weights, kind="stable")
        self._listed, self._lightness = listed.take(order), -weights[order]
        self._snapshot, self._cut = Snapshot(factors), cut
        # Documents read in vain since then: when they are many, ordering anew is cheaper.
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
        """How many of the list could weigh `floor` or more."""
        if floor <= 0 or growth == np.inf:
            return len(self._listed)
        lightest = floor / (growth * SLACK) if growth > 0 else np.inf
        return int(self._lightness.searchsorted(-lightest, side="right"))

    def _sorted(self, weights: FloatArray, floor: float, limit: int) -> Found:
        which = np.flatnonzero(weights >= max(floor, 0.0) / SLACK)
        listed = self._listed
        found = Found(
            listed.topic[which], listed.document[which], significant(weights[which]), listed.method_a[which]
        )
        return found.sorted(limit)


def nth(weights: FloatArray, n: int) -> float:
    """The n-th largest, -1 if there are fewer that can be chosen."""
    if len(weights) < n:
        return -1.0
    if n == 1:
        return float(weights.max())
    weights = weights.copy()
    weights.partition(len(weights) - n)
    return float(weights[len(weights) - n])
