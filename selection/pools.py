"""The pools of all topics, in memory only as far as they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

import numpy as np

from evaluation.arrays import IntArray
from selection.cache import Kept
from selection.pool import TopicPool

# Occurrences of documents in runs, 4 bytes each and about as much again for the documents: 160 MB.
ROOM = 20_000_000


class Pools(Sequence[TopicPool]):
    """A sequence of pools, one per topic. A pool that was let go is loaded again when it is asked for,
    so loading must give the same documents in the same order each time.

    capacities : int64 (topics,), no pool holds more documents than that
    depth : the deepest rank in any of them
    """

    def __init__(
        self, load: Callable[[int], TopicPool], capacities: Sequence[int], depth: int, room: int = ROOM
    ) -> None:
        self.capacities: IntArray = np.asarray(capacities, dtype=np.int64)
        self.depth = depth
        self._kept = Kept(load, _occurrences, room)

    @classmethod
    def of(cls, pools: Sequence[TopicPool]) -> Pools:
        """Pools that are in memory already, and stay."""
        if isinstance(pools, Pools):
            return pools
        depth = max((pool.depth for pool in pools), default=0)
        return cls(pools.__getitem__, [len(pool) for pool in pools], depth)

    def __len__(self) -> int:
        return len(self.capacities)

    @overload
    def __getitem__(self, topic: int) -> TopicPool: ...

    @overload
    def __getitem__(self, topic: slice) -> list[TopicPool]: ...

    def __getitem__(self, topic: int | slice) -> TopicPool | list[TopicPool]:
        if isinstance(topic, slice):
            return [self[index] for index in range(*topic.indices(len(self)))]
        if not 0 <= topic < len(self.capacities):
            raise IndexError(f"topic {topic} of {len(self)}")
        return self._kept[topic]

    def __iter__(self) -> Iterator[TopicPool]:
        return (self[topic] for topic in range(len(self)))


def _occurrences(topic: int, pool: TopicPool) -> int:
    # An empty pool takes some memory, too.
    return len(pool.run) + 100
