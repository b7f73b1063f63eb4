"""Cohen's and Fleiss's kappa, the agreement of assessors beyond chance; and overlap, their agreement on
what is relevant."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray
from evaluation.resampling import Estimate, bootstrap, bootstrap_of_sums, safe_ratio


def cohen_kappa(
    first: IntArray,
    second: IntArray,
    *,
    times: IntArray | None = None,
    resamples: int = 1000,
) -> Estimate:
    """Cohen's kappa of two assessors.

    Parameters
    ----------
    first, second : ndarray of int, shape (documents,)
        Both assessors' grade of each document.
    times : ndarray of int, shape (documents,), optional
        How many documents each of them stands for; once each if not given.
    resamples
        As for `evaluation.resampling.bootstrap`; documents are drawn.

    Returns
    -------
    Estimate
        At most 1; NaN where chance alone cannot disagree (only one grade was used).

    Raises
    ------
    ValueError
        If the shapes differ, or there are fewer than 2 documents.

    References
    ----------
    Cohen 1960, equation 1.

    Examples
    --------
    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), resamples=10).value
    0.5
    """
    first, second = np.asarray(first), np.asarray(second)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"grades of shape {first.shape} and {second.shape} are not of the same documents")
    grades, codes = np.unique(np.r_[first, second], return_inverse=True)
    size = len(grades)
    differ = 1.0 - np.eye(size)
    rows = np.zeros((len(first), size * size))
    rows[np.arange(len(first)), codes[: len(first)] * size + codes[len(first) :]] = 1
    documents = len(first) if times is None else times.sum()

    def kappa(counted: FloatArray) -> FloatArray:
        tables = counted.reshape(-1, size, size) / documents
        by_chance = np.einsum("ij,ti,tj->t", differ, tables.sum(axis=2), tables.sum(axis=1))
        return 1 - safe_ratio((differ * tables).sum(axis=(1, 2)), by_chance)

    return bootstrap_of_sums(kappa, rows, times=times, resamples=resamples)


def mean_cohen_kappa(
    ratings: FloatArray,
    *,
    times: IntArray | None = None,
    resamples: int = 1000,
) -> Estimate:
    """The mean of Cohen's kappa over the pairs of assessors, each with the weight of the documents that both
    have judged.

    Parameters
    ----------
    ratings : ndarray of float64, shape (assessors, documents)
        Grades; NaN where an assessor did not judge a document.
    times : ndarray of int, shape (documents,), optional
        How many documents each of them stands for; once each if not given.
    resamples
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
    informative = given.sum(axis=0) >= 2
    ratings, given = ratings[:, informative], given[:, informative]
    times = None if times is None else times[informative]
    size = len(np.unique(ratings[given]))
    documents, cells, pairs = _cells(ratings, given, size)
    shape = ratings.shape[1], pairs * size * size
    rows = scipy.sparse.csr_array((np.ones(len(cells)), (documents, cells)), shape=shape)

    def kappa(counted: FloatArray) -> FloatArray:
        return _means(counted.reshape(-1, pairs, size, size))

    return bootstrap_of_sums(kappa, rows, times=times, resamples=resamples)


def _cells(ratings: FloatArray, given: np.ndarray, size: int) -> tuple[IntArray, IntArray, int]:
    """For every two grades of a document: the document, and the cell of their assessors' table. The third
    value is the number of tables, one for every two assessors with a document in common."""
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
    """Mean kappas of each resample's tables, (resamples, pairs, grades, grades)."""
    judged = tables.sum(axis=(2, 3))
    some = np.maximum(judged, 1)
    agreed = np.trace(tables, axis1=2, axis2=3) / some
    by_chance = (tables.sum(axis=2) * tables.sum(axis=3)).sum(axis=2) / some**2
    weights = np.where((judged > 0) & (by_chance < 1), judged, 0)
    kappas = np.nan_to_num(safe_ratio(agreed - by_chance, 1 - by_chance))
    return safe_ratio((kappas * weights).sum(axis=1), weights.sum(axis=1))


def fleiss_kappa(
    counts: IntArray,
    *,
    times: IntArray | None = None,
    resamples: int = 1000,
) -> Estimate:
    """Fleiss's kappa of any number of assessors, not always the same ones.

    Parameters
    ----------
    counts : ndarray of int, shape (documents, grades)
        How many assessors gave each grade; every row has the same sum, at least 2.
    times : ndarray of int, shape (documents,), optional
        How many documents each of them stands for; once each if not given.
    resamples
        As for `evaluation.resampling.bootstrap`; documents are drawn.

    Returns
    -------
    Estimate
        At most 1; NaN where only one grade was used.

    Raises
    ------
    ValueError
        If a count is negative, the sums differ or are below 2, or there are fewer than 2 documents.

    References
    ----------
    Fleiss 1971, equations 3 to 7.

    Examples
    --------
    >>> fleiss_kappa(np.array([[3, 0], [0, 3]]), resamples=10).value
    1.0
    """
    counts = np.asarray(counts)
    if counts.ndim != 2:
        raise ValueError(f"counts has {counts.ndim} dimensions, not 2")
    if (counts < 0).any():
        raise ValueError(f"count {counts[counts < 0][0]} is negative")
    raters = np.unique(counts.sum(axis=1))
    if len(raters) > 1 or (len(raters) and raters[0] < 2):
        raise ValueError(f"each document needs the same number of grades, at least 2; got {raters.tolist()}")

    documents = len(counts) if times is None else times.sum()

    def kappa(sums: FloatArray) -> FloatArray:
        each = int(raters[0])
        means = sums / documents
        agreed = (means[:, 0] - each) / (each * (each - 1))
        by_chance = (means[:, 1:] ** 2).sum(axis=1) / each**2
        return safe_ratio(agreed - by_chance, 1 - by_chance)

    rows = np.column_stack([(counts**2).sum(axis=1), counts]).astype(np.float64)
    return bootstrap_of_sums(kappa, rows, times=times, resamples=resamples)


def overlap(relevant: IntArray, *, resamples: int = 1000, seed: int = 0) -> Estimate:
    """Documents relevant to all assessors, as a share of those relevant to any.

    Parameters
    ----------
    relevant : ndarray of bool or int, shape (documents, assessors)
        Nonzero where the assessor found the document relevant.
    resamples, seed
        As for `evaluation.resampling.bootstrap`; documents are drawn.

    Returns
    -------
    Estimate
        In [0, 1]; NaN where no assessor found anything relevant.

    Raises
    ------
    ValueError
        If there are fewer than 2 assessors or documents.

    References
    ----------
    Voorhees 2000, section 3.1.

    Examples
    --------
    >>> overlap(np.array([[1, 1], [1, 0], [0, 0]]), resamples=10).value
    0.5
    """
    marked = np.asarray(relevant) != 0
    if marked.ndim != 2 or marked.shape[1] < 2:
        raise ValueError(f"overlap needs at least 2 assessors, got marks of shape {marked.shape}")
    every, some = marked.all(axis=1), marked.any(axis=1)

    def share(documents: IntArray) -> float:
        union = int(some[documents].sum())
        return int(every[documents].sum()) / union if union else float("nan")

    return bootstrap(share, len(marked), resamples=resamples, seed=seed)
