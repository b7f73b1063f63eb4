"""The order in which a run's documents are evaluated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import IntArray


def ranking_order(scores: NDArray[np.float32], docnos: Sequence[str]) -> IntArray:
    """The order in which a run's documents are evaluated: score descending, ties by docno descending.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        Compared as 32-bit floats, as trec_eval does: official figures agree with that.
    docnos : sequence of str, length n
        Compared by their UTF-8 bytes.

    Returns
    -------
    ndarray of int64, shape (n,)
        Positions into `scores` and `docnos`, best first.

    Raises
    ------
    ValueError
        If the lengths differ or a score is not finite as a 32-bit float.

    Examples
    --------
    >>> ranking_order(np.array([1.0, 2.0, 1.0], dtype=np.float32), ["a", "b", "c"])
    array([1, 2, 0])
    """
    with np.errstate(over="ignore"):
        scores = np.asarray(scores).astype(np.float32, copy=False)
    if scores.shape != (len(docnos),):
        raise ValueError(f"{len(docnos)} docnos for scores of shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError("a score is not finite as a 32-bit float")
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    ends = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True]) + 1
    starts = np.r_[0, ends[:-1]]
    # Docnos are only looked at where scores tie: most rankings have few ties.
    for start, end in zip(starts, ends, strict=True) if len(scores) else ():
        if end - start > 1:
            members = sorted(order[start:end], key=lambda i: docnos[i].encode(), reverse=True)
            order[start:end] = members
    return order
