"""How each judged document of a topic came to be judged, and how probable it was that it would be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.framework.drawn import Drawn
from selection.pool import Ids

OTHERWISE, SAMPLED, BOTH = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Prels:
    """methods : int64 (n,), `OTHERWISE`, `SAMPLED` or `BOTH`, by the numbers that prels files use

    inclusion : float64 (n,), in (0, 1], the sample's probabilities; 1 outside the sample
    """

    methods: IntArray
    inclusion: FloatArray


def prels_of(judged: Ids, drawn: Drawn | None, otherwise: Ids) -> Prels:
    """Of judged documents (n,), given by id as those in the sample are.

    `otherwise`: those that would have been judged without the sample, such as MTC's. One that is in the
    sample, too, is `BOTH`: its judgment did not hang on the draw, and estimates count it as certain. One
    that is in neither must have been judged for another reason.
    """
    if drawn is None:
        return Prels(np.zeros(len(judged), dtype=np.int64), np.ones(len(judged)))
    by_id = np.argsort(drawn.documents)
    place = np.searchsorted(drawn.documents, judged, sorter=by_id)
    sampled = np.isin(judged, drawn.documents)
    inclusion = np.ones(len(judged))
    inclusion[sampled] = drawn.inclusion[by_id[place[sampled]]]
    methods = np.where(sampled, np.where(np.isin(judged, otherwise), BOTH, SAMPLED), OTHERWISE)
    return Prels(methods, inclusion)
