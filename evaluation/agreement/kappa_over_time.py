"""Kappa of one assessor with all others on the same documents, and its change from the earlier half of the
documents to the later one."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.resampling import Estimate, bootstrap_of_sums, safe_ratio


def pooled_kappa(
    own: IntArray,
    others: IntArray,
    documents: IntArray,
    *,
    confidence: float = 0.95,
) -> Estimate:
    """Cohen's kappa of an assessor's grades with those of all others, pooled over the pairs of grades.

    Parameters
    ----------
    own, others : ndarray of int, shape (pairs,)
        The assessor's grade of a document and another assessor's.
    documents : ndarray of int, shape (pairs,)
        The document of each pair. Documents are drawn for the interval, with all of their pairs.
    confidence
        As for `evaluation.resampling.bootstrap`.

    Returns
    -------
    Estimate
        At most 1; NaN where only one grade was used.

    Raises
    ------
    ValueError
        If the shapes differ or there are fewer than 2 documents.

    References
    ----------
    Cohen 1960, equation 1; for the interval Efron and Tibshirani 1993, section 13.3.

    Examples
    --------
    >>> pooled_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.arange(4)).value
    0.5
    """
    tables, size = _tables(own, others, documents)
    return bootstrap_of_sums(lambda sums: _kappa(sums, size), tables, confidence=confidence)


def kappa_change(
    own: IntArray,
    others: IntArray,
    documents: IntArray,
    *,
    confidence: float = 0.95,
) -> tuple[float, float, Estimate]:
    """Kappa of the earlier half of the documents and of the later one, and the latter less the former.

    Parameters
    ----------
    own, others, documents
        As for `pooled_kappa`; documents are numbered in the order in which the assessor judged them.
    confidence
        As for `evaluation.resampling.bootstrap`; documents are drawn within all of them.

    Returns
    -------
    tuple of float, float and Estimate
        NaN where a half used only one grade.

    Raises
    ------
    ValueError
        As `pooled_kappa`.

    Examples
    --------
    >>> own, others = np.array([0, 1] * 20), np.array([0, 1] * 10 + [0, 1, 1, 0] * 5)
    >>> early, late, change = kappa_change(own, others, np.arange(40))
    >>> early, late, change.high < 0
    (1.0, 0.0, True)
    """
    tables, size = _tables(own, others, documents)
    half, cells = len(tables) // 2, size * size
    rows = np.zeros((len(tables), 2 * cells))
    rows[:half, :cells], rows[half:, cells:] = tables[:half], tables[half:]

    def change(sums: FloatArray) -> FloatArray:
        return _kappa(sums[:, cells:], size) - _kappa(sums[:, :cells], size)

    estimate = bootstrap_of_sums(change, rows, confidence=confidence)
    early, late = (float(_kappa(part.sum(axis=0)[None], size)[0]) for part in (tables[:half], tables[half:]))
    return early, late, estimate


def _tables(own: IntArray, others: IntArray, documents: IntArray) -> tuple[FloatArray, int]:
    """(documents, grades²): how often a document got each two grades; documents ascend."""
    own, others, documents = np.asarray(own), np.asarray(others), np.asarray(documents)
    if own.ndim != 1 or not own.shape == others.shape == documents.shape:
        raise ValueError(f"grades of shape {own.shape} and {others.shape} of documents {documents.shape}")
    grades, codes = np.unique(np.r_[own, others], return_inverse=True)
    places = np.unique(documents, return_inverse=True)[1]
    size = len(grades)
    tables = np.zeros((int(places.max(initial=-1)) + 1, size * size))
    np.add.at(tables, (places, codes[: len(own)] * size + codes[len(own) :]), 1.0)
    return tables, size


def _kappa(sums: FloatArray, size: int) -> FloatArray:
    tables = sums.reshape(-1, size, size)
    total = tables.sum(axis=(1, 2))
    by_chance = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1)
    observed = np.einsum("tii->t", tables)
    return 1 - safe_ratio((total - observed) * total, total**2 - by_chance)
