"""Methods whose order no judgment changes: pooling and Method A."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.weights import rank_weights
from selection.cache import LruCache
from selection.framework.interface import Explanation, NextDocument, Queue, Setting, make_explanation
from selection.framework.run_weights import RunWeightOptions
from selection.judgments import GainChange
from selection.methods.serving_order import serving_places
from selection.rounding import round_significant

_NEVER = np.iinfo(np.int64).max
# Documents of kept orders, 20 bytes each.
STATIC_CACHE_SIZE = 4_000_000


@dataclass(frozen=True, eq=False)
class TopicOrder:
    """A topic's documents in serving order, with a key that ascends along it and their weights."""

    documents: IntArray
    key: FloatArray
    weights: FloatArray


def pooling_order(setting: Setting, topic: int, depth: int | None = None) -> TopicOrder:
    """Order by best rank, ties by run order (Moffat, Webber and Zobel 2007, section 3: max over runs).

    In another serving order, topics take turns, and a document weighs the share of its pool that is left.
    """
    pool = setting.pools[topic]
    key = np.where(
        setting.contributing[pool.run], pool.rank.astype(np.int64) * setting.runs + pool.run, _NEVER
    )
    best = np.full(len(pool), _NEVER)
    ranked = np.flatnonzero(np.diff(pool.start))
    if len(ranked):
        best[ranked] = np.minimum.reduceat(key, pool.start[ranked])
    documents = np.argsort(best, kind="stable").astype(np.int32)
    last = _NEVER if depth is None else (depth + 1) * setting.runs
    documents = documents[best[documents] < last]
    if setting.serving_order != "method":
        turns = np.arange(len(documents), dtype=np.float64)
        left = round_significant(1 - turns / max(len(documents), 1))
        return TopicOrder(documents[serving_places(setting, topic, documents)], turns, left)
    key = best[documents]
    weights = rank_weights(setting.p, pool.depth)[key // setting.runs - 1]
    return TopicOrder(documents, key.astype(np.float64), round_significant(weights))


def method_a_order(setting: Setting, topic: int) -> TopicOrder:
    """Order by the sum over runs (Moffat, Webber and Zobel 2007, section 3); the pool's own order."""
    pool = setting.pools[topic]
    documents = np.flatnonzero(pool.chosen_by(setting.contributing)).astype(np.int32)
    weights = round_significant(pool.method_a[documents])
    return TopicOrder(documents, -weights, weights)


def weighted_order(setting: Setting, topic: int, run_weights: FloatArray) -> TopicOrder:
    """Order by Method A's sum with weighted runs (runs,); ties by the pool's own order."""
    pool = setting.pools[topic]
    share = (
        rank_weights(setting.p, pool.depth)[pool.rank - 1] * (run_weights * setting.contributing)[pool.run]
    )
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    weights = round_significant(np.bincount(of, share, minlength=len(pool)).astype(np.float64))
    documents = np.argsort(-weights, kind="stable").astype(np.int32)
    documents = documents[pool.chosen_by(setting.contributing)[documents]]
    return TopicOrder(documents, -weights[documents], weights[documents])


def method_a(setting: Setting, options: RunWeightOptions) -> StaticOrder:
    if options.run_weights == "equal":
        return StaticOrder(setting, method_a_order)
    weights = setting.run_weights.of(options.run_weights)
    return StaticOrder(setting, lambda setting, topic: weighted_order(setting, topic, weights), weights)


class StaticOrder:
    """Topics in orders that `order_of` gives; runs' shares of a weight are explained by `run_weights`."""

    def __init__(
        self,
        setting: Setting,
        order_of: Callable[[Setting, int], TopicOrder],
        run_weights: FloatArray | None = None,
    ) -> None:
        self._setting, self._run_weights = setting, run_weights
        self._share = np.concatenate([[0.0], rank_weights(setting.p, setting.pools.depth)])
        self._orders = LruCache(lambda topic: order_of(setting, topic), _size, STATIC_CACHE_SIZE)
        self._campaign: tuple[IntArray, FloatArray] | None = None
        self._next = 0

    def judged(self, act: GainChange) -> None:
        if act.after is None:
            self._next = 0

    def best(self) -> NextDocument | None:
        judgments = self._setting.judgments
        places, weights = self._merged()
        while self._next < len(places) and judgments.out[places[self._next]]:
            self._next += 1
        if self._next == len(places):
            return None
        place = int(places[self._next])
        topic = int(np.searchsorted(judgments.offset, place, side="right")) - 1
        return NextDocument(topic, place - int(judgments.offset[topic]), float(weights[self._next]))

    def queue(self, topic: int, limit: int, after: GainChange | None) -> Queue:
        order, out = self._orders[topic], self._setting.judgments.out_after(topic, after)
        which = np.flatnonzero(~out[order.documents])[:limit]
        return Queue(order.documents[which], order.weights[which])

    def remaining(self, topic: int) -> int:
        out = self._setting.judgments.out_of(topic)
        return int(np.count_nonzero(~out[self._orders[topic].documents]))

    def explain(self, topic: int, document: int) -> Explanation:
        order = self._orders[topic]
        runs, ranks = self._setting.pools[topic].occurrences(document)
        at = np.flatnonzero(order.documents == document)
        weight = float(order.weights[at[0]]) if len(at) else 0.0
        shares = self._share[ranks]
        if self._run_weights is not None:
            shares = shares * self._run_weights[runs]
        return make_explanation(self._setting, runs, ranks, shares, weight)

    def _merged(self) -> tuple[IntArray, FloatArray]:
        """All topics' documents in one order, as places; made when first asked for."""
        if self._campaign is None:
            judgments, topics = self._setting.judgments, self._setting.topics
            for topic in topics:
                # From now on `judgments.out` is right for it.
                judgments.out_of(topic)
            orders = [self._orders[topic] for topic in topics]
            keys = np.concatenate([np.zeros(0), *(order.key for order in orders)])
            # The sort is stable, so that ties stay in topic order.
            by_key = np.argsort(keys, kind="stable")
            offset = judgments.offset
            places = [order.documents + offset[topic] for topic, order in zip(topics, orders, strict=True)]
            self._campaign = (
                np.concatenate([np.zeros(0, dtype=np.int64), *places])[by_key],
                np.concatenate([np.zeros(0), *(order.weights for order in orders)])[by_key],
            )
        return self._campaign


def _size(topic: int, order: TopicOrder) -> int:
    return len(order.documents) + 100
