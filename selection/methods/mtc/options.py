"""MTC's options, and what each rank is worth under its measures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.weights import rank_weights
from selection.framework.run_weights import RunWeightOptions

Aggregate = Literal["range", "sum", "variance"]
Estimator = Literal["constant", "smoothed", "experts"]
# No ranking is deeper.
_CUT_MEASURE = re.compile(r"(P|SDCG)@([1-9][0-9]{0,5})")


@dataclass(frozen=True)
class MtcOptions:
    """MTC's options, alone or beside statAP.

    measure : "AP", "RBP", "P@k" or "SDCG@k", k from 1 to 999999; the difference that the judgments are to
        decide
    aggregate : "range", "sum" or "variance"; what a document's effects on the runs come to, over all pairs:
        the greatest difference, the sum of the differences, or that of their squares
    relevance : "constant", "smoothed" or "experts"; how probable it is that an unjudged document is relevant
    prior : that probability where it is constant
    depth : ranks below it do not weigh; None: all do
    first, second : two runs, by index from 0. Only they weigh then, and documents are sought in turn that
        would prove the first better and that would prove the second better. None: all pairs
    """

    measure: str = "AP"
    aggregate: Aggregate = "range"
    relevance: Estimator = "constant"
    prior: float = 0.5
    depth: int | None = None
    first: int | None = None
    second: int | None = None

    def __post_init__(self) -> None:
        if self.measure not in ("AP", "RBP") and not _CUT_MEASURE.fullmatch(self.measure):
            raise ValueError(f"measure = {self.measure!r} is none of AP, RBP, P@k and SDCG@k")
        for name, known in (("aggregate", get_args(Aggregate)), ("relevance", get_args(Estimator))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} = {getattr(self, name)!r} is none of {', '.join(known)}")
        if not 0 <= self.prior <= 1:
            raise ValueError(f"prior = {self.prior} is outside [0, 1]")
        if self.depth is not None and self.depth < 1:
            raise ValueError(f"depth = {self.depth} is below 1")
        self._check_pair()

    @property
    def pair(self) -> tuple[int, int] | None:
        return None if self.first is None or self.second is None else (self.first, self.second)

    @property
    def cut_off(self) -> int | None:
        """The k of P@k and SDCG@k."""
        match = _CUT_MEASURE.fullmatch(self.measure)
        return int(match[2]) if match else None

    def _check_pair(self) -> None:
        if (self.first is None) != (self.second is None):
            raise ValueError(f"first = {self.first}, second = {self.second}: name two runs, or none")
        for name, run in (("first", self.first), ("second", self.second)):
            if run is not None and run < 0:
                raise ValueError(f"{name} = {run} is below 0")
        if self.first is not None and self.first == self.second:
            raise ValueError(f"first and second are the same run, {self.first}")


@dataclass(frozen=True)
class WeightedMtcOptions(RunWeightOptions, MtcOptions):
    """MTC's options, and:

    run_weights : weighs pairs of runs by the product of both weights in "sum" and "variance"; the greatest
        difference is the same however many runs share it
    """

    def __post_init__(self) -> None:
        RunWeightOptions.__post_init__(self)
        MtcOptions.__post_init__(self)


def rank_values(options: MtcOptions, p: float, depth: int) -> FloatArray:
    """Contribution of a relevant document to the measure at each rank, (depth + 1,); index 0 unused.

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
