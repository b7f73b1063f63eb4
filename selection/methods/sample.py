"""Method `sample`: documents drawn with known probabilities, for estimates with a guaranteed interval.

Each document has a lasting random number. Documents are served by that number over their size, so that every
beginning of the order is a sample, and runs that come late reuse the numbers (sequential Poisson sampling).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.corrected import SampledTopic, rank_features, sampling_inclusion
from evaluation.measures.weights import rank_weights
from selection.framework.interface import Setting
from selection.framework.topicwise import FixedOrder, FixedTopic, Topicwise
from selection.methods.random import random_numbers
from selection.pool import TopicPool
from selection.rounding import round_significant

# Share of RBP's weight below the ranks whose documents are drawn.
LEFT_OUT = 0.001


@dataclass(frozen=True)
class SampleOptions:
    """size : how many documents of each topic are drawn"""

    size: int = 10

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size = {self.size} is below 1")


def sample(setting: Setting, options: SampleOptions) -> Topicwise:
    """Topics in rounds, each with its sample. What is judged otherwise does not change it."""
    return Topicwise(
        setting,
        lambda setting, topic: FixedTopic(setting, topic, sample_order(setting, topic, options.size)),
        rounds=True,
    )


def drawn_depth(p: float) -> int:
    """Rank down to which documents are drawn: RBP's weight below it is `LEFT_OUT`."""
    return ceil(log(LEFT_OUT) / log(p))


def sampling_sizes(pool: TopicPool, contributing: BoolArray, p: float) -> FloatArray:
    """Size of each document, (n,): the root of its mean squared RBP weight over the contributing runs.

    0 for documents that no contributing run ranks within `drawn_depth`; only the others are drawn.
    """
    near = contributing[pool.run] & (pool.rank <= drawn_depth(p))
    squares = np.where(near, _weights(pool, p) ** 2, 0.0)
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    total = np.bincount(of, squares, minlength=len(pool))
    return np.asarray(np.sqrt(total / max(int(contributing.sum()), 1)))


def _weights(pool: TopicPool, p: float) -> FloatArray:
    return np.concatenate([[0.0], rank_weights(p, pool.depth)])[pool.rank]


def sample_order(setting: Setting, topic: int, size: int) -> FixedOrder:
    """Certain documents by size, then the others by their number over their size, `size` in all.

    A document weighs the share of the sample that is left when its turn comes. A run's share is its part of
    the squared size.
    """
    pool = setting.pools[topic]
    sizes = sampling_sizes(pool, setting.contributing, setting.p)
    inclusion = sampling_inclusion(sizes, size)
    drawable = np.flatnonzero(sizes)
    start = int(setting.generator(topic, "sample").integers(2**64, dtype=np.uint64))
    numbers = random_numbers(pool.documents[drawable] - setting.origin, start) / sizes[drawable]
    certain = inclusion[drawable] >= 1
    order = np.lexsort((np.where(certain, -sizes[drawable], numbers), ~certain))[:size]
    documents = drawable[order]
    left = 1 - np.arange(len(documents)) / max(len(documents), 1)
    shares = np.where(setting.contributing[pool.run], _weights(pool, setting.p) ** 2, 0.0)
    return FixedOrder(documents, round_significant(np.asarray(left)), inclusion[documents], shares)


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


def sampled_topic(
    pool: TopicPool, contributing: BoolArray, p: float, order: IntArray, gains: FloatArray, size: int
) -> SampledTopic | None:
    """One topic of the estimate, from the judged beginning of its sample's order.

    Parameters
    ----------
    pool, contributing, p : the topic's pool, the runs whose documents are drawn, RBP's persistence
    order : ndarray of int, shape (k,)
        The sample, as pool indices in serving order.
    gains : ndarray of float64, shape (n,)
        By pool index, NaN for documents without a judgment. Judgments outside the beginning do not count.
    size : int
        How many documents were to be drawn.

    Returns
    -------
    SampledTopic or None
        All runs' weights on the documents that could be drawn; None if the beginning is no sample.
    """
    sizes = sampling_sizes(pool, contributing, p)
    unjudged = np.flatnonzero(np.isnan(gains[order]))
    judged = int(unjudged[0]) if len(unjudged) else len(order)
    inclusion = prefix_inclusion(sizes, size, judged)
    population = np.flatnonzero(sizes)
    if not len(population) or (inclusion[population] <= 0).any():
        return None
    known = np.full(len(pool), np.nan)
    known[order[:judged]] = gains[order[:judged]]
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    weights = np.zeros((len(contributing), len(pool)))
    weights[pool.run, of] = np.where(pool.rank <= drawn_depth(p), _weights(pool, p), 0.0)
    counted = contributing[pool.run]
    features = rank_features(of[counted], pool.rank[counted], len(pool), int(contributing.sum()))
    return SampledTopic(
        weights[:, population], features[population], inclusion[population], known[population]
    )
