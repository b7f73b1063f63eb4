"""Cohen's kappa over all pairs of assessors, who need not have judged the same documents."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import sparse

from evaluation.arrays import FloatArray, IntArray
from evaluation.resampling import Estimate, bootstrap_of_sums, divided


def mean_cohen_kappa(
    ratings: FloatArray,
    *,
    times: IntArray | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Estimate:
    """The mean of Cohen's kappa over the pairs of assessors, each with the weight of the documents that both
    have judged.

    Parameters
    ----------
    ratings : ndarray of float64, shape (assessors, documents)
        Grades; NaN where an assessor did not judge a document.
    times : ndarray of int, shape (documents,), optional
        How many documents each of them stands for; once each if not given.
    confidence, resamples, seed
        As for `evaluation.resampling.bootstrap`; documents are drawn.

    Returns
    -------
    Estimate
        At most 1. Pairs of whom chance alone cannot disagree (both used one and the same grade) are left
        out; NaN if there is no other.

    Raises
    ------
    ValueError
        If `ratings` is no matrix, holds an infinite grade, or fewer than 2 documents have 2 grades.

    References
    ----------
    Light 1971, who takes the mean over pairs; Cohen 1960, equation 1, for each.

    Examples
    --------
    >>> nan = float("nan")
    >>> mean_cohen_kappa(np.array([[0, 0, 1, 1], [0, 1, 1, 1], [nan, 0, 1, nan]]), resamples=10).value
    0.5
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    if ratings.ndim != 2:
        raise ValueError(f"ratings has {ratings.ndim} dimensions, not 2")
    if np.isinf(ratings).any():
        raise ValueError("a grade is infinite")
    given = ~np.isnan(ratings)
    # Documents with one grade only say nothing, and are not drawn.
    told = given.sum(axis=0) >= 2
    ratings, given = ratings[:, told], given[:, told]
    times = None if times is None else times[told]
    size = len(np.unique(ratings[given]))
    documents, cells, pairs = _cells(ratings, given, size)
    shape = ratings.shape[1], pairs * size * size
    rows = sparse.csr_array((np.ones(len(cells)), (documents, cells)), shape=shape)

    def kappa(counted: FloatArray) -> FloatArray:
        return _means(counted.reshape(-1, pairs, size, size))

    return bootstrap_of_sums(kappa, rows, times=times, confidence=confidence, resamples=resamples, seed=seed)


def _cells(ratings: FloatArray, given: np.ndarray, size: int) -> tuple[IntArray, IntArray, int]:
    """Of every two grades of a document: the document, and the cell of their assessors' table; and how many
    tables there are, one for every two assessors with a document in common."""
    codes = np.zeros(ratings.shape, dtype=np.int64)
    codes[given] = np.unique(ratings[given], return_inverse=True)[1]
    documents, cells = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for one, other in combinations(range(len(ratings)), 2):
        both = np.flatnonzero(given[one] & given[other])
        if len(both):
            pair = len(cells) - 1
            documents.append(both)
            cells.append((pair * size + codes[one, both]) * size + codes[other, both])
    return np.concatenate(documents), np.concatenate(cells), len(cells) - 1


def _means(tables: FloatArray) -> FloatArray:
    """Of each resample's tables, (resamples, pairs, grades, grades)."""
    judged = tables.sum(axis=(2, 3))
    some = np.maximum(judged, 1)
    agreed = np.trace(tables, axis1=2, axis2=3) / some
    by_chance = (tables.sum(axis=2) * tables.sum(axis=3)).sum(axis=2) / some**2
    weights = np.where((judged > 0) & (by_chance < 1), judged, 0)
    kappas = np.nan_to_num(divided(agreed - by_chance, 1 - by_chance))
    return divided((kappas * weights).sum(axis=1), weights.sum(axis=1))
