"""Measures made for incomplete judgments: Bpref, which passes over unjudged documents, infAP, which infers
average precision from a uniform sample of the pool, and the shares of documents judged and not judged."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.gains import check_count, cut, gains_of, ranks_of, share, total


def bpref(gains: FloatArray, relevant: int, nonrelevant: int, k: int = 0) -> FloatArray:
    """Bpref-k: for each relevant document retrieved, how few judged nonrelevant ones stand above it.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged.
    relevant, nonrelevant : int
        R and N: how many documents of the topic are judged so. At least 0.
    k : int
        At least 0; steadies the measure where R is small. With 0 it is bpref of trec_eval 10.0.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 if nothing is relevant

    Raises
    ------
    ValueError
        If a count is negative or a gain is outside [0, 1].

    References
    ----------
    Buckley and Voorhees 2004; the equation with k: Moffat and Zobel 2008, section 3.3.

    Examples
    --------
    >>> float(bpref(np.array([0.0, 1.0, float("nan"), 1.0]), relevant=2, nonrelevant=3))
    0.5
    """
    relevant, nonrelevant = check_count("relevant", relevant), check_count("nonrelevant", nonrelevant)
    reach = relevant + check_count("k", k)
    gains = gains_of(gains)
    above = np.minimum((gains == 0).cumsum(axis=-1), reach)
    # Without a judged nonrelevant document nothing can stand above.
    terms = (gains > 0) * (1.0 - above / max(min(reach, nonrelevant), 1))
    return share(total(terms), relevant)


# Keeps the rate of relevance defined where nothing above a document is judged: the constant of trec_eval 10.0
# and of sample_eval.pl.
EPSILON = 0.00001


def inferred_ap(gains: FloatArray, pooled: BoolArray, relevant: int) -> FloatArray:
    """infAP: the mean, over the relevant documents judged, of the precision expected at their ranks.

    Above a relevant document at rank k, each pooled document is taken to be relevant at the rate of those
    judged there; documents outside the pool are taken not to be.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged.
    pooled : ndarray of bool, shape (..., n)
        Where a document is in the pool; true wherever it is judged.
    relevant : int
        How many documents are judged relevant, at least 0.

    Returns
    -------
    ndarray of float64, shape (...), at least 0; 0 if nothing is relevant. With the whole pool judged, AP to
    within 1e-5 per document.

    Raises
    ------
    ValueError
        If a gain is outside [0, 1], shapes differ, or a judged document is not pooled.

    References
    ----------
    Yilmaz and Aslam 2006, equation 3, with the smoothing of trec_eval 10.0.

    Examples
    --------
    >>> nan = float("nan")
    >>> gains, pooled = np.array([1.0, nan, nan, 1.0]), np.array([True, True, False, True])
    >>> float(inferred_ap(gains, pooled, relevant=2).round(4))
    0.875
    """
    gains, pooled = gains_of(gains), np.asarray(pooled, dtype=np.bool_)
    if pooled.shape != gains.shape:
        raise ValueError(f"pooled has shape {pooled.shape}, gains {gains.shape}")
    if (~pooled & ~np.isnan(gains)).any():
        raise ValueError("a document is judged and not pooled")
    hits, misses = gains > 0, gains == 0
    hits_above, failed, known = (_above(where) for where in (hits, misses, pooled))
    rate = (hits_above + EPSILON) / (hits_above + failed + 2 * EPSILON)
    # (k - 1) / k * known / (k - 1) is known / k, also at rank 1.
    precision = (1.0 + known * rate) / ranks_of(gains)
    return share(total(hits * precision), check_count("relevant", relevant))


def judged_share(gains: FloatArray, lengths: IntArray | None = None, k: int | None = None) -> FloatArray:
    """Judged@k: the share of the first k documents, or of all, that are judged.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged.
    lengths : ndarray of int, shape (...), optional
        How many documents each ranking holds; n if not given. A ranking of fewer than k is measured whole.
    k : int, optional
        At least 1.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]; 0 for a ranking without documents

    Raises
    ------
    ValueError
        If k < 1 or a gain is outside [0, 1].

    References
    ----------
    Judged@k of ir_measures.

    Examples
    --------
    >>> float(judged_share(np.array([1.0, float("nan"), 0.0, 0.0]), k=2))
    0.5
    """
    top = cut(gains_of(gains), k)
    held = np.full(top.shape[:-1], top.shape[-1]) if lengths is None else np.minimum(lengths, top.shape[-1])
    return np.asarray((~np.isnan(top)).sum(axis=-1) / np.maximum(held, 1))


def unjudged_share(gains: FloatArray, lengths: IntArray, k: int) -> FloatArray:
    """Unjudged@k: unjudged documents in the first k, over k; ranks below a ranking's end count as judged.

    Parameters and errors as for `judged_share`; both are needed.

    Returns
    -------
    ndarray of float64, shape (...), in [0, 1]

    References
    ----------
    unj of trec_eval 10.0.

    Examples
    --------
    >>> float(unjudged_share(np.array([1.0, float("nan"), 0.0]), np.array(3), k=5))
    0.2
    """
    top = cut(gains_of(gains), k)
    held = np.minimum(lengths, top.shape[-1])
    return np.asarray((held - (~np.isnan(top)).sum(axis=-1)) / k)


def _above(where: BoolArray) -> FloatArray:
    """Count the marked documents at better ranks."""
    return np.asarray(where.cumsum(axis=-1) - where, dtype=np.float64)
