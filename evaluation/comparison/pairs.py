"""Significant differences between pairs of runs, by rules as in Moffat, Webber and Zobel 2007, Table 5."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from typing import Literal

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.comparison.significance import Correction, Test, adjust, p_values
from evaluation.measures.bounds import mean_of_known

# What of the worse run the better one's base is compared with.
Versus = Literal["base", "top", "projected"]


@dataclass(frozen=True)
class Rule:
    """Rule by which pairs are tested; see `p_values` and `adjust` in `evaluation.comparison.significance`."""

    test: Test = "wilcoxon"
    tails: int = 1
    alpha: float = 0.05
    correction: Correction = "none"
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha = {self.alpha} is not inside (0, 1)")


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One value for each pair: the mean difference, its p-value (corrected, if asked for), whether it is
    significant in favour of the pair's better run, and on how many topics that rests.

    Difference and p are NaN where the pair has no topic, p also where its topics are too few for the test.
    """

    difference: FloatArray
    p: FloatArray
    significant: BoolArray
    topics: IntArray

    @property
    def fraction(self) -> float:
        """Share of the pairs that are significant; NaN without pairs."""
        return float(np.mean(self.significant)) if len(self.significant) else float("nan")


def top_runs(base: FloatArray, share: float) -> IntArray:
    """The best floor(0.5 + share * runs) runs by mean base, best first; ties keep the order given.

    Raises ValueError if `share` is outside (0, 1] or no run is left.

    >>> top_runs(np.array([0.1, 0.3, 0.2]), share=0.5)
    array([1, 2])
    """
    base = np.asarray(base, dtype=np.float64)
    if not 0 < share <= 1:
        raise ValueError(f"share = {share} is not inside (0, 1]")
    count = floor(0.5 + share * len(base))
    if not count:
        raise ValueError(f"share = {share} of {len(base)} runs leaves no run")
    # The last bits of a mean depend on the order of summing; they must not decide.
    return np.argsort(-np.round(base, 12), kind="stable")[:count]


def ordered_pairs(runs: IntArray) -> tuple[IntArray, IntArray]:
    """All pairs of runs that are given best first: the better and the worse of each, (pairs,) both.

    >>> better, worse = ordered_pairs(np.array([4, 7, 5]))
    >>> better.tolist(), worse.tolist()
    ([4, 4, 7], [7, 5, 5])
    """
    better, worse = np.triu_indices(len(runs), 1)
    return runs[better], runs[worse]


def verdicts(
    scores: FloatArray, against: FloatArray, better: IntArray, worse: IntArray, rule: Rule
) -> Verdicts:
    """Is each better run's score above what is set against it?

    Parameters
    ----------
    scores : ndarray of float64, shape (runs, topics)
        What the better run is credited with: its base, or any point estimate. NaN where it has no value
        in the topic (`begun_projections` in `evaluation.measures.bounds`): the run's pairs leave it out.
    against : ndarray of float64, shape (runs, topics)
        What the worse run is credited with: base, base + residual, projection, or the same estimate; NaN
        likewise.
    better, worse : ndarray of int, shape (pairs,)
        Rows of the two arrays.
    rule : Rule

    Returns
    -------
    Verdicts
        With two tails, a pair whose difference has turned against the better run is not significant,
        however small p is: nothing is established about the better run then.

    Raises
    ------
    ValueError
        If the arrays' shapes differ, or as for `p_values`.

    References
    ----------
    Moffat, Webber and Zobel 2007, section 5 and Table 5; Ravana and Moffat 2010, section 5.

    Examples
    --------
    >>> base = np.array([[0.5, 0.6, 0.7, 0.8, 0.9], [0.1, 0.3, 0.2, 0.1, 0.5]])
    >>> found = verdicts(base, base, np.array([0]), np.array([1]), Rule())
    >>> found.p.tolist(), found.significant.tolist()
    ([0.03125], [True])
    """
    scores, against = (np.asarray(values, dtype=np.float64) for values in (scores, against))
    if scores.shape != against.shape or scores.ndim != 2:
        raise ValueError(f"scores of shape {scores.shape} against {against.shape}")
    return _tested(scores[better] - against[worse], rule)


def pessimistic_verdicts(
    base: FloatArray, top: FloatArray, better: IntArray, worse: IntArray, rule: Rule
) -> Verdicts:
    """Count a topic only where the two runs' intervals [base, top] are apart, by the gap between them.

    Parameters, errors as for `verdicts`. Where intervals overlap the topic says nothing: difference 0.
    Wilcoxon's and the sign test drop such topics and may find more than with the bases; t and
    randomisation count them against the pair.

    References
    ----------
    Ravana and Moffat 2010, section 3, pessimistic interval comparison. The paper does not say what its
    significance test was made on; the gap, with its sign, is this project's reading.

    Examples
    --------
    >>> base, top = np.array([[0.5, 0.2], [0.1, 0.1]]), np.array([[0.6, 0.3], [0.3, 0.4]])
    >>> pair = np.array([0]), np.array([1])
    >>> round(float(pessimistic_verdicts(base, top, *pair, Rule()).difference[0]), 6)
    0.1
    """
    base, top = (np.asarray(values, dtype=np.float64) for values in (base, top))
    if base.shape != top.shape or base.ndim != 2:
        raise ValueError(f"base of shape {base.shape}, top of {top.shape}")
    if (top < base - 1e-12).any():
        raise ValueError("a top is below its base")
    ahead = np.maximum(base[better] - top[worse], 0.0)
    behind = np.maximum(base[worse] - top[better], 0.0)
    return _tested(ahead - behind, rule)


def _tested(differences: FloatArray, rule: Rule) -> Verdicts:
    if not len(differences):
        return Verdicts(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64))
    mean, topics = mean_of_known(differences.T)
    p = np.full(len(differences), np.nan)
    for pairs, columns in pairs_by_topics(differences, 2 if rule.test == "t" else 1):
        p[pairs] = p_values(differences[np.ix_(pairs, columns)], rule.test, rule.tails, rule.seed)
    known = ~np.isnan(p)
    p[known] = adjust(p[known], rule.correction)
    return Verdicts(mean, p, (p < rule.alpha) & (mean > 0), topics)


def pairs_by_topics(differences: FloatArray, at_least: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Groups of pairs that have a difference in the same topics: the pairs' rows and the topics' columns.

    Where some differences are NaN, pairs with fewer than `at_least` topics are in no group.

    >>> differences = np.array([[0.1, 0.2], [0.3, np.nan], [0.2, 0.1]])
    >>> [(rows.tolist(), columns.tolist()) for rows, columns in pairs_by_topics(differences, 1)]
    [([1], [0]), ([0, 2], [0, 1])]
    """
    known = ~np.isnan(differences)
    if known.all():
        yield np.arange(len(differences)), np.arange(differences.shape[1])
        return
    masks, group = np.unique(known, axis=0, return_inverse=True)
    for place, mask in enumerate(masks):
        if mask.sum() >= at_least:
            yield np.flatnonzero(group.ravel() == place), np.flatnonzero(mask)
