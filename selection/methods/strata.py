"""Method `strata`: the top of the pool judged whole, deeper ranks sampled, as xinfAP and infNDCG need it.

A document's stratum is that of its best rank in any contributing run. Lasting random numbers decide which of
a stratum are drawn and when they are served, so every beginning of the order is a stratified sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.strata import NOT_POOLED
from selection.framework.interface import Setting, StatapSample
from selection.framework.topicwise import FixedOrder, FixedTopic, Topicwise
from selection.methods.random import lasting_numbers
from selection.methods.serving_order import reordered
from selection.pool import TopicPool
from selection.rounding import round_significant


@dataclass(frozen=True)
class Stratum:
    """Ranks down to `depth` that no earlier stratum has; `rate`: the share drawn, in (0, 1]."""

    depth: int
    rate: float


@dataclass(frozen=True)
class StrataOptions:
    """strata : the last rank of each stratum and the share of it that is drawn, "10:1,100:0.1" """

    strata: str = "10:1,100:0.1"

    def __post_init__(self) -> None:
        parse_strata(self.strata)


def parse_strata(text: str) -> tuple[Stratum, ...]:
    """Strata by depth, from "10:1,100:0.1". Raises ValueError naming the part that is wrong."""
    strata = tuple(_parsed(part) for part in text.split(","))
    for before, after in pairwise(strata):
        if after.depth <= before.depth:
            raise ValueError(f"strata: depth {after.depth} is not below depth {before.depth}")
    return strata


def _parsed(part: str) -> Stratum:
    depth, _, rate = part.partition(":")
    try:
        stratum = Stratum(int(depth), float(rate))
    except ValueError:
        raise ValueError(f"strata: {part!r} is not a depth and a rate, such as 100:0.1") from None
    if stratum.depth < 1:
        raise ValueError(f"strata: depth {stratum.depth} is below 1")
    if not 0 < stratum.rate <= 1:
        raise ValueError(f"strata: rate {stratum.rate:g} is outside (0, 1]")
    return stratum


def strata(setting: Setting, options: StrataOptions) -> Topicwise:
    """Topics in rounds, each with its sample. What is judged otherwise does not change it."""
    return Topicwise(
        setting,
        lambda setting, topic: FixedTopic(setting, topic, draw_strata(setting, topic, options).order),
        rounds=True,
    )


@dataclass(frozen=True, eq=False)
class DrawnStrata:
    """strata : int (n,) by pool index, from 0, `NOT_POOLED` below the last; order : what is drawn of them"""

    strata: IntArray
    order: FixedOrder


def stratum_of(pool: TopicPool, contributing: BoolArray, depths: IntArray) -> IntArray:
    """Stratum of each document, (n,), by its best rank in the contributing runs; `NOT_POOLED` without one.

    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.array([7, 8, 9]), np.array([9])], 0.5, both)
    >>> dict(zip(pool.documents.tolist(), stratum_of(pool, both, np.array([1, 2])).tolist()))
    {9: 0, 7: 0, 8: 1}
    """
    rank = np.where(contributing[pool.run], pool.rank, depths[-1] + 1)
    best = np.full(len(pool), depths[-1] + 1, dtype=np.int64)
    np.minimum.at(best, np.repeat(np.arange(len(pool)), np.diff(pool.start)), rank)
    stratum = np.searchsorted(depths, best)
    return np.where(stratum == len(depths), NOT_POOLED, stratum)


def draw_strata(setting: Setting, topic: int, options: StrataOptions) -> DrawnStrata:
    """Draw of each stratum the documents with the smallest numbers: its rate of them, rounded up.

    A document's turn comes by its number over the share of its stratum that is drawn, so that all strata run
    out together. It weighs the share of the sample that is left then. No run has a share in it.
    """
    pool, parsed = setting.pools[topic], parse_strata(options.strata)
    of = stratum_of(pool, setting.contributing, np.array([stratum.depth for stratum in parsed]))
    numbers = lasting_numbers(setting, topic, "strata")
    inclusion = np.zeros(len(pool))
    drawn = [np.zeros(0, dtype=np.int64)]
    for index, stratum in enumerate(parsed):
        inside = np.flatnonzero(of == index)
        # Rates such as 0.1 are not exact: 0.1 of 30 are 3.
        count = ceil(round(stratum.rate * len(inside), 9))
        inclusion[inside] = count / max(len(inside), 1)
        drawn.append(inside[np.argsort(numbers[inside], kind="stable")[:count]])
    documents = np.concatenate(drawn)
    documents = documents[np.argsort(numbers[documents] / inclusion[documents], kind="stable")]
    left = 1 - np.arange(len(documents)) / max(len(documents), 1)
    order = FixedOrder(
        documents, round_significant(np.asarray(left)), inclusion[documents], np.zeros(len(pool.run))
    )
    return DrawnStrata(of, reordered(setting, topic, order))


def judged_shares(strata: IntArray, judged: BoolArray, otherwise: BoolArray) -> FloatArray:
    """Probability of each document, (n,), of being judged, as far as the sample is judged.

    The share of its stratum that is judged, without the documents that were judged `otherwise`: judgments
    come in random order within a stratum, so those there are a sample. 1 for the documents judged otherwise;
    0 outside the strata and where none is judged. All arrays are (n,), by pool index.
    """
    counted = (strata != NOT_POOLED) & ~otherwise
    size = int(strata.max(initial=NOT_POOLED)) + 1
    there = np.bincount(strata[counted], minlength=size)
    seen = np.bincount(strata[counted & judged], minlength=size)
    shares = np.append(seen / np.maximum(there, 1), 0.0)
    return np.where(otherwise, 1.0, shares[strata])


def judged_sample(
    pool: TopicPool, drawn: DrawnStrata, judged: BoolArray, otherwise: BoolArray
) -> StatapSample:
    """The drawn documents with the probabilities of `judged_shares`; a bucket is a stratum. Judgments of
    others than the drawn documents do not count."""
    documents = drawn.order.documents
    served = np.zeros(len(pool), dtype=np.bool_)
    served[documents] = judged[documents]
    shares, strata = judged_shares(drawn.strata, served, otherwise)[documents], drawn.strata[documents]
    return StatapSample(pool.documents[documents], shares, strata, shares, len(documents))
