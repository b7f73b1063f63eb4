"""Fill a shortlist from whole pools (see `selection.framework.threshold`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.framework.entries import gather, join
from selection.framework.threshold import SLACK, Listed, Shortlist, nth
from selection.judgments import Judgments
from selection.pool import TopicPool
from selection.rounding import significant


def fill(
    pools: Sequence[TopicPool],
    judgments: Judgments,
    share: FloatArray,
    factors: FloatArray,
    topics: Sequence[int],
    want: int,
) -> Shortlist:
    """List the `want` heaviest documents of these topics that may still be chosen, or all if fewer.

    `share` is the weight of each rank (index 0 unused), `factors` the multiplier of each run.
    """
    largest = float(factors.max(initial=0.0))
    open_ = [np.flatnonzero(~judgments.out_of(topic)) for topic in topics]
    reach = _probe([len(documents) for documents in open_], want)
    weights = [_weigh(pools[t], d[:n], share, factors) for t, d, n in zip(topics, open_, reach, strict=True)]
    floor = max(nth(_joined(weights), want), 0.0)
    lightest = floor / (largest * SLACK * SLACK) if largest > 0 else 0.0
    for i, (topic, documents) in enumerate(zip(topics, open_, strict=True)):
        # Pool order is Method-A order, so what could weigh enough is a prefix.
        end = int(np.count_nonzero(pools[topic].method_a[documents] >= lightest))
        further = documents[reach[i] : end]
        weights[i] = np.concatenate([weights[i], _weigh(pools[topic], further, share, factors)])
    # With fewer than `want`, or with weights of 0 to be listed, nothing is left out.
    cut = -1.0 if floor == 0 else nth(_joined(weights), want)
    parts = [
        _listed(pools[t], judgments, t, d[: len(w)][w >= cut], share)
        for t, d, w in zip(topics, open_, weights, strict=True)
    ]
    return Shortlist(_join(parts), factors, cut)


def _probe(lengths: Sequence[int], want: int) -> list[int]:
    """How many of each topic to weigh first, so that there are at least `want` of them, if at all."""
    each = 2 * want // max(int(np.count_nonzero(lengths)), 1) + 1
    while sum(min(each, length) for length in lengths) < min(want, sum(lengths)):
        each *= 2
    return [min(each, length) for length in lengths]


def _weigh(pool: TopicPool, documents: IntArray, share: FloatArray, factors: FloatArray) -> FloatArray:
    return gather(pool, documents, share).weights(factors, 0, len(documents))


def _joined(arrays: Sequence[FloatArray]) -> FloatArray:
    return np.concatenate([np.zeros(0), *arrays])


def _listed(
    pool: TopicPool, judgments: Judgments, topic: int, documents: IntArray, share: FloatArray
) -> Listed:
    return Listed(
        np.full(len(documents), topic, dtype=np.int32),
        documents,
        judgments.offset[topic] + documents,
        significant(pool.method_a[documents]),
        gather(pool, documents, share),
    )


def _join(parts: Sequence[Listed]) -> Listed:
    return Listed(
        np.concatenate([part.topic for part in parts]),
        np.concatenate([part.document for part in parts]),
        np.concatenate([part.place for part in parts]),
        np.concatenate([part.method_a for part in parts]),
        join([part.entries for part in parts]),
    )
