"""Rankers of little insight: a campaign should be able to tell."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from campaigns.demo.index import Floats, Index
from campaigns.demo.rankers.matching import matched_terms


def coordination_level(index: Index, queries: sparse.csr_array) -> Floats:
    """How many of the query's terms occur, however often and however common. Most scores tie."""
    matched = matched_terms(index, queries)
    return np.where(matched > 0, matched, -np.inf)


def longest(index: Index, queries: sparse.csr_array) -> Floats:
    """The longest documents that share a term with the query."""
    return np.where(matched_terms(index, queries) > 0, index.lengths, -np.inf)


def reciprocal_rank_fusion(runs: list[Floats], *, k: float = 60.0) -> Floats:
    """Sum of 1 / (k + rank) over the runs that retrieve a document (Cormack et al., 2009)."""
    total = np.zeros_like(runs[0])
    for scores in runs:
        order = np.argsort(-scores, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[np.newaxis, :], axis=1)
        total += np.where(np.isfinite(scores), 1 / (k + ranks), 0)
    return np.where(total > 0, total, -np.inf)
