"""MTC as its papers write it down: every pair of documents of every run, then every pair of runs."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray, IntArray


def dense_marginals(rankings: list[IntArray], relevance: FloatArray) -> FloatArray:
    """(runs, documents): 1 / rank + the sum over the run's other documents of p / the greater rank."""
    found = np.zeros((len(rankings), len(relevance)))
    for run, ranking in enumerate(rankings):
        ranks = np.arange(1.0, len(ranking) + 1)
        shares, p = 1 / np.maximum.outer(ranks, ranks), relevance[ranking]
        found[run, ranking] = shares @ p + (1 - p) / ranks
    return found


def dense_choice(rankings: list[IntArray], relevance: FloatArray) -> int:
    """The unjudged document whose effects on two runs differ most; the first of equals."""
    effects = dense_marginals(rankings, relevance)
    most = np.zeros(len(relevance))
    for run in range(len(rankings)):
        for other in range(run):
            np.maximum(most, np.abs(effects[run] - effects[other]), out=most)
    open_ = (relevance > 0) & (relevance < 1)
    return int(np.where(open_, np.round(most, 10), -1.0).argmax())
