"""What a document's effects on the runs come to, over all pairs of runs.

A run that does not rank the document has effect 0, as has one that misses the topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.methods.mtc.options import Aggregate
from selection.methods.mtc.ranked import Ranked

# Relative differences below this come from rounding: the effects are the same.
SAME = 1e-11


@dataclass(frozen=True, eq=False)
class Spread:
    """`most` (k,): an upper bound for each document of `Ranked.documents`; the value itself if `tight`."""

    ranked: Ranked
    effects: FloatArray
    most: FloatArray
    tight: bool

    def exact(self, places: IntArray) -> FloatArray:
        """Of the documents at these places (m,)."""
        return self.most[places] if self.tight else _sum(self.ranked, self.effects, places)


def spread(aggregate: Aggregate, ranked: Ranked, effects: FloatArray) -> Spread:
    """Effects (entries,), at least 0: the greatest difference, the sum of the differences, or of their
    squares, over all pairs of runs that take part."""
    if aggregate == "range":
        return Spread(ranked, effects, _range(ranked, effects), True)
    mass, squares = ranked.reduce(np.add, effects), ranked.reduce(np.add, effects * effects)
    # With those that do not rank the document a run differs by its effect; there are k that do.
    k = ranked.count
    among, others = np.maximum(k * squares - mass * mass, 0), ranked.runs - k
    if aggregate == "variance":
        found = others * squares + among
        _put_everywhere(found, ranked, _centred(effects[ranked.everywhere]))
        return Spread(ranked, effects, found, True)
    # Their differences sum up to at most the root of the number of pairs times the sum of squares.
    most = others * mass + np.sqrt(k * (k - 1) / 2 * among)
    return Spread(ranked, effects, most * (1 + SAME), False)


def _range(ranked: Ranked, effects: FloatArray) -> FloatArray:
    found = ranked.reduce(np.maximum, effects)
    # For all others the least effect is 0.
    some = effects[ranked.everywhere]
    if len(some):
        _put_everywhere(found, ranked, _unless_same(np.ptp(some, axis=1), some.max(axis=1)))
    return found


def _centred(effects: FloatArray) -> FloatArray:
    """The sum of squared differences of all pairs in each row, small ones as precisely as large ones."""
    runs = max(effects.shape[1], 1)
    squares = runs * ((effects - effects.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return np.where(squares <= SAME**2 * runs * (effects**2).sum(axis=1), 0.0, squares)


def _put_everywhere(found: FloatArray, ranked: Ranked, values: FloatArray) -> None:
    found[len(found) - len(values) :] = values


def _sum(ranked: Ranked, effects: FloatArray, places: IntArray) -> FloatArray:
    """The i-th smallest of k effects is above S - k + i - 1 others and below k - i: it counts 2i + S - 2k - 1
    times."""
    if not len(places):
        return np.zeros(0)
    k = ranked.count[places]
    start = np.cumsum(k) - k
    document = np.repeat(np.arange(len(places)), k)
    ordered = effects[ranked.entries_of(places)]
    ordered = ordered[np.lexsort((ordered, document))]
    i = np.arange(1, len(ordered) + 1) - start[document]
    found = np.add.reduceat((2 * i + ranked.runs - 2 * k[document] - 1) * ordered, start)
    return _unless_same(found, ranked.runs * np.add.reduceat(ordered, start))


def _unless_same(found: FloatArray, scale: FloatArray) -> FloatArray:
    return np.where(found <= SAME * scale, 0.0, found)
