"""Hedge: the runs are experts, weighted by how well they did so far (Aslam, Pavlu and Savell 2003)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.framework.interface import Explanation, Queue, Setting, make_explanation
from selection.framework.topicwise import Topicwise
from selection.judgments import GainChange
from selection.rounding import round_significant

# Beyond it a weight is 0 against the best run's.
_FAR = 700.0


@dataclass(frozen=True)
class HedgeOptions:
    """beta : a run's weight is beta to the power of its loss; the smaller, the faster it learns"""

    beta: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.beta < 1:
            raise ValueError(f"beta = {self.beta} is outside (0, 1)")


class HedgeTopic:
    """One topic: the document of greatest expected gain to the runs, if all are relevant, is next.

    A document at a rank of a run gains it ln(N / rank), N being the number of documents that the runs
    rank; where the run does not rank it, the mean of that over the ranks below the run's last, to N. A
    run's loss is the sum of half of these gains over the judged documents, negative for relevant ones.
    """

    def __init__(self, setting: Setting, topic: int, beta: float) -> None:
        self._setting, self._topic, self._beta = setting, topic, beta
        pool = self._pool = setting.pools[topic]
        self._judgments = setting.judgments
        self._ranked: BoolArray = pool.chosen_by(setting.contributing)
        self._gain_at, self._unranked = _gains(
            int(np.count_nonzero(self._ranked)),
            np.bincount(pool.run, minlength=setting.runs) * setting.contributing,
            pool.depth,
        )
        # By how much each run's gain from each document it ranks exceeds that from one it does not.
        excess = self._gain_at[pool.rank] - self._unranked[pool.run]
        self._excess = scipy.sparse.csr_array((excess, pool.run, pool.start), shape=(len(pool), setting.runs))
        self._weights: FloatArray | None = None

    def judged(self, act: GainChange) -> bool:
        self._weights = None
        return True

    def queue(self, limit: int, after: GainChange | None) -> Queue:
        if after is None or after.before == after.after:
            weights = self._now()
        else:
            judged = dict(self._judgments.judged_in(self._topic))
            judged.pop(after.document, None)
            if after.after is not None:
                judged[after.document] = after.after
            weights = self._weighed(judged)
        documents = np.flatnonzero(self._ranked & ~self._judgments.out_after(self._topic, after))
        if limit == 1 and len(documents):
            documents = documents[[weights[documents].argmax()]]
        order = documents[np.argsort(-weights[documents], kind="stable")[:limit]]
        return Queue(order, weights[order])

    def remaining(self) -> int:
        return int(np.count_nonzero(self._ranked & ~self._judgments.out_of(self._topic)))

    def explain(self, document: int) -> Explanation:
        """A run's share is its weight times the gain at its rank; what the runs that do not rank the
        document add to the weight is no run's share."""
        runs, ranks = self._pool.occurrences(document)
        shares = self._run_weights(self._judgments.judged_in(self._topic))[runs] * self._gain_at[ranks]
        return make_explanation(self._setting, runs, ranks, shares, float(self._now()[document]))

    def _now(self) -> FloatArray:
        if self._weights is None:
            self._weights = self._weighed(self._judgments.judged_in(self._topic))
        return self._weights

    def _weighed(self, judged: dict[int, float]) -> FloatArray:
        """Weights (n,) of all documents, ranked by few of the runs each."""
        runs = self._run_weights(judged)
        weights = self._excess @ runs + runs @ self._unranked
        return round_significant(np.maximum(weights, 0.0))

    def _run_weights(self, judged: dict[int, float]) -> FloatArray:
        """Shares (runs,) of 1 of the runs that contribute, from their losses."""
        # Added up in pool order, so that the order of the judgments does not even show in the last bit.
        signs = np.zeros(len(self._pool))
        for document, gain in judged.items():
            signs[document] = -0.5 if self._setting.relevant(gain) else 0.5
        signs[~self._ranked] = 0.0
        loss = signs @ self._excess + signs.sum() * self._unranked
        return _shares(loss, self._beta, self._setting.contributing)


def _gains(documents: int, lengths: IntArray, depth: int) -> tuple[FloatArray, FloatArray]:
    """The gain at each rank (depth + 1,), and where runs of these lengths do not rank a document (runs,)."""
    ranks = np.arange(1, max(documents, depth) + 1)
    gain_at = np.concatenate([[0.0], np.log(max(documents, 1)) - np.log(ranks)])
    total = np.concatenate([[0.0], np.cumsum(gain_at[1 : documents + 1])])
    lengths = np.minimum(lengths, documents)
    below = np.maximum(documents - lengths, 1)
    # A run that ranks all of them misses none.
    unranked = np.where(lengths < documents, (total[documents] - total[lengths]) / below, 0.0)
    return gain_at, np.asarray(unranked, dtype=np.float64)


def _shares(loss: FloatArray, beta: float, contributing: BoolArray) -> FloatArray:
    if not contributing.any():
        return np.zeros(len(loss))
    behind = (loss - loss[contributing].min()) * -np.log(beta)
    weights = np.exp(-np.minimum(behind, _FAR)) * contributing
    return np.asarray(weights / weights.sum())


def hedge(setting: Setting, beta: float = 0.1) -> Topicwise:
    """In topic scope each topic has its turn; in campaign scope that of the greatest expected gain."""
    return Topicwise(
        setting, lambda setting, topic: HedgeTopic(setting, topic, beta), rounds=setting.scope == "topic"
    )
