"""How much a run's sum of precisions is expected to gain from each document's relevance."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from selection.methods.mtc.ranked import Ranked

# Sums of 1 / rank over a ranking stay below 16 to a depth of three million: on this grid they are exact.
GRID = 2.0**49


class PairSums:
    """For each place of a document in a run, sums of 1 / (greater of two ranks) over documents of the run:
    the document itself and those judged relevant (`sure`), and the others that are not judged (`open`).

    With the same probability p for all unjudged documents, the marginal is sure + p * open. Reciprocals are
    rounded to multiples of 2**-49, and so every sum is exact: judging moves the sums of the document's runs
    in one step, taking back restores each bit, and neither leaves a trace of the order.
    """

    def __init__(self, ranked: Ranked, labels: FloatArray) -> None:
        """`labels` (pool,): 1 relevant, 0 not, NaN not judged."""
        self._ranked = ranked
        self._reciprocal: FloatArray = np.rint(GRID / ranked.rank) / GRID
        known = labels[ranked.document]
        self._sure = self._reciprocal + self._sums(known == 1)
        self._open = self._sums(np.isnan(known))

    def move(self, document: int, before: bool | None, after: bool | None) -> None:
        """Follow a judgment: relevant, not relevant, or none."""
        ranked, own = self._ranked, self._ranked.entries(document)
        least = np.zeros(len(ranked.part))
        least[ranked.run[own]] = self._reciprocal[own]
        # Clipping never happens; it spares a check of every index.
        change = least.take(ranked.run, mode="clip")
        np.minimum(change, self._reciprocal, out=change)
        change[own] = 0.0
        if (before is True) != (after is True):
            (np.add if after else np.subtract)(self._sure, change, out=self._sure)
        if (before is None) != (after is None):
            (np.add if after is None else np.subtract)(self._open, change, out=self._open)

    def moved(self, document: int, before: bool | None, after: bool | None) -> PairSums:
        """The same after a judgment that is not made here."""
        other = object.__new__(PairSums)
        other._ranked, other._reciprocal = self._ranked, self._reciprocal
        other._sure, other._open = self._sure.copy(), self._open.copy()
        other.move(document, before, after)
        return other

    def marginals(self, p: float) -> FloatArray:
        """(entries,), above 0."""
        found = self._open * p
        found += self._sure
        return found

    def _sums(self, counted: BoolArray) -> FloatArray:
        """Prefix sums along each run, in whole units of the grid; differences survive an overflow."""
        ranked = self._ranked
        units = np.rint(self._reciprocal * GRID).astype(np.int64)
        first, at = ranked.by_run()
        number, mass = np.zeros((2, len(at) + 1), dtype=np.int64)
        number[at + 1], mass[at + 1] = counted, counted * units
        number, mass = number.cumsum(), mass.cumsum()
        above = number[at] - number[first[ranked.run]]
        below = mass[first[ranked.run + 1]] - mass[at + 1]
        return np.asarray((above * units + below) / GRID)
