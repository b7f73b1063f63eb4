"""AP rank correlation, which weighs swaps at the top of a ranking more."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray


def tau_ap(reference: FloatArray, estimate: FloatArray) -> float:
    """How well the order by `estimate` agrees with the order by `reference`, best first.

    Parameters
    ----------
    reference, estimate : ndarray of float64, shape (runs,)
        Scores of the same runs; higher is better. Not symmetric: the top is that of `estimate`.

    Returns
    -------
    float
        In [-1, 1]. With ties in either, the mean over all orders of the tied runs. NaN with fewer than 2
        runs.

    Raises
    ------
    ValueError
        If the shapes differ or a score is not finite.

    References
    ----------
    Yilmaz, Aslam and Robertson 2008, equation 5; ties as in Urbano and Marrero 2017 (tau_ap,a), taken
    for both sides.

    Examples
    --------
    >>> tau_ap(np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 2, 1])) < 1
    True
    """
    reference, estimate = check_scores(reference, estimate)
    runs = len(reference)
    if runs < 2:
        return float("nan")
    # 1 where the run of the column belongs above that of the row, a half where the reference ties them.
    above = np.heaviside(reference[None, :] - reference[:, None], 0.5)
    first = (estimate[None, :] > estimate[:, None]).sum(axis=1)  # runs surely above, by the estimate
    size = (estimate[None, :] == estimate[:, None]).sum(axis=1)
    correct = (above * (estimate[None, :] > estimate[:, None])).sum(axis=1)
    # A run of a tied group stands at each of the group's positions equally often; the members above it
    # there are as often right as wrong. The first position of all counts for nothing.
    positions = np.arange(1, runs + 1)
    inverse = np.r_[0.0, 1.0 / positions[:-1]]
    sums = np.r_[0.0, np.cumsum(inverse)]
    inverses = sums[first + size] - sums[first]
    # Over the group's positions k = first + 1 .. first + size, the sum of (k - first - 1) / (k - 1).
    inside = np.where(first == 0, size - 1, size) - first * inverses
    total = ((correct * inverses + inside / 2) / size).sum()
    return float(2 * total / (runs - 1) - 1)


def check_scores(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two score vectors of the same runs, rounded to 12 decimals so that ties on paper are ties."""
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"scores of shape {first.shape} and {second.shape} are not of the same runs")
    for scores in (first, second):
        if not np.isfinite(scores).all():
            raise ValueError(f"a score is {scores[~np.isfinite(scores)][0]}")
    return np.round(first, 12) + 0.0, np.round(second, 12) + 0.0
