"""One figure for all topics: the mean of their scores, or what a measure has in its place."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, log
from typing import Literal

Aggregation = Literal["mean", "sum", "geometric mean"]
# trec_eval's, and that of TREC's robust track: a topic without any success must not make the mean 0.
LOWEST_FACTOR = 0.00001


def aggregate(scores: Sequence[float], how: Aggregation = "mean") -> float:
    """The mean of scores over topics, their sum, or their geometric mean.

    Parameters
    ----------
    scores : sequence of float
        One for each topic. For the geometric mean, a score below `LOWEST_FACTOR` counts as that.
    how : Aggregation

    Returns
    -------
    float
        NaN without scores.

    References
    ----------
    Geometric mean: Robertson 2006, "On GMAP: and other transformations"; its lowest factor: Voorhees 2005,
    the TREC robust track.

    Examples
    --------
    >>> aggregate([0.5, 0.125]), aggregate([0.5, 0.125], "sum")
    (0.3125, 0.625)
    >>> round(aggregate([0.5, 0.125], "geometric mean"), 9)
    0.25
    """
    if not scores:
        return float("nan")
    if how == "geometric mean":
        return exp(fsum(log(max(score, LOWEST_FACTOR)) for score in scores) / len(scores))
    # Exact sums, so that the mean is that of a live campaign's integer sums, to the last bit.
    whole = fsum(scores)
    return whole if how == "sum" else whole / len(scores)
