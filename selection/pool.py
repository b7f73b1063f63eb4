"""The documents that any run ranks for a topic, where each run ranks them, and the pools of all topics, in
memory only as far as they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.weights import rank_weights
from selection.cache import LruCache
from selection.rounding import round_significant

Ids = NDArray[np.int32]

# A table of the ids may be so many times as long as they are.
MOST_APART = 16


@dataclass(frozen=True, eq=False)
class TopicPool:
    """One topic's documents in the serving order of Method A; a document's index is its place there.

    documents : int32 (n,), the caller's ids
    start : int32 (n + 1,), document i occurs at entries start[i]:start[i + 1] of `run` and `rank`
    run : int16 (entries,), ascending for each document (int32 from 32,768 runs on)
    rank : int16 (entries,), from 1 (int32 if a ranking is deeper than 32,767)
    method_a : float64 (n,), sum of (1 - p) p**(rank - 1) over the contributing runs
    """

    documents: Ids
    start: Ids
    run: IntArray
    rank: IntArray
    method_a: FloatArray

    def __len__(self) -> int:
        return len(self.documents)

    def occurrences(self, document: int) -> tuple[IntArray, IntArray]:
        """Runs that rank the document (by pool index), and at which ranks."""
        entries = slice(self.start[document], self.start[document + 1])
        return self.run[entries], self.rank[entries]

    def chosen_by(self, runs: BoolArray) -> BoolArray:
        """For each document (n,): true if any of these runs, given as (runs,) bool, ranks it."""
        before = np.concatenate([[0], np.cumsum(runs[self.run])])
        return np.asarray(np.diff(before[self.start]) > 0)

    @property
    def depth(self) -> int:
        return int(self.rank.max(initial=0))


def build_topic_pool(
    rankings: Sequence[IntArray | None],
    p: float,
    contributing: BoolArray,
    sort_key: Callable[[Ids], IntArray] | None = None,
    unranked: Ids | None = None,
) -> TopicPool:
    """Pool the rankings of one topic.

    Parameters
    ----------
    rankings : sequence of int arrays or None, one per run
        Document ids in rank order; None or empty where the run misses the topic.
    p : float
        Persistence, inside (0, 1).
    contributing : ndarray of bool, shape (runs,)
        Runs whose documents may be chosen. The others are in the pool, so that they are scored, but
        give no weight.
    sort_key : callable, optional
        Maps ids to integers whose ascending order is docno ascending; None: the ids' own order is.
    unranked : ndarray of int32, optional
        Further documents, which need not be ranked by any run.

    Returns
    -------
    TopicPool
        Ordered by Method-A weight (Moffat, Webber and Zobel 2007, section 3) descending, compared at
        12 significant digits, then docno ascending.

    Raises
    ------
    ValueError
        If `contributing` has another length than `rankings`, or a ranking holds a document twice.

    Examples
    --------
    >>> pool = build_topic_pool([np.array([7, 9]), np.array([9])], 0.5, np.array([True, True]))
    >>> pool.documents.tolist(), pool.method_a.tolist()
    ([9, 7], [0.75, 0.5])
    """
    contributing = np.asarray(contributing, dtype=np.bool_)
    if contributing.shape != (len(rankings),):
        raise ValueError(f"contributing has shape {contributing.shape} for {len(rankings)} rankings")
    lengths = [0 if ranking is None else len(ranking) for ranking in rankings]
    present = [np.asarray(ranking, dtype=np.int32) for ranking in rankings if ranking is not None]
    ids = np.concatenate([np.zeros(0, dtype=np.int32), *present])
    run = np.repeat(np.arange(len(rankings), dtype=_smallest(len(rankings))), lengths)
    rank = _ranks(lengths)
    documents, of = _distinct(ids)
    if unranked is not None:
        ranked, documents = documents, np.union1d(documents, unranked).astype(np.int32)
        of = np.searchsorted(documents, ranked)[of]

    share = np.concatenate([[0.0], rank_weights(p, max(lengths, default=0))])[rank]
    counted = np.where(contributing[run], share, 0.0)
    method_a = np.asarray(np.bincount(of, counted, minlength=len(documents)), dtype=np.float64)
    order = np.lexsort((documents if sort_key is None else sort_key(documents), -round_significant(method_a)))
    # Numbers of 16 bits are sorted many times as fast.
    kind: type[np.integer] = np.uint16 if len(order) <= np.iinfo(np.uint16).max else np.int32
    place = np.empty(len(order), dtype=kind)
    place[order] = np.arange(len(order), dtype=kind)

    of_entry: IntArray = place[of]
    entries = np.argsort(of_entry, kind="stable")
    _refuse_repeats(of_entry[entries], run[entries], documents[order])
    start = np.zeros(len(documents) + 1, dtype=np.int32)
    np.cumsum(np.bincount(of_entry, minlength=len(documents)), out=start[1:])
    return TopicPool(documents[order], start, run[entries], rank[entries], method_a[order])


def _distinct(ids: Ids) -> tuple[Ids, IntArray]:
    """The ids without repeats, ascending, and of each id its place among them."""
    low, high = (int(ids.min()), int(ids.max())) if len(ids) else (0, -1)
    if high - low >= MOST_APART * len(ids):
        return np.unique(ids, return_inverse=True)
    # A table of all that might be there is made in a fraction of the time that sorting takes.
    there = np.zeros(high - low + 1, dtype=np.bool_)
    there[ids - low] = True
    documents = np.flatnonzero(there)
    place = np.empty(len(there), dtype=np.int32)
    place[documents] = np.arange(len(documents), dtype=np.int32)
    return (documents + low).astype(np.int32), place[ids - low]


def _smallest(largest: int) -> type[np.signedinteger]:
    return np.int16 if largest <= np.iinfo(np.int16).max else np.int32


def _ranks(lengths: Sequence[int]) -> IntArray:
    kind = _smallest(max(lengths, default=0))
    return np.concatenate([np.zeros(0, dtype=kind), *(np.arange(1, n + 1, dtype=kind) for n in lengths)])


def _refuse_repeats(place: IntArray, run: IntArray, documents: Ids) -> None:
    """Refuse a ranking with a document twice. Entries come by place and then by run: each one's document's
    place, and its run."""
    twice = np.flatnonzero((place[1:] == place[:-1]) & (run[1:] == run[:-1]))
    if len(twice):
        raise ValueError(f"a ranking holds document {documents[place[twice[0]]]} twice")


# Occurrences of documents in runs: 240 MB.
POOL_CACHE_SIZE = 20_000_000
# Bytes of each: a run, a rank, and twice as much for the documents and what is known of them.
OCCURRENCE_SIZE = 12


class Pools(Sequence[TopicPool]):
    """A sequence of pools, one per topic. A pool that was let go is loaded again when it is asked for,
    so loading must give the same documents in the same order each time.

    capacities : int64 (topics,), no pool holds more documents than that
    depth : the deepest rank in any of them
    """

    def __init__(
        self,
        load: Callable[[int], TopicPool],
        capacities: Sequence[int],
        depth: int,
        room: int = POOL_CACHE_SIZE,
    ) -> None:
        self.capacities: IntArray = np.asarray(capacities, dtype=np.int64)
        self.depth = depth
        self._room = room
        self._cache = LruCache(load, _occurrences, room)

    @property
    def size(self) -> int:
        """About how many bytes the pools take once all are in memory that there is room for."""
        return OCCURRENCE_SIZE * min(int(self.capacities.sum()), self._room)

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
        return self._cache[topic]

    def __iter__(self) -> Iterator[TopicPool]:
        return (self[topic] for topic in range(len(self)))


def _occurrences(topic: int, pool: TopicPool) -> int:
    # An empty pool takes some memory, too.
    return len(pool.run) + 100


def identical_runs(pools: Sequence[TopicPool], runs: int, among: Sequence[int]) -> list[tuple[int, ...]]:
    """Groups of two runs or more, of those in `among`, that rank the same documents in the same order in
    every topic. Runs that rank nothing are in no group.

    Runs are compared by a sum of 64-bit hashes of what they rank where, topic by topic.

    >>> same, other = np.array([4, 2]), np.array([2, 4])
    >>> pool = build_topic_pool([same, other, same], 0.5, np.ones(3, dtype=np.bool_))
    >>> identical_runs([pool], 3, [0, 1, 2])
    [(0, 2)]
    """
    sums = np.zeros((runs, len(pools)), dtype=np.uint64)
    for topic, pool in enumerate(pools):
        document = np.repeat(np.arange(len(pool), dtype=np.uint64), np.diff(pool.start))
        np.add.at(sums[:, topic], pool.run, _mixed((document << np.uint64(32)) | pool.rank.astype(np.uint64)))
    groups: dict[bytes, list[int]] = {}
    for run in among:
        if sums[run].any():
            groups.setdefault(sums[run].tobytes(), []).append(run)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finalizer (Steele, Lea and Flood 2014), which spreads each key over all bits."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
