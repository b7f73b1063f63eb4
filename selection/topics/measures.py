"""Measures whose mean and variance are known where relevance is only probable: P@k, RBP, AP and recall."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.weights import rank_weights
from selection.topics.lists import TopicLists

# Relevance (documents,) of one topic to the scores' means and variances, (runs,) each.
UncertainMeasure = Callable[[TopicLists, FloatArray], tuple[FloatArray, FloatArray]]

_NAME = re.compile(r"P@(?P<k>[1-9]\d{0,5})|RBP(?:\(p=(?P<p>0?\.\d+)\))?|AP|R@(?P<r>[1-9]\d{0,5})")
FORMS = "P@k, RBP(p=…), AP and R@k"
DEFAULT_PERSISTENCE = 0.8
DEEPEST = 999_999
# Variances of measures that divide by R, the number of relevant documents.
PUBLISHED, DELTA = "published", "delta"
VARIANCES = (PUBLISHED, DELTA)


def is_uncertain_measure(name: str) -> bool:
    """True if `uncertain_measure` knows the name.

    Examples
    --------
    >>> [is_uncertain_measure(name) for name in ("P@10", "RBP(p=0.8)", "nDCG@10")]
    [True, True, False]
    """
    return _NAME.fullmatch(name.replace(" ", "")) is not None


def uncertain_measure(name: str, variance: str = PUBLISHED) -> UncertainMeasure:
    """The measure of a name.

    Parameters
    ----------
    name : str
        "P@10", "RBP(p=0.8)", "RBP", "AP" or "R@100": recall of the documents that any run ranks.
    variance : {"published", "delta"}
        Of AP and recall, which divide by R, the number of relevant documents. "published" holds R at its
        expectation; "delta" lets R vary with the documents (delta method), and is smaller where a run's
        score and R rise together.

    Returns
    -------
    callable
        Takes `TopicLists` and the probability that each document is relevant, in [0, 1] and 0 or 1 where it
        is judged, and returns (runs,) means and variances. Documents are independent of each other. P@k and
        RBP are exact; the means of AP and recall divide by the expected number of relevant documents. A topic
        without any relevant document has means and variances of 0.

    Raises
    ------
    ValueError
        If no such measure has a mean and a variance here, or no variance has that name.

    References
    ----------
    Hosseini and others 2012, section 5; Carterette, Allan and Sitaraman 2006 for the published variance of
    AP.

    Examples
    --------
    >>> lists = TopicLists(2, [np.array([0, 1])], [np.array([2.0, 1.0])])
    >>> mean, variance = uncertain_measure("P@2")(lists, np.array([1.0, 0.5]))
    >>> mean.tolist(), variance.tolist()
    ([0.75], [0.0625])
    """
    check_variance(variance)
    match = _NAME.fullmatch(name.replace(" ", ""))
    if match is None:
        raise ValueError(f"topics are not chosen by {name!r}, only by {FORMS}")
    if match["k"]:
        return _weighted(np.full(int(match["k"]), 1 / int(match["k"])))
    if match["r"]:
        return _recall(int(match["r"]), variance)
    if name.startswith("RBP"):
        return _rbp(float(match["p"] or DEFAULT_PERSISTENCE))
    # A process of its own can be given this: a function inside another cannot be sent.
    return partial(_average_precision, variance=variance)


def check_variance(name: str) -> None:
    """Raise ValueError for a name that is not in `VARIANCES`."""
    if name not in VARIANCES:
        raise ValueError(f"variance = {name!r} is not one of {', '.join(VARIANCES)}")


def _weighted(weights: FloatArray) -> UncertainMeasure:
    def moments(lists: TopicLists, relevance: FloatArray) -> tuple[FloatArray, FloatArray]:
        variance = relevance * (1 - relevance)
        return lists.weighted_sums(relevance, weights), lists.weighted_sums(variance, weights**2)

    return moments


def _rbp(p: float) -> UncertainMeasure:
    def moments(lists: TopicLists, relevance: FloatArray) -> tuple[FloatArray, FloatArray]:
        depth = max((len(ranking) for ranking in lists.rankings if ranking is not None), default=0)
        return _weighted(rank_weights(p, depth))(lists, relevance)

    return moments


def _average_precision(
    lists: TopicLists, relevance: FloatArray, *, variance: str
) -> tuple[FloatArray, FloatArray]:
    """Moments as in `evaluation.estimation.mtc.topic_moments`, for all runs at once."""
    total = float(relevance.sum())
    if total == 0:
        nothing = np.zeros(lists.runs)
        return nothing, nothing
    # Where a list has ended, a document that cannot be relevant.
    p = np.append(relevance, 0.0)[lists.padded]
    v, ranks = p * (1 - p), np.arange(1, p.shape[1] + 1)
    above, mass = p.cumsum(axis=1) - p, p / ranks
    below = mass[:, ::-1].cumsum(axis=1)[:, ::-1] - mass
    mean = ((1 + above) * mass).sum(axis=1) / total
    # What one more relevant document adds to AP also makes R larger, if R is not held.
    moved = mean if variance == DELTA else np.zeros(lists.runs)
    moves = (1 + above) / ranks + below - moved[:, None]
    pairs = v / ranks**2 * (v.cumsum(axis=1) - v)
    unranked = moved**2 * _unranked(relevance, v.sum(axis=1))
    return mean, ((moves**2 * v + pairs).sum(axis=1) + unranked) / total**2


def _recall(depth: int, variance: str) -> UncertainMeasure:
    def moments(lists: TopicLists, relevance: FloatArray) -> tuple[FloatArray, FloatArray]:
        total = float(relevance.sum())
        if total == 0:
            nothing = np.zeros(lists.runs)
            return nothing, nothing
        ones = np.ones(depth)
        mean = lists.weighted_sums(relevance, ones) / total
        moved = mean if variance == DELTA else np.zeros(lists.runs)
        # A document that the run ranks moves the ratio by (1 - moved) / total, any other by -moved / total.
        ranked = lists.weighted_sums(relevance * (1 - relevance), ones)
        return mean, ((1 - moved) ** 2 * ranked + moved**2 * _unranked(relevance, ranked)) / total**2

    return moments


def _unranked(relevance: FloatArray, ranked: FloatArray) -> FloatArray:
    """The variance of the number of relevant documents that each run does not rank, (runs,)."""
    return np.maximum(float((relevance * (1 - relevance)).sum()) - ranked, 0.0)
