"""Every document of the pool equally likely, at any moment: the sample of infAP."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.framework.interface import Setting
from selection.framework.topicwise import FixedOrder, FixedTopic, Topicwise
from selection.pool import Ids, TopicPool
from selection.rounding import round_significant

# The steps of splitmix64 (Steele, Lea and Flood 2014), which turns counters into random bits.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXES = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))
_LAST = np.uint64(31)


@dataclass(frozen=True)
class PoolDepth:
    """depth : only documents that a run ranks so high or higher are drawn; None: all"""

    depth: int | None = None

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 1:
            raise ValueError(f"depth = {self.depth} is below 1")


def random_order(setting: Setting, options: PoolDepth) -> Topicwise:
    """Topics in rounds, each in a random order. A document's number depends on its id alone, so that a run
    uploaded late adds its documents between the others and leaves these in their order."""
    return Topicwise(
        setting,
        lambda setting, topic: FixedTopic(setting, topic, _order(setting, topic, options.depth)),
        rounds=True,
    )


def random_numbers(ids: Ids, start: int) -> FloatArray:
    """A number in (0, 1) for each id, (n,): the same for the same id and start, 0 <= start < 2**64."""
    bits: NDArray[np.uint64] = ids.astype(np.uint64) * _STEP + np.uint64(start)
    for shift, factor in _MIXES:
        bits = (bits ^ (bits >> np.uint64(shift))) * factor
    bits ^= bits >> _LAST
    return np.asarray(((bits >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)


def lasting_numbers(setting: Setting, topic: int, purpose: str) -> FloatArray:
    """A number in (0, 1) for each document of the topic's pool, (n,): by seed, topic and id alone."""
    start = int(setting.generator(topic, purpose).integers(2**64, dtype=np.uint64))
    return random_numbers(setting.pools[topic].documents - setting.origin, start)


def _order(setting: Setting, topic: int, depth: int | None) -> FixedOrder:
    """Order by random number descending, which is the weight. No run has a share in it."""
    pool = setting.pools[topic]
    weights = round_significant(lasting_numbers(setting, topic, "random"))
    documents = pooled_indices(pool, setting.contributing, depth)
    documents = documents[np.argsort(-weights[documents], kind="stable")]
    return FixedOrder(documents, weights[documents], None, np.zeros(len(pool.run)))


def pooled_indices(pool: TopicPool, contributing: BoolArray, depth: int | None) -> IntArray:
    """Documents that contributing runs rank down to the depth, as pool indices: the sample is drawn from
    them."""
    counted = contributing[pool.run] & (depth is None or pool.rank <= depth)
    return np.flatnonzero(np.diff(np.concatenate([[0], np.cumsum(counted)])[pool.start]))
