"""How often random signs would do as well: the randomisation test, and Wilcoxon's with ties."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray

# All sign vectors of up to this many topics are enumerated: 2**13 are fewer than the usual sample.
ENUMERATED = 13
BLOCK = 256


def sign_flip_p_values(rows: FloatArray, tails: int, seed: int = 0, resamples: int = 10_000) -> FloatArray:
    """How often the sum of a row with random signs reaches its own sum (or its size, with two tails).

    Parameters
    ----------
    rows : ndarray of float64, shape (pairs, topics)
        Differences, or signed ranks of them.
    tails : int
        1: the sum is large; 2: the sum is far from 0.
    seed, resamples : int
        With more than 13 topics, `resamples` sign vectors are drawn, the same for every row, and the
        observed one counts as one more; otherwise all are enumerated and the value is exact.

    Returns
    -------
    ndarray of float64, shape (pairs,)

    References
    ----------
    Fisher 1935, section 21; Smucker, Allan and Carterette 2007, section 2.1.

    Examples
    --------
    >>> sign_flip_p_values(np.array([[1.0, 2.0, 3.0]]), tails=1)
    array([0.125])
    """
    topics = rows.shape[1]
    exact = topics <= ENUMERATED
    signs = _all_signs(topics) if exact else _drawn_signs(topics, seed, resamples)
    result = np.empty(len(rows))
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        sums, observed = signs @ block.T, block.sum(axis=1)
        if tails == 2:
            sums, observed = np.abs(sums), np.abs(observed)
        # Sums that are equal on paper may differ in their last bits.
        reached = (sums >= observed - 1e-12 * np.abs(block).sum(axis=1)).sum(axis=0)
        result[first : first + BLOCK] = reached / len(signs) if exact else (reached + 1) / (len(signs) + 1)
    return result


def _all_signs(topics: int) -> FloatArray:
    codes = np.arange(2**topics)[:, None] >> np.arange(topics)
    return np.asarray(1.0 - 2.0 * (codes & 1), dtype=np.float64)


def _drawn_signs(topics: int, seed: int, resamples: int) -> FloatArray:
    if resamples < 1:
        raise ValueError(f"resamples = {resamples} is below 1")
    rng = np.random.default_rng(seed)
    return 1.0 - 2.0 * rng.integers(0, 2, size=(resamples, topics)).astype(np.float64)
