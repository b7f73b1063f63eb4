"""Topics whose documents and their order are settled before anything is judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.acts import Act
from selection.framework.interface import Explanation, Queue, Setting, explained


@dataclass(frozen=True, eq=False)
class FixedOrder:
    """documents : int (k,), pool indices in serving order; weights : float64 (k,), falling along it

    inclusion : float64 (k,), with which probability each was drawn; None if nothing is drawn
    shares : float64 (entries,), what `explain` gives for each occurrence of a document in a run
    """

    documents: IntArray
    weights: FloatArray
    inclusion: FloatArray | None
    shares: FloatArray


class FixedTopic:
    """One topic served in a fixed order, but for what is judged or passed over."""

    def __init__(self, setting: Setting, topic: int, order: FixedOrder) -> None:
        self._setting, self._topic, self.order = setting, topic, order

    def judged(self, act: Act) -> bool:
        return True

    def queue(self, limit: int, after: Act | None) -> Queue:
        order, out = self.order, self._setting.judgments.out_after(self._topic, after)
        which = np.flatnonzero(~out[order.documents])[:limit]
        inclusion = None if order.inclusion is None else order.inclusion[which]
        return Queue(order.documents[which], order.weights[which], inclusion)

    def remaining(self) -> int:
        out = self._setting.judgments.out_of(self._topic)
        return int(np.count_nonzero(~out[self.order.documents]))

    def explain(self, document: int) -> Explanation:
        """A document that is not to be served weighs 0."""
        pool = self._setting.pools[self._topic]
        runs, ranks = pool.occurrences(document)
        at = np.flatnonzero(self.order.documents == document)
        out = self._setting.judgments.is_out(self._topic, document)
        weight = float(self.order.weights[at[0]]) if len(at) and not out else 0.0
        shares = self.order.shares[pool.start[document] : pool.start[document + 1]]
        return explained(self._setting, runs, ranks, shares, weight)
