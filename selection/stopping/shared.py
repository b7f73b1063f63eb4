from __future__ import annotations

from copy import copy
from math import ceil, log2

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.decisions import shared_weight
from evaluation.measures.weights import exact_rank_weights
from selection.acts import Act
from selection.framework.interface import Setting


class SharedWeights:
    """`shared_weight` of these runs (all, if none are named), summed over topics and kept while judgments
    come, change and go.

    Sums are integers, so that the order of the judgments leaves no trace. Beyond 512 topics the unit is
    coarser than 2**-53, and weights are rounded down: a pair may be decided late, but never wrongly.
    """

    def __init__(self, setting: Setting, runs: IntArray | None = None) -> None:
        pools = setting.pools
        unit = 2.0 ** min(53, 62 - ceil(log2(max(len(pools), 1))))
        self._pools, self._all = pools, max(len(pools), 1) * unit
        self._units = np.floor(exact_rank_weights(setting.p, pools.depth) * unit)
        runs = np.arange(setting.runs) if runs is None else runs
        self._place = np.full(setting.runs, -1)
        self._place[runs] = np.arange(len(runs))
        self._total = np.zeros((len(runs), len(runs)), dtype=np.int64)
        for topic, pool in enumerate(pools):
            judged = np.zeros(len(pool), dtype=np.bool_)
            judged[list(setting.judgments.judged_in(topic))] = True
            found = shared_weight(pool.start, pool.run, pool.rank, judged, self._units, runs)
            self._total += found.astype(np.int64)

    def copy(self) -> SharedWeights:
        other = copy(self)
        other._total = self._total.copy()
        return other

    def judged(self, act: Act) -> None:
        if (act.before is None) == (act.after is None):
            return
        runs, ranks = self._pools[act.topic].occurrences(act.document)
        place = self._place[runs]
        kept = place >= 0
        if np.count_nonzero(kept) < 2:
            return
        place, units = place[kept], self._units[ranks[kept] - 1].astype(np.int64)
        lesser = np.minimum.outer(units, units)
        np.fill_diagonal(lesser, 0)
        self._total[place[:, None], place] += lesser if act.after is None else -lesser

    def among(self, runs: IntArray) -> FloatArray:
        """float64 (k, k), means over all topics for these runs."""
        place = self._place[runs]
        return np.asarray(self._total[place[:, None], place] / self._all)
