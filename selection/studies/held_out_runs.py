"""Half of a collection's runs, drawn by whole participants, for studies of runs that took no part."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, IntArray


def held_out_half(groups: IntArray, seed: int, fewest: int) -> BoolArray:
    """The runs of groups drawn at random, one after the other, until half of all runs are in them.

    Parameters
    ----------
    groups : ndarray of int, shape (runs,)
        Equal for the runs of one participant.
    seed : int
        At least 0.
    fewest : int
        As many runs stay on each side.

    Returns
    -------
    ndarray of bool, shape (runs,)

    Raises
    ------
    ValueError
        If there are too few groups or runs for that.

    Examples
    --------
    >>> int(held_out_half(np.array([0, 0, 1, 1]), 3, 2).sum())
    2
    """
    runs, numbers = len(groups), np.unique(groups)
    held_out = np.zeros(runs, dtype=np.bool_)
    for group in np.random.default_rng([seed, runs]).permutation(numbers):
        more = held_out | (groups == group)
        if np.count_nonzero(~more) >= fewest and np.count_nonzero(held_out) < runs / 2:
            held_out = more
    if np.count_nonzero(held_out) < fewest:
        raise ValueError(
            f"{runs} runs in {len(numbers)} groups cannot be parted into {fewest} or more that take part "
            f"and {fewest} or more that are new"
        )
    return held_out
