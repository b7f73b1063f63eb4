"""Measures of readers who adapt to what they find: expected reciprocal rank (Chapelle et al. 2009), INST
(Moffat, Bailey, Scholer and Thomas 2015), the Bejeweled player (Zhang et al. 2017), and a reader of two
persistences (Moffat and Zobel 2008).

None has bounds: how much a document weighs depends on the gains of others.
"""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.bounds import READ_DEPTH
from evaluation.measures.gains import cut, gains_of, ranks_of, total

# The scale of TREC's web tracks, and of their program gdeval.
HIGHEST_GRADE = 4


def check_highest(highest: int) -> int:
    if highest < 1:
        raise ValueError(f"max_rel = {highest} is below 1")
    return highest


def check_target(target: float) -> float:
    if not 0.5 <= target < np.inf:
        raise ValueError(f"T = {target:g} is not a number from 0.5 on")
    return target


def stopping_probabilities(grades: FloatArray, highest: int = HIGHEST_GRADE) -> FloatArray:
    """Probability that a reader stops at a document of each grade: (2**grade - 1) / 2**highest.

    Parameters
    ----------
    grades : ndarray of float64, any shape
        At most `highest`; NaN where not judged, which stays. Below 0 counts as 0.
    highest : int
        At least 1.

    Returns
    -------
    ndarray of float64, like `grades`, in [0, 1)

    Raises
    ------
    ValueError
        If a grade is above `highest`, or `highest` is below 1.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan 2009, section 4.

    Examples
    --------
    >>> stopping_probabilities(np.array([0.0, 1.0, 2.0]), highest=2).tolist()
    [0.0, 0.25, 0.75]
    """
    grades = np.asarray(grades, dtype=np.float64)
    most = np.fmax.reduce(grades, axis=None, initial=0)
    if most > check_highest(highest):
        raise ValueError(f"grade {most:g} is above {highest}, the highest")
    return np.asarray((2.0 ** np.maximum(grades, 0.0) - 1.0) / 2.0**highest)


def expected_reciprocal_rank(stops: FloatArray, k: int) -> FloatArray:
    """ERR@k: the expected reciprocal rank at which a reader stops who reads from the top.

    Parameters
    ----------
    stops : ndarray of float64, shape (..., n)
        How likely the reader stops at the document of each rank, in [0, 1]; NaN where not judged, which
        counts as 0.
    k : int
        At least 1.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    Raises
    ------
    ValueError
        If k < 1 or a probability is outside [0, 1].

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan 2009, equation 4: the sum over ranks of
    1 / r R_r (1 - R_1) ... (1 - R_(r-1)).

    Examples
    --------
    >>> float(expected_reciprocal_rank(np.array([0.5, 0.5]), k=2))
    0.625
    """
    stops = np.nan_to_num(cut(gains_of(stops), k))
    return total(_products(1.0 - stops) * stops / ranks_of(stops))


def inst(gains: FloatArray, target: float, depth: int = READ_DEPTH) -> FloatArray:
    """INST: the gain of a document that a reader looks at, who goes on the longer the less was found.

    Having read to rank i, of the gain T that was wanted, T_i = T - (g_1 + ... + g_i) is still missing,
    and the reader goes on with probability C_i = ((i + T + T_i - 1) / (i + T + T_i))**2. A rank's weight
    is W_i = C_1 ... C_(i-1), over the sum of all; INST is the sum of W_i g_i.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged, which counts as gain 0.
    target : float
        T, at least 0.5: the gain that the reader wants.
    depth : int
        At least 1. Weights of the first `depth` ranks add up to 1, as in cwl_eval.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    Raises
    ------
    ValueError
        If an argument is outside its range.

    References
    ----------
    Moffat, Bailey, Scholer and Thomas 2015; Azzopardi, Thomas and Moffat 2019 (cwl_eval).

    Examples
    --------
    >>> float(inst(np.array([1.0, 0.0, 1.0]), target=1).round(6))
    0.723289
    """
    check_target(target)
    known = np.nan_to_num(cut(gains_of(gains), depth))
    reached = np.zeros((*known.shape[:-1], depth))
    reached[..., : known.shape[-1]] = known
    reach = ranks_of(reached) + 2 * target - reached.cumsum(axis=-1)
    weights = _products(((reach - 1.0) / reach) ** 2)
    return np.asarray(total(weights * reached) / total(weights))


def bejeweled_player(gains: FloatArray, target: float, k: int) -> FloatArray:
    """BPM: gain per document of a reader who stops when enough gain is found, or k documents are read.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged. Ranks that the ranking lacks are read and have no gain.
    target : float
        T, above 0: the gain that the reader wants.
    k : int
        At least 1: the documents that the reader reads at most.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    Raises
    ------
    ValueError
        If an argument is outside its range.

    References
    ----------
    Zhang, Liu, Li, Zhang, Xu and Ma 2017, the static model; Azzopardi, Thomas and Moffat 2019 (cwl_eval).

    Examples
    --------
    >>> gains = np.array([0.0, 1.0, 0.0, 1.0])
    >>> [float(bejeweled_player(gains, target, k=4)) for target in (1, 2, 3)]
    [0.5, 0.5, 0.5]
    >>> float(bejeweled_player(gains, target=2, k=10))
    0.5
    """
    if not 0 < target < np.inf:
        raise ValueError(f"T = {target:g} is not above 0")
    known = np.nan_to_num(cut(gains_of(gains), k))
    so_far = known.cumsum(axis=-1)
    before = np.concatenate([np.zeros((*so_far.shape[:-1], 1)), so_far[..., :-1]], axis=-1)
    read = before < target
    satisfied = (so_far >= target).any(axis=-1)
    return np.asarray(total(known * read) / np.where(satisfied, read.sum(axis=-1), k))


def two_persistences(gains: FloatArray, relevant: float, other: float) -> FloatArray:
    """Gain per document of a reader who goes on with one probability after a relevant document, and with
    another after any other.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged, which counts as gain 0. After a document of gain g, the reader
        goes on with probability g `relevant` + (1 - g) `other`. Ranks below the ranking's end have gain 0.
    relevant, other : float
        p1 in [0, 1] and p2 in [0, 1). With p1 = p2 it is RBP; with p1 = 0 it tends to RR as p2 tends to 1.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    Raises
    ------
    ValueError
        If an argument is outside its range.

    References
    ----------
    Moffat and Zobel 2008, section 4.3, in words; gains between 0 and 1 are this project's choice.

    Examples
    --------
    >>> float(two_persistences(np.array([0.0, 1.0]), relevant=0.5, other=0.75).round(9))
    0.230769231
    """
    check_persistences(relevant, other)
    known = np.nan_to_num(gains_of(gains))
    earned = total(_products(other + (relevant - other) * known) * known)
    # Adding the continuation probabilities up over all ranks: L - 1 = p2 L + (p1 - p2) earned, where L is
    # the documents looked at.
    return np.asarray(earned * (1 - other) / (1 + (relevant - other) * earned))


def check_persistences(relevant: float, other: float) -> None:
    if not 0 <= relevant <= 1:
        raise ValueError(f"p1 = {relevant:g} is outside [0, 1]")
    if not 0 <= other < 1:
        raise ValueError(f"p2 = {other:g} is outside [0, 1)")


def _products(factors: FloatArray) -> FloatArray:
    """Product of the factors at better ranks: 1 at the first."""
    products = np.ones(factors.shape)
    products[..., 1:] = factors[..., :-1].cumprod(axis=-1)
    return products
