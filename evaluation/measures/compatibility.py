"""Compatibility of a ranking with the best order of the judged documents (Clarke, Vtyurina and Smucker
2021)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evaluation.arrays import FloatArray


def compatibility(gains: ArrayLike, judged: FloatArray, p: float = 0.95) -> float:
    """Rank-biased overlap of one ranking with the best order, over the most that it can be.

    The best order has the documents with a gain, by gain. Those of equal gain are in the ranking's order,
    and those that it lacks are last. Overlap counts to the end of the longer of the two.

    Parameters
    ----------
    gains : array_like, shape (n,)
        At least 0, NaN where not judged.
    judged : ndarray of float64, shape (m,)
        Gains of all the topic's judged documents.
    p : float
        Persistence, inside (0, 1).

    Returns
    -------
    float
        In [0, 1]; 0 if no document has a gain.

    Raises
    ------
    ValueError
        If p is outside its range.

    References
    ----------
    Clarke, Vtyurina and Smucker 2021, "Assessing top-k preferences"; Compat of ir_measures.

    Examples
    --------
    >>> judged = np.array([2.0, 1.0])
    >>> compatibility([2.0, 1.0], judged), round(compatibility([0.0, 2.0], judged, p=0.5), 6)
    (1.0, 0.166667)
    """
    if not 0 < p < 1:
        raise ValueError(f"p = {p:g} is not inside (0, 1)")
    known = np.nan_to_num(np.asarray(gains, dtype=np.float64))
    ideal = np.sort(judged[judged > 0])[::-1]
    if not len(ideal):
        return 0.0
    depth = max(len(known), len(ideal))
    ranks = np.flatnonzero(known > 0)
    positive = known[ranks]
    # The place in the best order: behind all of higher gain, and those of the same gain found before.
    higher = (ideal[None] > positive[:, None]).sum(axis=1)
    same = np.tril(positive[:, None] == positive[None], -1).sum(axis=1)
    met = np.bincount(np.maximum(ranks, higher + same), minlength=depth)[:depth].cumsum()
    most = np.minimum(np.arange(1, depth + 1), len(ideal))
    weights = p ** np.arange(depth) / np.arange(1, depth + 1)
    return float((weights * met).sum() / (weights * most).sum())
