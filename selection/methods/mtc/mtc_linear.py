from __future__ import annotations

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.weights import rank_weights
from selection.methods.mtc.options import MtcOptions


def rank_values(options: MtcOptions, p: float, depth: int) -> FloatArray:
    """What a relevant document adds to the measure at each rank, (depth + 1,); index 0 unused.

    RBP with persistence p, P@k and SDCG@k are sums of such parts: the effect of a document on them depends
    on no other document.
    """
    k = options.cut_off
    if k is None:
        return np.concatenate([[0.0], rank_weights(p, depth)])
    each = np.ones(k) if options.measure.startswith("P@") else discounts(k)
    values = np.zeros(depth + 1)
    values[1 : k + 1] = (each / each.sum())[:depth]
    return values
