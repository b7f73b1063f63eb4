"""Minimal test collections: judge the documents that say most about which run is better."""

from __future__ import annotations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray
from selection.framework.interface import Explanation, Queue, Setting, make_explanation
from selection.framework.topicwise import Topicwise
from selection.judgments import GainChange
from selection.methods.mtc.belief import Belief, believer_of
from selection.methods.mtc.options import MtcOptions, WeightedMtcOptions
from selection.methods.mtc.ranked_pool import ranked_pool
from selection.methods.mtc.weights import MtcWeights
from selection.rounding import round_significant


def mtc(setting: Setting, options: WeightedMtcOptions) -> Topicwise:
    """MTC (Carterette, Allan and Sitaraman 2006) over all pairs of the runs that contribute, or of one pair.

    A document weighs max(p, 1 - p) times what its effects on the runs come to (see `MtcOptions.aggregate`),
    in units of the measure, so that topics compare. With fewer than two runs that take part, and wherever
    all weights are 0, the pool's order serves.

    Raises ValueError for a pair whose runs are unknown or do not contribute.
    """
    part = taking_part(setting, options)
    weights = None if options.run_weights == "equal" else setting.run_weights.of(options.run_weights)
    return Topicwise(setting, lambda setting, topic: MtcTopic(setting, topic, options, part, weights))


class MtcTopic:
    """One topic under MTC, kept up by rank-one updates; see `selection.methods.mtc.belief`."""

    def __init__(
        self,
        setting: Setting,
        topic: int,
        options: MtcOptions,
        part: BoolArray,
        run_weights: FloatArray | None = None,
    ) -> None:
        """`part` (runs,): as `taking_part` gives it. `run_weights` (runs,): None if all are equal."""
        self._setting, self._topic, self._options = setting, topic, options
        self._ranked = ranked_pool(setting.pools[topic], part, options.depth)
        self._believer = believer_of(setting, topic, self._ranked, options)
        self._run_weights = run_weights
        self._weights: MtcWeights | None = None

    def judged(self, act: GainChange) -> bool:
        self._believer.judged(act)
        self._weights = None
        return True

    def queue(self, limit: int, after: GainChange | None) -> Queue:
        out = self._setting.judgments.out_after(self._topic, after)
        return self._weights_after(after).heaviest(out, limit)

    def remaining(self) -> int:
        return self._setting.judgments.open_in(self._topic)

    def explain(self, document: int) -> Explanation:
        """A run's share is what the document's relevance is expected to add to its score, times p or 1 - p:
        the weight says how far the shares lie apart, 0 being that of a run that does not rank it."""
        weights = self._weights_after(None)
        shares = np.zeros(self._setting.runs)
        shares[self._ranked.run[self._ranked.entries(document)]] = weights.shares(document)
        runs, ranks = self._setting.pools[self._topic].occurrences(document)
        weight = round_significant(weights.exact(np.array([document])))[0]
        return make_explanation(self._setting, runs, ranks, shares[runs], float(weight))

    def _weights_after(self, after: GainChange | None) -> MtcWeights:
        if after is not None:
            return self._weights_by(self._believer.belief(after))
        if self._weights is None:
            self._weights = self._weights_by(self._believer.belief(None))
        return self._weights

    def _weights_by(self, belief: Belief) -> MtcWeights:
        return MtcWeights(self._ranked, belief, self._options, self._run_weights)


def taking_part(setting: Setting, options: MtcOptions) -> BoolArray:
    """For each run: true if it takes part (runs,). Contributing runs do, or the pair that is to be
    separated."""
    if options.pair is None:
        return setting.contributing
    part = np.zeros(setting.runs, dtype=np.bool_)
    for name, run in zip(("first", "second"), options.pair, strict=True):
        if run >= setting.runs:
            raise ValueError(f"{name} = {run}, but there are {setting.runs} runs")
        if not setting.contributing[run]:
            raise ValueError(f"{name} = {run} is a run that does not contribute")
        part[run] = True
    return part
