"""How far runs agree on what they rank, before anything is judged."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from selection.pools import Pools

# What runs rank among their first ten is what others are measured by.
FIRST = 10


class Agreement:
    """Support of documents, and standing of runs.

    A document's support is the logarithm of the sum of 1 / rank over all runs, told from the mean over what
    the topic's runs rank among their first ten: so it says the same of few runs and of many, of runs that
    are much alike and of runs that are not. What no run ranks has the support of what one run ranks last.

    standing : float64 (runs,), the mean support of what a run ranks among its first ten, over all topics; 0
        if it ranks nothing. Runs that find what others find tend to be the better ones (Soboroff, Nicholas
        and Cahan 2001; Aslam and Savell 2003).
    """

    def __init__(self, pools: Pools, runs: int) -> None:
        self._usual, self._least = np.zeros(len(pools)), np.zeros(len(pools))
        total, count = np.zeros(runs), np.zeros(runs)
        for topic, pool in enumerate(pools):
            counts = np.concatenate([[0.0], np.cumsum(1.0 / pool.rank)])
            mass = np.diff(counts[pool.start])
            first = np.flatnonzero(pool.rank <= FIRST)
            run, document = pool.run[first], np.searchsorted(pool.start, first, side="right") - 1
            self._least[topic] = 1.0 / max(pool.depth, 1)
            self._usual[topic] = np.log(mass[document]).mean() if len(first) else 0.0
            total += np.bincount(run, self.support(topic, mass)[document], runs)
            count += np.bincount(run, minlength=runs)
        self.standing = total / np.maximum(count, 1)

    def support(self, topic: int, mass: FloatArray) -> FloatArray:
        """Of some documents of the topic, whose sums of 1 / rank are given."""
        return np.asarray(np.log(np.maximum(mass, self._least[topic])) - self._usual[topic])
