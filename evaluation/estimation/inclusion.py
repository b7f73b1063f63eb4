"""Sizes of documents of which a sample is drawn, and their probabilities of being drawn."""

from __future__ import annotations

from math import ceil, log

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.weights import rank_weights

# Share of RBP's weight below the ranks whose documents are drawn.
LEFT_OUT = 0.001


def drawn_depth(p: float) -> int:
    """Rank down to which documents are drawn: RBP's weight below it is `LEFT_OUT`."""
    return ceil(log(LEFT_OUT) / log(p))


def sizes_at_ranks(documents: IntArray, ranks: IntArray, number: int, runs: int, p: float) -> FloatArray:
    """Size of each document: the root of its mean squared RBP weight over the contributing runs.

    Parameters
    ----------
    documents, ranks : ndarray of int64, shape (occurrences,)
        Which document, in [0, number), a run ranks where, from 1 on. Ranks below `drawn_depth` count as none.
    number : int
        Documents of the topic.
    runs : int
        Contributing runs.
    p : float
        Persistence of RBP, in (0, 1).

    Returns
    -------
    ndarray of float64, shape (number,)
        In [0, 1]; 0 for documents that no run ranks within `drawn_depth`.
    """
    depth = drawn_depth(p)
    near = ranks <= depth
    weights = np.concatenate([[0.0], rank_weights(p, depth)])[ranks[near]]
    total = np.bincount(documents[near], weights**2, minlength=number)
    return np.asarray(np.sqrt(total / max(runs, 1)))


def sampling_inclusion(sizes: FloatArray, number: int) -> FloatArray:
    """Probabilities of drawing documents in proportion to their sizes, `number` of them expected.

    Probabilities of 1 and more become 1, and the rest is shared among the others again.

    Parameters
    ----------
    sizes : ndarray of float64, shape (documents,)
        Not negative. A document of size 0 is never drawn.
    number : int
        At least 0. With no more documents of size above 0 than this, all are certain.

    Returns
    -------
    ndarray of float64, shape (documents,)
        In [0, 1]; the sum is `number`, or how many documents have a size.

    Raises
    ------
    ValueError
        If a size is negative or not finite, or the number is negative.

    References
    ----------
    Ohlsson 1998, Sequential Poisson sampling, section 2.

    Examples
    --------
    >>> sampling_inclusion(np.array([5.0, 2, 1, 1, 1]), 2).round(6).tolist()
    [1.0, 0.4, 0.2, 0.2, 0.2]
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    wrong = ~np.isfinite(sizes) | (sizes < 0)
    if wrong.any():
        raise ValueError(f"size {sizes[wrong][0]} is negative or not finite")
    if number < 0:
        raise ValueError(f"number = {number} is negative")
    if number >= np.count_nonzero(sizes):
        return (sizes > 0).astype(np.float64)
    certain = np.zeros(len(sizes), dtype=np.bool_)
    while (left := number - int(certain.sum())) > 0 and (mass := sizes[~certain].sum()) > 0:
        shares = certain.astype(np.float64)
        shares[~certain] = left * (sizes[~certain] / mass)
        # The order in which sizes were summed up must not decide who is certain.
        beyond = (shares >= 1 - 1e-12) & ~certain
        if not beyond.any():
            return shares
        certain |= beyond
    return certain.astype(np.float64)
