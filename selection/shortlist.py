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
from selection.entries import Entries
from selection.found import Found
from selection.rounding import significant

# Wider than rounding to 12 digits: nothing that could tie may be left unread.
SLACK = 1.0 + 1e-9
FIRST_READ = 32


@dataclass(frozen=True, eq=False)
class Listed:
    """The listed documents, by earlier weight descending; `place` is the index into `Judgments.out`."""

    topic: IntArray
    document: IntArray
    place: IntArray
    method_a: FloatArray
    weight: FloatArray
    entries: Entries

    def take(self, which: IntArray) -> Listed:
        return Listed(
            self.topic[which],
            self.document[which],
            self.place[which],
            self.method_a[which],
            self.weight[which],
            self.entries.take(which),
        )


class Shortlist:
    def __init__(self, listed: Listed, factors: FloatArray, cut: float) -> None:
        self._listed = listed
        # Documents that are not listed weighed less than this; negative when there are none.
        self._cut = cut
        self._none = factors == 0
        self._inverse = np.divide(1.0, factors, out=np.zeros_like(factors), where=~self._none)

    def heaviest(self, factors: FloatArray, limit: int, out: BoolArray, without: int = -1) -> Found | None:
        """The `limit` heaviest documents under the factors of now, None if the list is too short to tell.

        `out` flags the places that cannot be chosen; `without` is one more of them.
        """
        growth = self._growth(factors)
        read = min(len(self._listed.place), max(FIRST_READ, limit + limit // 4))
        weights, alive = self._read(factors, 0, read, out, without)
        while True:
            floor = nth(weights, limit)
            needed = self._reach(floor, growth)
            if read >= needed:
                break
            more = min(needed, 2 * read)
            further, living = self._read(factors, read, more, out, without)
            weights, alive, read = np.concatenate([weights, further]), alive + living, more
        if self._cut >= 0 and self._cut * growth * SLACK >= floor:
            return None
        found = self._sorted(weights, floor, limit)
        if 2 * alive < read and read > FIRST_READ // 2:
            self._drop(out)
        return found

    def _growth(self, factors: FloatArray) -> float:
        if (factors[self._none] > 0).any():
            return np.inf
        return float((factors * self._inverse).max(initial=0.0))

    def _read(
        self, factors: FloatArray, first: int, last: int, out: BoolArray, without: int
    ) -> tuple[FloatArray, int]:
        """Weights now, -1 for what cannot be chosen, and how many can."""
        weights = self._listed.entries.weights(factors, first, last)
        place = self._listed.place[first:last]
        dead = out[place]
        if without >= 0:
            dead |= place == without
        weights[dead] = -1.0
        return weights, len(dead) - int(np.count_nonzero(dead))

    def _reach(self, floor: float, growth: float) -> int:
        """How many of the list could weigh `floor` or more."""
        if floor <= 0 or not np.isfinite(growth):
            return len(self._listed.place)
        lightest = floor / (growth * SLACK) if growth > 0 else np.inf
        return int(np.searchsorted(-self._listed.weight, -lightest, side="right"))

    def _sorted(self, weights: FloatArray, floor: float, limit: int) -> Found:
        which = np.flatnonzero(weights >= max(floor, 0.0) / SLACK)
        listed = self._listed
        found = Found(
            listed.topic[which], listed.document[which], significant(weights[which]), listed.method_a[which]
        )
        return found.sorted(limit)

    def _drop(self, out: BoolArray) -> None:
        self._listed = self._listed.take(np.flatnonzero(~out[self._listed.place]))


def nth(weights: FloatArray, n: int) -> float:
    """The n-th largest, -1 if there are fewer that can be chosen."""
    if len(weights) < n:
        return -1.0
    return float(weights.max() if n == 1 else np.partition(weights, len(weights) - n)[len(weights) - n])
