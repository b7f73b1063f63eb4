"""Preferences between judged documents; unjudged documents are passed over."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.gains import check_count, gains_of, share, total


def bpref(gains: FloatArray, relevant: int, nonrelevant: int, k: int = 0) -> FloatArray:
    """Bpref-k: for each relevant document retrieved, how few judged nonrelevant ones stand above it.

    Parameters
    ----------
    gains : ndarray of float64, shape (..., n)
        In [0, 1], NaN where not judged.
    relevant, nonrelevant : int
        R and N: how many documents of the topic are judged so. At least 0.
    k : int
        At least 0; steadies the measure where R is small. With 0 it is trec_eval's bpref.

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
