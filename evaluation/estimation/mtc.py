"""What the judgments made so far tell about average precision: minimal test collections.

Documents are relevant independently of each other, with given probabilities; judged ones with 0 or 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Moments:
    """One topic. SP is AP times the number of relevant documents.

    `sp`, `sp_variance`, `ap`, `ap_variance`: (runs,), each run alone, the last by the delta method.
    `marginals` (runs, documents): how much SP is expected to gain from each document's relevance.
    `shared` (runs,): the part of the variance that comes from pairs of documents.
    `relevance` (documents,): the probabilities.
    """

    sp: FloatArray
    sp_variance: FloatArray
    ap: FloatArray
    ap_variance: FloatArray
    marginals: FloatArray
    shared: FloatArray
    relevance: FloatArray

    @property
    def relevant(self) -> float:
        """The expected number of relevant documents."""
        return float(self.relevance.sum())


def topic_moments(rankings: Sequence[IntArray | None], relevance: FloatArray) -> Moments:
    """Means and variances of SP and AP for each run on one topic.

    Parameters
    ----------
    rankings : sequence of ndarray of int, or None
        Each run's documents in rank order, as places in `relevance`; None or empty where a run misses the
        topic.
    relevance : ndarray of float64, shape (documents,)
        Probability that each document is relevant, in [0, 1]; 0 or 1 for the judged.

    Returns
    -------
    Moments
        SP's are exact. AP is taken as E[SP] / sum of `relevance`, its variance by the delta method. Where no
        document can be relevant, all are 0.

    Raises
    ------
    ValueError
        If a probability is outside [0, 1], a document is unknown, or a run ranks one twice.

    References
    ----------
    Carterette, Allan and Sitaraman 2006, sections 3 and 4; Carterette, Pavlu, Kanoulas, Aslam and Allan
    2008, section 3. In O(depth) a run, by prefix sums: a document pair weighs 1 / the greater rank.

    Examples
    --------
    >>> found = topic_moments([np.array([0, 1, 2])], np.array([1.0, 0.5, 0.0]))
    >>> found.sp.tolist(), round(float(found.ap[0]), 6)
    ([1.5], 1.0)
    """
    relevance = np.asarray(relevance, dtype=np.float64)
    wrong = ~((relevance >= 0) & (relevance <= 1))
    if relevance.ndim != 1 or wrong.any():
        raise ValueError(f"relevance is not (documents,) in [0, 1]: {relevance[wrong].ravel()[:1].tolist()}")
    runs, variances = len(rankings), relevance * (1 - relevance)
    expected, shared = np.zeros(runs), np.zeros(runs)
    marginals = np.zeros((runs, len(relevance)))
    for run, ranking in enumerate(rankings):
        if ranking is None or not len(ranking):
            continue
        _check(ranking, len(relevance), run)
        ranks = np.arange(1, len(ranking) + 1)
        p, v = relevance[ranking], variances[ranking]
        above, mass = np.cumsum(p) - p, p / ranks
        expected[run] = ((1 + above) * mass).sum()
        marginals[run, ranking] = (1 + above) / ranks + mass[::-1].cumsum()[::-1] - mass
        shared[run] = (v / ranks**2 * (np.cumsum(v) - v)).sum()
    total = float(relevance.sum())
    if total == 0:
        nothing = np.zeros(runs)
        return Moments(nothing, nothing, nothing, nothing, marginals, shared, relevance)
    ap = expected / total
    return Moments(
        sp=expected,
        sp_variance=marginals**2 @ variances + shared,
        ap=ap,
        # Also a document that the run does not rank moves AP: it moves the number of relevant ones.
        ap_variance=((marginals - ap[:, None]) ** 2 @ variances + shared) / total**2,
        marginals=marginals,
        shared=shared,
        relevance=relevance,
    )


def _check(ranking: IntArray, documents: int, run: int) -> None:
    unknown = (ranking < 0) | (ranking >= documents)
    if unknown.any():
        raise ValueError(f"run {run} ranks document {ranking[unknown][0]}, of {documents} known")
    if len(np.unique(ranking)) < len(ranking):
        raise ValueError(f"run {run} ranks a document twice")
