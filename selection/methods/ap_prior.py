"""How much each rank is worth to average precision, before anything is judged."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.pool import TopicPool


def ap_prior(length: int) -> FloatArray:
    """The probability that average precision gives each rank of a ranking.

    AP is a sum over pairs of ranks i, j of 1 / max(i, j), the pair of a rank with itself counted double;
    these weights, made to add up to 1, are a distribution over pairs, and this is that of one of the two:
    (1 + sum over j from r to Z of 1 / j) / 2Z.

    Parameters
    ----------
    length : int
        Z, the number of documents ranked, at least 1.

    Returns
    -------
    ndarray of float64, shape (length,)
        Falling with the rank, sum 1.

    Raises
    ------
    ValueError
        If length < 1.

    References
    ----------
    Aslam, Pavlu and Yilmaz 2006; the prior of statAP in Carterette et al. 2008, section 2.2.

    Examples
    --------
    >>> ap_prior(2).tolist()
    [0.625, 0.375]
    """
    if length < 1:
        raise ValueError(f"length = {length} is below 1")
    return _at(np.arange(1, length + 1), np.full(length, length))


def prior_shares(pool: TopicPool, contributing: BoolArray) -> FloatArray:
    """What each occurrence of a document in a run adds to the document's prior, (entries,) as in the pool.

    A document's prior is the mean of `ap_prior` over the contributing runs that rank the topic at all, 0
    where one does not rank the document; all documents' add up to 1, or to 0 without such a run.
    """
    lengths = np.bincount(pool.run, minlength=len(contributing))
    runs = int(np.count_nonzero(contributing & (lengths > 0)))
    shares = _at(pool.rank.astype(np.int64), lengths[pool.run])
    return np.asarray(np.where(contributing[pool.run], shares, 0.0) / max(runs, 1))


def document_prior(pool: TopicPool, contributing: BoolArray) -> FloatArray:
    """`prior_shares` summed by document, (n,) by pool index."""
    of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
    return np.bincount(of, prior_shares(pool, contributing), minlength=len(pool)).astype(np.float64)


def _at(rank: IntArray, length: IntArray) -> FloatArray:
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, length.max(initial=0) + 1))])
    return np.asarray((1.0 + harmonic[length] - harmonic[rank - 1]) / (2.0 * np.maximum(length, 1)))
