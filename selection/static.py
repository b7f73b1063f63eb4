"""Methods whose order no judgment changes: pooling and Method A."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.weights import rank_weights
from selection.protocol import Act, Choice, Explanation, Queue, Setting, explained
from selection.rounding import significant

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class TopicOrder:
    """A topic's documents in serving order, with a key that ascends along it and their weights."""

    documents: IntArray
    key: FloatArray
    weights: FloatArray


def pooling_order(setting: Setting, topic: int) -> TopicOrder:
    """By best rank, ties by run order (Moffat, Webber and Zobel 2007, section 3: max over runs)."""
    pool = setting.pools[topic]
    key = np.where(
        setting.contributing[pool.run], pool.rank.astype(np.int64) * setting.runs + pool.run, _NEVER
    )
    best = np.minimum.reduceat(key, pool.start[:-1]) if len(pool) else key
    documents = np.argsort(best, kind="stable").astype(np.int32)
    documents = documents[pool.method_a[documents] > 0]
    key = best[documents]
    weights = rank_weights(setting.p, pool.depth)[key // setting.runs - 1]
    return TopicOrder(documents, key.astype(np.float64), significant(weights))


def method_a_order(setting: Setting, topic: int) -> TopicOrder:
    """By the sum over runs (Moffat, Webber and Zobel 2007, section 3); the pool's own order."""
    weights = significant(setting.pools[topic].method_a)
    weights = weights[weights > 0]
    return TopicOrder(np.arange(len(weights), dtype=np.int32), -weights, weights)


class StaticOrder:
    def __init__(self, setting: Setting, order_of: Callable[[Setting, int], TopicOrder]) -> None:
        self._setting = setting
        self._share = np.concatenate(
            [[0.0], rank_weights(setting.p, max((pool.depth for pool in setting.pools), default=0))]
        )
        self._orders = [order_of(setting, topic) for topic in range(len(setting.pools))]
        self._campaign: tuple[IntArray, FloatArray] | None = None
        self._next = 0

    def judged(self, act: Act) -> None:
        if act.after is None:
            self._next = 0

    def best(self) -> Choice | None:
        judgments = self._setting.judgments
        places, weights = self._merged()
        while self._next < len(places) and judgments.out[places[self._next]]:
            self._next += 1
        if self._next == len(places):
            return None
        place = int(places[self._next])
        topic = int(np.searchsorted(judgments.offset, place, side="right")) - 1
        return Choice(topic, place - int(judgments.offset[topic]), float(weights[self._next]))

    def queue(self, topic: int, limit: int, after: Act | None) -> Queue:
        order, out = self._orders[topic], self._setting.judgments.out_of(topic)
        if after is not None:
            out = out.copy()
            back = after.before is not None and after.after is None
            out[after.document] = not back or self._setting.judgments.is_barred(topic, after.document)
        which = np.flatnonzero(~out[order.documents])[:limit]
        return Queue(order.documents[which], order.weights[which])

    def explain(self, topic: int, document: int) -> Explanation:
        order = self._orders[topic]
        runs, ranks = self._setting.pools[topic].occurrences(document)
        at = np.flatnonzero(order.documents == document)
        weight = float(order.weights[at[0]]) if len(at) else 0.0
        return explained(self._setting, runs, ranks, self._share[ranks], weight)

    def _merged(self) -> tuple[IntArray, FloatArray]:
        """All topics' documents in one order, as places; made when first asked for."""
        if self._campaign is None:
            offset = self._setting.judgments.offset
            keys = np.concatenate([np.zeros(0), *(order.key for order in self._orders)])
            # The sort is stable, so that ties stay in topic order.
            by_key = np.argsort(keys, kind="stable")
            places = [order.documents + offset[topic] for topic, order in enumerate(self._orders)]
            weights = [order.weights for order in self._orders]
            self._campaign = (
                np.concatenate([np.zeros(0, dtype=np.int64), *places])[by_key],
                np.concatenate([np.zeros(0), *weights])[by_key],
            )
        return self._campaign
