"""RBP's bounds of one ranking, as the measure gives them."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measure import RBP
from evaluation.measures.bounds import Bounds


def rbp_bounds(gains: FloatArray, p: float) -> Bounds:
    bounds = RBP(p).score(gains, np.zeros(0)).bounds
    assert bounds is not None
    return bounds
