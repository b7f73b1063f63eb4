"""Krippendorff's alpha: agreement of any assessors, any number a document, some missing."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.resampling import Estimate, bootstrap_of_sums, safe_ratio

Level = Literal["nominal", "ordinal"]


def krippendorff_alpha(
    ratings: FloatArray,
    level: Level = "nominal",
    *,
    times: IntArray | None = None,
    resamples: int = 1000,
) -> Estimate:
    """Agreement of all assessors at once.

    Parameters
    ----------
    ratings : ndarray of float64, shape (assessors, documents)
        Grades; NaN where an assessor did not judge a document. Documents with fewer than 2 grades say
        nothing and are left out.
    level : {"nominal", "ordinal"}
        Whether two grades only differ, or lie the further apart the more grades were given between them.
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
        If fewer than 2 documents have 2 grades, a grade is infinite, or `level` is none of those above.

    References
    ----------
    Krippendorff 2011, sections C and D.

    Examples
    --------
    >>> nan = float("nan")
    >>> krippendorff_alpha(np.array([[0, 1, 1, nan], [0, 1, 1, 1.0]]), resamples=10).value
    1.0
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    if ratings.ndim != 2:
        raise ValueError(f"ratings has {ratings.ndim} dimensions, not 2")
    if np.isinf(ratings).any():
        raise ValueError("a grade is infinite")
    if level not in get_args(Level):
        raise ValueError(f"no level is called {level!r}; there are {', '.join(get_args(Level))}")
    counts = _counts(ratings)
    informative = counts.sum(axis=1) >= 2
    counts, times = counts[informative], None if times is None else times[informative]
    documents = len(counts) if times is None else times.sum()
    if documents < 2:
        raise ValueError(f"alpha needs at least 2 documents with 2 grades, got {documents}")
    per_document = counts.sum(axis=1)
    # One document's share of the coincidences: its pairs of grades, over all other grades it has.
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    pairs = pairs / (per_document - 1)[:, None, None]

    size = counts.shape[1]

    def alpha(sums: FloatArray) -> FloatArray:
        coincidences = sums.reshape(-1, size, size)
        totals = coincidences.sum(axis=2)
        distance = _distances(totals, level)
        by_chance = np.einsum("ti,tij,tj->t", totals, distance, totals) / (totals.sum(axis=1) - 1)
        return 1 - safe_ratio((coincidences * distance).sum(axis=(1, 2)), by_chance)

    rows = pairs.reshape(len(counts), size * size)
    return bootstrap_of_sums(alpha, rows, times=times, resamples=resamples)


def _counts(ratings: FloatArray) -> FloatArray:
    """Count the grades (columns, ascending) of each document (rows)."""
    grades = np.unique(ratings[~np.isnan(ratings)])
    return np.asarray((ratings[:, :, None] == grades).sum(axis=0), dtype=np.float64)


def _distances(totals: FloatArray, level: Level) -> FloatArray:
    """Distances between the grades of each resample, (resamples, grades, grades)."""
    if level == "nominal":
        return np.broadcast_to(1.0 - np.eye(totals.shape[1]), (*totals.shape, totals.shape[1]))
    middle = np.cumsum(totals, axis=1) - totals / 2
    return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)
