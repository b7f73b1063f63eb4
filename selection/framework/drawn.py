from __future__ import annotations

from dataclasses import dataclass

from evaluation.arrays import FloatArray, IntArray
from selection.pool import Ids


@dataclass(frozen=True, eq=False)
class Drawn:
    """A statAP sample of one topic, fixed once it is drawn, whatever runs come later.

    documents : int32 (n,), the caller's ids in serving order
    inclusion : float64 (n,), in (0, 1], the probability with which each was drawn
    bucket : int (n,), which bucket each comes from; mass : float64 (n,), that bucket's prior mass
    size : int, how many draws were made; n is smaller where a pool is, never larger
    """

    documents: Ids
    inclusion: FloatArray
    bucket: IntArray
    mass: FloatArray
    size: int
