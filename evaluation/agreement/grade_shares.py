"""Compare one assessor's grades with the others', stratum by stratum, and find the grade that differs
most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import FloatArray
from evaluation.resampling import Estimate


@dataclass(frozen=True)
class GradeShareDifference:
    """`p`: of the test that no share differs. `grade`: the column whose share differs most, and `difference`:
    own share less the others', in [-1, 1]. `own` and `others`: that grade's share of both, strata weighted
    alike."""

    p: float
    grade: int
    difference: Estimate
    own: float
    others: float


def compare_grade_shares(
    own: FloatArray, others: FloatArray, *, confidence: float = 0.95
) -> GradeShareDifference | None:
    """Test whether an assessor's grades are distributed as the others' within strata, such as topics.

    Strata may differ as they like, since only grades of the same stratum are compared. The test is that of
    general association of Cochran, Mantel and Haenszel for several grades: under the null hypothesis, an
    assessor's grades are a draw without replacement from all grades of the stratum. The difference of shares
    is weighted over the strata as by Mantel and Haenszel; its interval holds for all grades at once, by
    Bonferroni's correction, so that the widest difference may be chosen.

    Parameters
    ----------
    own, others : ndarray of float64, shape (strata, grades)
        How many documents of each stratum got each grade from the assessor, and from all others.
    confidence : float
        Of the interval, inside (0, 1).

    Returns
    -------
    GradeShareDifference or None
        None where no stratum has grades of both sides and two grades at all.

    Raises
    ------
    ValueError
        If the shapes differ, a count is negative or `confidence` is not inside (0, 1).

    References
    ----------
    Mantel and Haenszel 1959; Landis, Heyman and Koch 1978, section 3 (general association); for the interval
    Sato, Greenland and Robins 1989.

    Examples
    --------
    >>> own = np.array([[2.0, 18.0], [12.0, 8.0]])
    >>> others = np.array([[30.0, 70.0], [90.0, 10.0]])
    >>> found = compare_grade_shares(own, others)
    >>> found.grade, round(found.difference.value, 2), found.p < 0.001
    (0, -0.25, True)
    """
    own, others = np.asarray(own, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if own.ndim != 2 or own.shape != others.shape:
        raise ValueError(f"counts of shape {own.shape} and {others.shape} are not of the same strata")
    if (own < 0).any() or (others < 0).any():
        raise ValueError("a count is negative")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence} is not inside (0, 1)")
    both = (own.sum(axis=1) > 0) & (others.sum(axis=1) > 0)
    own, others = own[both], others[both]
    p = _general_association(own, others)
    if p is None:
        return None
    used = np.flatnonzero((own + others).sum(axis=0))
    return _widest(own, others, used, p, confidence)


def _general_association(own: FloatArray, others: FloatArray) -> float | None:
    """Landis, Heyman and Koch 1978: observed less expected counts, summed over the strata, in the metric of
    their covariance under the multiple hypergeometric distribution."""
    n1, n2 = own.sum(axis=1), others.sum(axis=1)
    total, columns = n1 + n2, own + others
    expected = (n1 / total)[:, None] * columns
    scale = n1 * n2 / (total**2 * np.maximum(total - 1, 1))
    spread = np.diag((scale * total) @ columns) - (columns * scale[:, None]).T @ columns
    rank = int(np.linalg.matrix_rank(spread)) if len(own) else 0
    if not rank:
        return None
    apart = (own - expected).sum(axis=0)
    return float(scipy.stats.chi2.sf(apart @ np.linalg.pinv(spread) @ apart, rank))


def _widest(
    own: FloatArray, others: FloatArray, used: np.ndarray, p: float, confidence: float
) -> GradeShareDifference:
    n1, n2 = own.sum(axis=1)[:, None], others.sum(axis=1)[:, None]
    total = n1 + n2
    weight = (n1 * n2 / total).sum()
    mine = (own * n2 / total).sum(axis=0) / weight
    theirs = (others * n1 / total).sum(axis=0) / weight
    difference = mine - theirs
    # Sato, Greenland and Robins 1989: it holds for few large strata and for many small ones.
    first = ((n1**2 * others - n2**2 * own) / total**2 + n1 * n2 * (n2 - n1) / (2 * total**2)).sum(axis=0)
    second = (own * (n2 - others) / total + others * (n1 - own) / total).sum(axis=0) / 2
    error = np.sqrt(np.maximum(difference * first + second, 0.0)) / weight
    reach = scipy.stats.norm.isf((1 - confidence) / 2 / len(used)) * error
    at = int(used[np.abs(difference[used]).round(12).argmax()])
    value, around = float(difference[at]), float(reach[at])
    estimate = Estimate(value, max(value - around, -1.0), min(value + around, 1.0))
    return GradeShareDifference(p, at, estimate, float(mine[at]), float(theirs[at]))


@dataclass(frozen=True)
class TopicShareDifference:
    """`p`: of the test that the assessor's topics are like the others', by Bonferroni's correction over the
    grades. `grade`: the column that differs most clearly; `own`: the assessor's share of it in their topics;
    `others`: the others' share in an average topic of theirs, and the interval in which the assessor's was to
    be expected."""

    p: float
    grade: int
    own: float
    others: Estimate


def compare_topic_shares(
    own: FloatArray, others: FloatArray, *, confidence: float = 0.95
) -> TopicShareDifference | None:
    """Test whether grades in an assessor's topics are as frequent as in the topics of others.

    Topics differ, and that is what the difference is held against: each grade's log odds in a topic, with
    half a document added to either side, are taken for a draw from the same normal distribution, and the
    assessor's mean is compared with the others' by Student's test with the spread between the others' topics.

    Parameters
    ----------
    own, others : ndarray of float64, shapes (topics, grades) and (other topics, grades)
        How many documents got each grade, in every topic at least one.
    confidence : float
        Of the interval, inside (0, 1).

    Returns
    -------
    TopicShareDifference or None
        None with no topic of the assessor's, fewer than two of others, or where no grade varies between them.

    Raises
    ------
    ValueError
        If the grades differ, a count is negative, a topic is empty or `confidence` is not inside (0, 1).

    References
    ----------
    Student 1908; the prediction interval of Fisher 1935, section 3; for the log odds Anscombe 1956.

    Examples
    --------
    >>> others = np.array([[20.0, 20.0], [28.0, 12.0], [12.0, 28.0], [24.0, 16.0], [16.0, 24.0]])
    >>> found = compare_topic_shares(np.array([[40.0, 0.0]]), others)
    >>> found.own, round(found.others.value, 2), found.p < 0.01
    (1.0, 0.5, True)
    """
    own, others = np.asarray(own, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if own.ndim != 2 or others.ndim != 2 or own.shape[1] != others.shape[1]:
        raise ValueError(f"counts of shape {own.shape} and {others.shape} are not of the same grades")
    if (own < 0).any() or (others < 0).any():
        raise ValueError("a count is negative")
    if (own.sum(axis=1) == 0).any() or (others.sum(axis=1) == 0).any():
        raise ValueError("a topic has no documents")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence} is not inside (0, 1)")
    if not len(own) or len(others) < 2:
        return None
    mine, theirs = _log_odds(own).mean(axis=0), _log_odds(others)
    middle, spread = theirs.mean(axis=0), theirs.std(axis=0, ddof=1)
    varies = np.flatnonzero(spread > 0)
    if not len(varies):
        return None
    error, degrees = spread * np.sqrt(1 / len(own) + 1 / len(others)), len(others) - 1
    distance = np.abs(mine - middle)[varies] / error[varies]
    at = int(varies[distance.round(12).argmax()])
    p = min(2 * float(scipy.stats.t.sf(distance.max(), degrees)) * len(varies), 1.0)
    reach = float(scipy.stats.t.isf((1 - confidence) / 2, degrees) * error[at])
    value, low, high = scipy.special.expit(middle[at] + np.array([0.0, -reach, reach])).tolist()
    return TopicShareDifference(p, at, float(own[:, at].sum() / own.sum()), Estimate(value, low, high))


def _log_odds(counts: FloatArray) -> FloatArray:
    return np.asarray(np.log((counts + 0.5) / (counts.sum(axis=1, keepdims=True) - counts + 0.5)))
