"""Weights of runs, by which near-identical runs of one team do not outvote the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Literal, get_args

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.weights import rank_weights
from selection.pool import Pools, TopicPool
from selection.randomness import lot

RunWeightKind = Literal["equal", "team", "similarity"]
# Similarities are computed on so many topics, drawn at random, and on the ranks above a tail of such weight.
MOST_COMPARED, TAIL = 100, 0.01


@dataclass(frozen=True, kw_only=True)
class RunWeightOptions:
    """run_weights : "equal", "team" or "similarity"; what a run counts among the others (see `RunWeights`)"""

    run_weights: RunWeightKind = "equal"

    def __post_init__(self) -> None:
        known = get_args(RunWeightKind)
        if self.run_weights not in known:
            raise ValueError(f"run_weights = {self.run_weights!r} is none of {', '.join(known)}")


class RunWeights:
    """Weights of a campaign's runs, each computed when it is first asked for.

    pools : of all topics; keys : each topic's lasting identity, or none
    contributing : bool (runs,)
    groups : int (runs,), the team of each run; none: each run is a team of its own
    """

    def __init__(
        self,
        pools: Pools,
        p: float,
        contributing: BoolArray,
        groups: IntArray | None = None,
        keys: Sequence[int] = (),
    ) -> None:
        self._pools, self._p, self._contributing, self._keys = pools, p, contributing, keys
        self._groups = np.arange(len(contributing)) if groups is None else groups
        self._similar: FloatArray | None = None

    def of(self, kind: RunWeightKind) -> FloatArray:
        """float64 (runs,), in (0, 1].

        "equal": 1. "team": 1 / the number of the team's contributing runs. "similarity": 1 / the sum of the
        run's similarities to all contributing runs, itself among them (`run_similarities`). Runs that do not
        contribute have weight 1, which nothing reads.
        """
        if kind == "equal":
            return np.ones(len(self._contributing))
        if kind == "team":
            sizes = np.bincount(self._groups[self._contributing], minlength=self._groups.max(initial=0) + 1)
            return np.where(self._contributing, 1 / np.maximum(sizes[self._groups], 1), 1.0)
        if self._similar is None:
            similar = run_similarities(self._compared(), len(self._contributing), self._p)
            total = similar[:, self._contributing].sum(axis=1)
            self._similar = np.where(self._contributing, 1 / np.maximum(total, 1.0), 1.0)
        return self._similar

    def _compared(self) -> list[TopicPool]:
        topics = list(range(len(self._pools)))
        if len(topics) > MOST_COMPARED:
            keys = self._keys or topics
            topics = sorted(topics, key=lambda topic: lot("run weights", keys[topic]))[:MOST_COMPARED]
        return [self._pools[topic] for topic in sorted(topics)]


def run_similarities(pools: Sequence[TopicPool], runs: int, p: float) -> FloatArray:
    """Share of RBP's rank weights that two runs have in common.

    Parameters
    ----------
    pools : sequence of TopicPool
    runs : int
        The pools' run indices are below it.
    p : float
        Persistence, inside (0, 1).

    Returns
    -------
    ndarray of float64, shape (runs, runs)
        In [0, 1]. Over all topics, the sum over documents of the lesser of a document's two rank weights,
        2 s(i, j) / (s(i, i) + s(j, j)): with agreement A(d) of the first d documents, s is the sum of
        (1 - p)**2 p**(d - 1) d A(d). 1 for a run and itself, and for runs that rank alike. Ranks behind
        which 1% of the weight is left are not compared.

    References
    ----------
    This project's choice, after the overlap of Webber, Moffat and Zobel 2010, A similarity measure for
    indefinite rankings; normalised as Czekanowski's coefficient.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> lists = [np.array([1, 2]), np.array([1, 3]), np.array([4])]
    >>> run_similarities([build_topic_pool(lists, 0.5, np.ones(3, bool))], 3, 0.5).round(3).tolist()
    [[1.0, 0.667, 0.0], [0.667, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    depth = ceil(log(TAIL) / log(p))
    weights = np.concatenate([[0.0], rank_weights(p, depth)])
    common = np.zeros(runs * runs)
    for pool in pools:
        high = pool.rank <= depth
        run, rank = pool.run[high].astype(np.int64), pool.rank[high].astype(np.int64)
        count = np.diff(np.concatenate([[0], np.cumsum(high)])[pool.start])
        # Each entry beside each entry of the same document.
        each, first = np.repeat(count, count), np.repeat(np.cumsum(count) - count, count)
        one = np.repeat(np.arange(len(run)), each)
        other = np.arange(len(one)) - np.repeat(np.cumsum(each) - each, each) + np.repeat(first, each)
        lesser = weights[np.maximum(rank[one], rank[other])]
        common += np.bincount(run[one] * runs + run[other], lesser, minlength=runs * runs)
    shared = common.reshape(runs, runs)
    whole = shared.diagonal()[:, None] + shared.diagonal()
    similar = np.divide(2 * shared, whole, out=np.zeros_like(shared), where=whole > 0)
    np.fill_diagonal(similar, 1.0)
    return similar
