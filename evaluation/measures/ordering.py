"""The order in which a run's documents are evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import IntArray

Scores = NDArray[np.floating[Any]]
# Bits of the floats that scores are compared as: trec_eval 10.0 compares 64-bit floats, and trec_eval up to
# 9.0.8, with which most results before 2026 were published, 32-bit floats.
ScorePrecision = Literal[32, 64]
SCORE_TYPES: Mapping[ScorePrecision, np.dtype[np.floating[Any]]] = {
    32: np.dtype(np.float32),
    64: np.dtype(np.float64),
}


def ranking_order(scores: Scores, docnos: Sequence[str], precision: ScorePrecision = 64) -> IntArray:
    """The order in which a run's documents are evaluated: score descending, ties by docno descending.

    Parameters
    ----------
    scores : ndarray, shape (n,)
    docnos : sequence of str, length n
        Compared by their UTF-8 bytes.
    precision : 64 or 32
        Bits of the floats as which scores are compared: 64 as in trec_eval 10.0, 32 as in trec_eval up to
        9.0.8.

    Returns
    -------
    ndarray of int64, shape (n,)
        Positions into `scores` and `docnos`, best first.

    Raises
    ------
    ValueError
        If the lengths differ or a score is not finite as a float of that precision.

    Examples
    --------
    >>> ranking_order(np.array([1.0, 2.0, 1.0]), ["a", "b", "c"])
    array([1, 2, 0])
    >>> close = np.array([1.00000001, 1.0])
    >>> ranking_order(close, ["a", "b"]), ranking_order(close, ["a", "b"], 32)
    (array([0, 1]), array([1, 0]))
    """
    with np.errstate(over="ignore"):
        scores = np.asarray(scores).astype(SCORE_TYPES[precision], copy=False)
    if scores.shape != (len(docnos),):
        raise ValueError(f"{len(docnos)} docnos for scores of shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError(f"a score is not finite as a {precision}-bit float")
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
