"""Method `sample`: documents drawn with known probabilities, for estimates with a guaranteed interval.

Each document has a lasting random number. Documents are served by that number over their size, so that every
beginning of the order is a sample, and runs that come late reuse the numbers (sequential Poisson sampling).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.inclusion import sampling_inclusion, sizes_at_ranks
from evaluation.measures.weights import rank_weights
from selection.framework.interface import Setting
from selection.framework.topicwise import FixedOrder, FixedTopic, Topicwise
from selection.judgments import GainChange
from selection.methods.random import lasting_numbers
from selection.methods.serving_order import reordered
from selection.pool import TopicPool
from selection.rounding import round_significant


@dataclass(frozen=True)
class SampleOptions:
    """size : how many documents of each topic are drawn"""

    size: int = 10

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size = {self.size} is below 1")


def sample(setting: Setting, options: SampleOptions) -> Topicwise:
    """Topics in rounds, each with its sample. What is judged otherwise does not change it."""
    return Topicwise(setting, lambda setting, topic: _SampledTopic(setting, topic, options), rounds=True)


class _SampledTopic(FixedTopic):
    """One topic's sample; its order changes where a judgment that was frozen is withdrawn."""

    def __init__(self, setting: Setting, topic: int, options: SampleOptions) -> None:
        order = sample_order(setting, topic, options.size)
        # How likely a document was drawn depends on how many are judged in the end.
        super().__init__(setting, topic, replace(order, inclusion=None))
        self._left_out = frozenset(np.flatnonzero(_once_judged(setting, topic)).tolist())

    def judged(self, act: GainChange) -> bool:
        return act.document not in self._left_out or (act.before is None) == (act.after is None)


def _once_judged(setting: Setting, topic: int) -> BoolArray:
    """Documents that were judged when the sample began, (n,) by pool index."""
    pool = setting.pools[topic]
    frozen = setting.frozen.get(topic)
    return (
        np.zeros(len(pool), dtype=np.bool_) if frozen is None else np.isin(pool.documents, frozen.documents)
    )


def frozen_documents(setting: Setting, topic: int) -> BoolArray:
    """Documents that were judged when the sample began and still are, (n,) by pool index."""
    frozen = _once_judged(setting, topic)
    judged = np.zeros(len(frozen), dtype=np.bool_)
    judged[list(setting.judgments.judged_in(topic))] = True
    return frozen & judged


def sampling_sizes(
    pool: TopicPool, contributing: BoolArray, p: float, frozen: BoolArray | None = None
) -> FloatArray:
    """Size of each document, (n,): the root of its mean squared RBP weight over the contributing runs.

    0 for documents that no contributing run ranks within `drawn_depth`, and for those in `frozen` (n,); only
    the others are drawn.
    """
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    counted = contributing[pool.run]
    sizes = sizes_at_ranks(of[counted], pool.rank[counted], len(pool), int(contributing.sum()), p)
    return sizes if frozen is None else np.where(frozen, 0.0, sizes)


def _weights(pool: TopicPool, p: float) -> FloatArray:
    return np.concatenate([[0.0], rank_weights(p, pool.depth)])[pool.rank]


def sample_order(setting: Setting, topic: int, size: int) -> FixedOrder:
    """Certain documents by size, then the others by their number over their size, `size` in all.

    A document weighs the share of the sample that is left when its turn comes. A run's share is its part of
    the squared size.
    """
    pool = setting.pools[topic]
    sizes = sampling_sizes(pool, setting.contributing, setting.p, frozen_documents(setting, topic))
    inclusion = sampling_inclusion(sizes, size)
    drawable = np.flatnonzero(sizes)
    frozen = setting.frozen.get(topic)
    purpose = "sample" if frozen is None else f"sample {frozen.moment}"
    numbers = lasting_numbers(setting, topic, purpose)[drawable] / sizes[drawable]
    certain = inclusion[drawable] >= 1
    documents = drawable[np.lexsort((np.where(certain, -sizes[drawable], numbers), ~certain))[:size]]
    left = 1 - np.arange(len(documents)) / max(len(documents), 1)
    shares = np.where(setting.contributing[pool.run], _weights(pool, setting.p) ** 2, 0.0)
    order = FixedOrder(documents, round_significant(np.asarray(left)), inclusion[documents], shares)
    return reordered(setting, topic, order)


def prefix_inclusion(sizes: FloatArray, size: int, judged: int) -> FloatArray:
    """Probabilities, (n,), of being among the first `judged` documents of the order of a sample of `size`.

    Documents that are certain in the whole sample stay so; the others share what they leave. A beginning
    that holds certain documents alone has no probabilities: all but these are 0.
    """
    planned = sampling_inclusion(sizes, size)
    if judged >= size:
        return planned
    certain = planned >= 1
    others = sampling_inclusion(np.where(certain, 0.0, sizes), max(judged - int(certain.sum()), 0))
    return np.where(certain, 1.0, others)


def judged_prefix(setting: Setting, topic: int, size: int, known: BoolArray) -> tuple[IntArray, FloatArray]:
    """Judged beginning of a topic's sample: pool indices in serving order, and their probabilities.

    `known` (n,), by pool index: documents whose judgment counts. The first without one ends the beginning.
    """
    order = sample_order(setting, topic, size).documents
    unjudged = np.flatnonzero(~known[order])
    judged = int(unjudged[0]) if len(unjudged) else len(order)
    if setting.serving_order != "method" and judged < len(order):
        # Only beginnings of the method's own order have these probabilities.
        judged = 0
    frozen = frozen_documents(setting, topic)
    sizes = sampling_sizes(setting.pools[topic], setting.contributing, setting.p, frozen)
    return order[:judged], prefix_inclusion(sizes, size, judged)[order[:judged]]


def rebuilt_inclusion(sizes: FloatArray, certain: BoolArray, judged: int) -> FloatArray:
    """Probabilities, (n,), of a judged beginning whose plan is not known.

    `judged`: how many documents it has; `certain` (n,): those of them that had probability 1. If no plan
    makes just these certain, the probabilities are those of a plan that ends with the beginning.
    """
    for size in range(judged, max(int(np.count_nonzero(sizes)), judged) + 1):
        planned = sampling_inclusion(sizes, size) >= 1
        if (planned == certain).all():
            return prefix_inclusion(sizes, size, judged)
        if planned.sum() > certain.sum():
            break
    return sampling_inclusion(sizes, judged)
