"""MTC's weight of a document: the spread of its effects over all pairs of runs.

A run that does not rank the document has effect 0, as has one that misses the topic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.framework.interface import Queue
from selection.framework.threshold import SLACK, nth
from selection.methods.mtc.belief import Belief
from selection.methods.mtc.options import Aggregate, MtcOptions
from selection.methods.mtc.ranked_pool import RankedPool
from selection.rounding import round_significant

# Relative differences below this come from rounding: the effects are the same.
SAME_SPREAD = 1e-11


@dataclass(frozen=True, eq=False)
class Spread:
    """`most` (k,): an upper bound for each of `RankedPool.documents`; the value itself if `tight`."""

    ranked: RankedPool
    effects: FloatArray
    most: FloatArray
    tight: bool
    run_weights: FloatArray | None = None

    def exact(self, places: IntArray) -> FloatArray:
        """Exact values of the documents at these places (m,)."""
        if self.tight:
            return self.most[places]
        if self.run_weights is None:
            return _sum(self.ranked, self.effects, places)
        return _weighted_sum(self.ranked, self.effects, self.run_weights, places)


def spread(
    aggregate: Aggregate, ranked: RankedPool, effects: FloatArray, run_weights: FloatArray | None = None
) -> Spread:
    """Effects (entries,), at least 0: the greatest difference, the sum of the differences, or of their
    squares, over all pairs of runs that take part. With `run_weights` (runs,), a pair counts the product of
    its runs' weights in a sum."""
    if aggregate == "range":
        return Spread(ranked, effects, _range(ranked, effects), True)
    if run_weights is not None:
        return _weighted_spread(aggregate, ranked, effects, run_weights)
    mass, squares = ranked.reduce(np.add, effects), ranked.reduce(np.add, effects * effects)
    # With those that do not rank the document a run differs by its effect; there are k that do.
    k = ranked.count
    among, others = np.maximum(k * squares - mass * mass, 0), ranked.runs - k
    if aggregate == "variance":
        sums = others * squares + among
        _put_everywhere(sums, ranked, _centred(effects[ranked.everywhere]))
        return Spread(ranked, effects, sums, True)
    # Their differences sum up to at most the root of the number of pairs times the sum of squares.
    most = others * mass + np.sqrt(k * (k - 1) / 2 * among)
    return Spread(ranked, effects, most * (1 + SAME_SPREAD), False)


def _weighted_spread(
    aggregate: Aggregate, ranked: RankedPool, effects: FloatArray, run_weights: FloatArray
) -> Spread:
    weights, total = run_weights[ranked.run], float(run_weights[ranked.part].sum())
    there, mass = ranked.reduce(np.add, weights), ranked.reduce(np.add, weights * effects)
    squares = ranked.reduce(np.add, weights * effects**2)
    among, others = np.maximum(there * squares - mass**2, 0), np.maximum(total - there, 0)
    if aggregate == "variance":
        sums = others * squares + among
        each = effects[ranked.everywhere]
        some = weights[ranked.everywhere]
        middle = (some * each).sum(axis=1, keepdims=True) / max(total, SAME_SPREAD)
        centred = total * (some * (each - middle) ** 2).sum(axis=1)
        scale = SAME_SPREAD**2 * total * (some * each**2).sum(axis=1)
        _put_everywhere(sums, ranked, np.where(centred <= scale, 0.0, centred))
        return Spread(ranked, effects, sums, True, run_weights)
    pairs = np.maximum(there**2 - ranked.reduce(np.add, weights**2), 0) / 2
    most = others * mass + np.sqrt(pairs * among)
    return Spread(ranked, effects, most * (1 + SAME_SPREAD), False, run_weights)


def _weighted_sum(
    ranked: RankedPool, effects: FloatArray, run_weights: FloatArray, places: IntArray
) -> FloatArray:
    """An effect counts the weight of the runs below it, those that do not rank the document among them, less
    that of the runs above."""
    if not len(places):
        return np.zeros(0)
    count, at = ranked.count[places], ranked.entries_of(places)
    start, document = np.cumsum(count) - count, np.repeat(np.arange(len(places)), count)
    order = np.lexsort((effects[at], document))
    ordered, weights = effects[at][order], run_weights[ranked.run[at]][order]
    below = np.cumsum(weights) - weights
    below -= below[start][document]
    there, total = np.add.reduceat(weights, start), float(run_weights[ranked.part].sum())
    others = np.maximum(total - there, 0)
    ahead = others[document] + below - (there[document] - below - weights)
    sums = np.add.reduceat(weights * ahead * ordered, start)
    return _unless_same(sums, total * np.add.reduceat(weights * ordered, start))


def _range(ranked: RankedPool, effects: FloatArray) -> FloatArray:
    ranges = ranked.reduce(np.maximum, effects)
    # For all others the least effect is 0.
    some = effects[ranked.everywhere]
    if len(some):
        _put_everywhere(ranges, ranked, _unless_same(np.ptp(some, axis=1), some.max(axis=1)))
    return ranges


def _centred(effects: FloatArray) -> FloatArray:
    """The sum of squared differences of all pairs in each row, small ones as precisely as large ones."""
    runs = max(effects.shape[1], 1)
    squares = runs * ((effects - effects.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return np.where(squares <= SAME_SPREAD**2 * runs * (effects**2).sum(axis=1), 0.0, squares)


def _put_everywhere(spreads: FloatArray, ranked: RankedPool, values: FloatArray) -> None:
    spreads[len(spreads) - len(values) :] = values


def _sum(ranked: RankedPool, effects: FloatArray, places: IntArray) -> FloatArray:
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
    sums = np.add.reduceat((2 * i + ranked.runs - 2 * k[document] - 1) * ordered, start)
    return _unless_same(sums, ranked.runs * np.add.reduceat(ordered, start))


def _unless_same(spreads: FloatArray, scale: FloatArray) -> FloatArray:
    return np.where(spreads <= SAME_SPREAD * scale, 0.0, spreads)


# Documents whose sums over pairs are made before it is seen whether others could weigh more.
FIRST_SUMMED = 128


class MtcWeights:
    """A topic's weights under one belief: p or 1 - p times the spread of the effects on the runs, in units
    of the measure. Sums over pairs are made only as far as they are needed."""

    def __init__(
        self,
        ranked: RankedPool,
        belief: Belief,
        options: MtcOptions,
        run_weights: FloatArray | None = None,
    ) -> None:
        self._ranked, self._belief = ranked, belief
        self._spread = spread(options.aggregate, ranked, belief.marginals, run_weights)
        self._certainty = _certainty(ranked, belief, options)
        self._factor = self._certainty * belief.scale ** (2 if options.aggregate == "variance" else 1)
        self._most = self._spread.most * self._factor
        self._first: Queue | None = None

    def exact(self, documents: IntArray) -> FloatArray:
        """Exact weights of some documents by pool index; 0 where no run that takes part ranks one."""
        weights = np.zeros(len(documents))
        places = self._ranked.place[documents]
        weighs = places >= 0
        weights[weighs] = self._of(places[weighs])
        return weights

    def shares(self, document: int) -> FloatArray:
        """The document's effects on the runs that rank it, in units of the measure, times p or 1 - p."""
        place = self._ranked.place[document]
        if place < 0:
            return np.zeros(0)
        effects = self._belief.marginals[self._ranked.entries(document)] * self._belief.scale
        return np.asarray(effects * _at(self._certainty, place))

    def heaviest(self, out: BoolArray, limit: int) -> Queue:
        """The heaviest of those that are not out, ties in pool order. While one belief holds, none that was
        out comes back."""
        if limit > 1:
            return self._heaviest(out, limit)
        if self._first is None or out[self._first.documents].any():
            self._first = self._heaviest(out, 1)
        return self._first

    def _heaviest(self, out: BoolArray, limit: int) -> Queue:
        documents, tight = self._ranked.documents, self._spread.tight
        want = limit if tight else max(2 * limit, FIRST_SUMMED)
        self._most[out[documents]] = -1.0
        while (floor := nth(self._most, want) / SLACK) > 0:
            places = np.flatnonzero(self._most >= floor)
            queue = _sorted(documents[places], self._of(places), limit)
            # What is not listed weighs less than the floor.
            if tight or queue.weights[-1] > floor * SLACK:
                return queue
            want *= 4
        everything = np.flatnonzero(~out)
        return _sorted(everything, self.exact(everything), limit)

    def _of(self, places: IntArray) -> FloatArray:
        return self._spread.exact(places) * _at(self._factor, places)


def _sorted(documents: IntArray, weights: FloatArray, limit: int) -> Queue:
    weights = round_significant(weights)
    if len(documents) == 1:
        return Queue(documents.astype(np.int32), weights)
    order = np.lexsort((documents, -weights))[:limit]
    return Queue(documents[order].astype(np.int32), weights[order])


def _at(values: float | FloatArray, places: IntArray) -> float | FloatArray:
    return values if isinstance(values, float) else values[places]


def _certainty(ranked: RankedPool, belief: Belief, options: MtcOptions) -> float | FloatArray:
    """p or 1 - p. Over all pairs the greater. A pair is sought to be proved in turn one way and the other:
    what would make the run better that is to be proved better should be relevant, the rest not."""
    p = belief.relevance
    if options.pair is None:
        return max(p, 1 - p) if isinstance(p, float) else np.asarray(np.maximum(p, 1 - p))
    sign = np.zeros(len(ranked.part))
    sign[[*options.pair]] = (1, -1) if belief.judged % 2 == 0 else (-1, 1)
    gained = ranked.reduce(np.add, sign[ranked.run] * belief.marginals)
    return np.asarray(np.where(gained > 0, p, 1 - p))
