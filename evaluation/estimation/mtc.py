"""Moments of average precision under given probabilities of relevance: minimal test collections (Carterette,
Allan and Sitaraman 2006).

Documents are relevant independently of each other; the probability of judged ones is 0 or 1. For each pair of
runs the moments give the confidence that one has the higher mean.
"""

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
    2008, section 2.1. In O(depth) a run, by prefix sums: a document pair weighs 1 / the greater rank.

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
    # Counting is several times as fast as sorting.
    if np.bincount(ranking).max() > 1:
        raise ValueError(f"run {run} ranks a document twice")


@dataclass(frozen=True, eq=False)
class PairMoments:
    """One topic; arrays (runs, runs): row minus column, of SP and of AP."""

    sp: FloatArray
    sp_variance: FloatArray
    ap: FloatArray
    ap_variance: FloatArray


@dataclass(frozen=True, eq=False)
class Confidences:
    """All topics. `emap` and `emap_variance` (runs,); the others (runs, runs), row minus column.

    `confidence` is the probability that the row's run has the higher mean average precision.
    """

    emap: FloatArray
    emap_variance: FloatArray
    difference: FloatArray
    variance: FloatArray
    confidence: FloatArray


def pair_moments(
    rankings: Sequence[IntArray | None], relevance: FloatArray, *, exact: bool = True, delta: bool = False
) -> PairMoments:
    """Means and variances of the differences between all runs on one topic.

    Parameters
    ----------
    rankings, relevance
        As for `topic_moments`.
    exact : bool
        False leaves out a term that only lowers the variance: a rigorous upper bound, much faster, a few
        per cent too wide as a rule.
    delta : bool
        True: the variance of AP by the delta method. False: as published, with the number of relevant
        documents held at its expectation.

    Returns
    -------
    PairMoments
        Var[dSP] = sum_i v_i M_i^2 + sum_{i<j} c_ij^2 v_i v_j. All 0 where no document can be relevant.

    Raises
    ------
    ValueError
        As for `topic_moments`.

    References
    ----------
    Carterette, Allan and Sitaraman 2006, section 4.

    Examples
    --------
    >>> opposite = [np.array([0, 1, 2]), np.array([2, 1, 0])]
    >>> found = pair_moments(opposite, np.full(3, 0.5))
    >>> float(found.sp[0, 1]), round(float(found.sp_variance[0, 1]), 7)
    (0.0, 0.2847222)
    """
    return _pairs(topic_moments(rankings, relevance), rankings, exact, delta)


def confidences(
    topics: Sequence[tuple[Sequence[IntArray | None], FloatArray]],
    *,
    exact: bool = False,
    delta: bool = False,
) -> Confidences:
    """Expected mean average precision, and the confidence in every pair of runs.

    Parameters
    ----------
    topics : sequence of (rankings, relevance)
        As for `topic_moments`, the same runs in each; at least one.
    exact, delta
        As for `pair_moments`. With the bound, confidence is never too far from 1/2.

    Returns
    -------
    Confidences
        Phi(difference / standard deviation); without variance 1, 1/2 or 0 by the difference's sign. Topics
        without relevant documents count 0.

    Raises
    ------
    ValueError
        If there are no topics, their numbers of runs differ, or as for `topic_moments`.

    References
    ----------
    Carterette, Allan and Sitaraman 2006, section 4; Carterette and others 2008, section 2.1.

    Examples
    --------
    >>> opposite = [np.array([0, 1, 2]), np.array([2, 1, 0])]
    >>> found = confidences([(opposite, np.array([1.0, 0.5, 0.5]))], exact=True)
    >>> round(float(found.confidence[1, 0]), 4)
    0.1616
    """
    counts = {len(rankings) for rankings, _ in topics}
    if len(counts) != 1:
        raise ValueError(f"topics need the same runs, at least one topic; got {sorted(counts)} runs")
    runs, number = counts.pop(), len(topics)
    emap, emap_variance = np.zeros(runs), np.zeros(runs)
    difference, variance = np.zeros((runs, runs)), np.zeros((runs, runs))
    for rankings, relevance in topics:
        moments = topic_moments(rankings, relevance)
        pairs = _pairs(moments, rankings, exact, delta)
        emap += moments.ap / number
        emap_variance += moments.ap_variance / number**2
        difference += pairs.ap / number
        variance += pairs.ap_variance / number**2
    return Confidences(emap, emap_variance, difference, variance, confidence_of(difference, variance))


def confidence_of(difference: FloatArray, variance: FloatArray) -> FloatArray:
    """Phi(difference / sqrt(variance)), any equal shapes; 1, 1/2 or 0 by the sign without variance.

    >>> confidence_of(np.array([0.0, 0.1, -0.1]), np.array([0.1, 0.0, 0.0])).tolist()
    [0.5, 1.0, 0.0]
    """
    sure = np.heaviside(np.where(np.abs(difference) < 1e-12, 0.0, difference), 0.5)
    deviation = np.sqrt(variance)
    z = np.divide(difference, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    # Imported here: scipy.special would double the start of commands that only know EAP's name.
    from scipy.special import ndtr

    return np.asarray(np.where(deviation > 0, ndtr(z), sure))


def _pairs(moments: Moments, rankings: Sequence[IntArray | None], exact: bool, delta: bool) -> PairMoments:
    variances = moments.relevance * (1 - moments.relevance)
    total = moments.relevant
    nothing = np.zeros((len(rankings), len(rankings)))
    if total == 0:
        return PairMoments(nothing, nothing, nothing, nothing)
    pairs = moments.shared[:, None] + moments.shared[None, :]
    if exact:
        pairs = pairs - 2 * _common(rankings, variances)
    sp_variance = _spread(moments.marginals, variances) + pairs
    shifted = moments.marginals - moments.ap[:, None] if delta else moments.marginals
    ap_variance = (_spread(shifted, variances) + pairs) / total**2 if delta else sp_variance / total**2
    for matrix in (sp_variance, ap_variance):
        np.fill_diagonal(matrix, 0.0)
    differ = moments.sp[:, None] - moments.sp[None, :]
    return PairMoments(differ, np.maximum(sp_variance, 0), differ / total, np.maximum(ap_variance, 0))


def _spread(marginals: FloatArray, variances: FloatArray) -> FloatArray:
    """sum_i v_i (M_i of the row's run - M_i of the column's)^2."""
    open_ = variances > 0
    scaled = marginals[:, open_] * np.sqrt(variances[open_])
    products = scaled @ scaled.T
    squares = np.diag(products)
    return np.asarray(np.maximum(squares[:, None] + squares[None, :] - 2 * products, 0.0))


def _common(rankings: Sequence[IntArray | None], variances: FloatArray) -> FloatArray:
    """sum over document pairs of v_i v_j a_ij(row's run) a_ij(column's run); judged documents drop out."""
    ranks = np.zeros((len(rankings), len(variances)))
    for run, ranking in enumerate(rankings):
        if ranking is not None and len(ranking):
            ranks[run, ranking] = np.arange(1, len(ranking) + 1)
    open_ = np.flatnonzero(variances > 0)
    ranks, v = ranks[:, open_], variances[open_]
    result = np.zeros((len(rankings), len(rankings)))
    for row in range(len(rankings)):
        mine = np.flatnonzero(ranks[row])
        mine = mine[np.argsort(ranks[row, mine])]
        for column in range(row, len(rankings)):
            both = mine[ranks[column, mine] > 0]
            # In the row's order the later document of a pair has the greater rank.
            other = ranks[column, both]
            later = np.tril(v[both] / np.maximum.outer(other, other), -1).sum(axis=1)
            result[row, column] = result[column, row] = float(later @ (v[both] / ranks[row, both]))
    return result
