"""A campaign while it is judged: which gains are known, what they leave open, what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.bounds import RunBounds
from selection.judgments import Judgments
from selection.methods import make_method
from selection.pool import TopicPool
from selection.protocol import Act, Choice, Explanation, Queue, Scope, Setting

__all__ = ["CampaignState", "Choice", "Explanation", "Queue", "Scope"]


class CampaignState:
    """The one mutable thing of selection. Live worker, replay and simulation all go through it.

    Parameters
    ----------
    pools : sequence of TopicPool
        One per topic, in topic order; documents are named by topic and pool index.
    runs : int
        Number of runs; the pools' run indices are below it.
    p : float
        Persistence, inside (0, 1).
    method : str
        A name of `selection.methods.METHODS`.
    scope : "campaign" or "topic"
        Whether a run's means over all topics or its bounds on the one topic weigh its documents.
    contributing : ndarray of bool, shape (runs,)
        As given to `build_topic_pool`: the others are scored but carry no weight.
    batch : int
        Weights are made anew after so many judgments (of the campaign, or of the topic).

    Raises
    ------
    ValueError
        For an unknown method or scope, p outside (0, 1), a batch below 1, or shapes that disagree.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.array([7, 9]), np.array([9])], 0.5, both)
    >>> state = CampaignState([pool], runs=2, p=0.5, method="C", scope="campaign", contributing=both)
    >>> state.best()
    Choice(topic=0, document=0, weight=0.09375)
    >>> state.judge(0, 0, 1.0).tolist(), state.base.tolist()
    ([0, 1], [[0.25, 0.5]])
    """

    def __init__(
        self,
        pools: Sequence[TopicPool],
        *,
        runs: int,
        p: float,
        method: str,
        scope: Scope,
        contributing: BoolArray,
        batch: int = 1,
    ) -> None:
        _check(pools, runs, scope, contributing, batch)
        self.pools = tuple(pools)
        self._bounds = RunBounds(self.pools, runs, p)
        self._judgments = Judgments(self.pools)
        self._method = make_method(
            method,
            Setting(self.pools, runs, p, scope, contributing, batch, self._bounds, self._judgments),
        )

    @property
    def base(self) -> FloatArray:
        """float64 (topics, runs), in [0, 1]; not to be written to."""
        return self._bounds.base

    @property
    def residual(self) -> FloatArray:
        """float64 (topics, runs), in [0, 1]; 1 where the run misses the topic."""
        return self._bounds.residual

    def mean_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Base and residual (runs,) as means over all topics."""
        return self._bounds.means()

    def gain(self, topic: int, document: int) -> float | None:
        self._check_document(topic, document)
        return self._judgments.gain(topic, document)

    def remaining(self, topic: int) -> int:
        """How many documents of the topic can still be chosen."""
        out = self._judgments.out_of(topic)
        return len(out) - int(np.count_nonzero(out))

    def judge(self, topic: int, document: int, gain: float | None) -> IntArray:
        """Set a document's gain, replace it, or withdraw it (None).

        Returns the runs (k,) whose bounds on the topic this changed, possibly to equal values; none
        if the document had that gain already, and then it does not count towards a batch either.
        """
        act = self._act(topic, document, gain)
        if act.before == act.after:
            return np.zeros(0, dtype=np.int16)
        shift = self._bounds.shift(topic, self.pools[topic].occurrences(document), act.before, act.after)
        self._bounds.apply(topic, shift)
        self._judgments.set(topic, document, gain)
        self._method.judged(act)
        return shift.runs

    def pass_over(self, topic: int, document: int) -> None:
        """Never choose this document; nothing else changes."""
        self._check_document(topic, document)
        self._judgments.bar(topic, document)

    def close(self, topic: int) -> None:
        """Never choose a document of this topic again; its judgments still count."""
        self._judgments.bar(topic)

    def best(self) -> Choice | None:
        """The next document of the campaign, None when there is none."""
        return self._method.best()

    def queue(self, topic: int, limit: int, *, after: tuple[int, float | None] | None = None) -> Queue:
        """The topic's next documents, at most `limit`.

        With `after` = (document, gain), the queue that there would be if that had been judged; with
        gain None, if the judgment were withdrawn or, where there is none, if the document were not
        to be had. Nothing is changed.
        """
        if limit < 1:
            raise ValueError(f"limit = {limit} is below 1")
        return self._method.queue(topic, limit, None if after is None else self._act(topic, *after))

    def explain(self, topic: int, document: int) -> Explanation:
        """The document's weight now, and the runs, ranks and shares that make it."""
        self._check_document(topic, document)
        return self._method.explain(topic, document)

    def _act(self, topic: int, document: int, gain: float | None) -> Act:
        self._check_document(topic, document)
        if gain is not None and not 0 <= gain <= 1:
            raise ValueError(f"gain {gain} is outside [0, 1]")
        return Act(topic, document, self._judgments.gain(topic, document), gain)

    def _check_document(self, topic: int, document: int) -> None:
        # A negative index would silently mean another document.
        if not 0 <= topic < len(self.pools):
            raise IndexError(f"topic {topic} of {len(self.pools)}")
        if not 0 <= document < len(self.pools[topic]):
            raise IndexError(f"document {document} of a pool of {len(self.pools[topic])}")


def _check(pools: Sequence[TopicPool], runs: int, scope: str, contributing: BoolArray, batch: int) -> None:
    if scope not in get_args(Scope):
        raise ValueError(f"scope {scope!r} is neither 'campaign' nor 'topic'")
    if batch < 1:
        raise ValueError(f"batch = {batch} is below 1")
    if contributing.shape != (runs,):
        raise ValueError(f"contributing has shape {contributing.shape} for {runs} runs")
    highest = max((int(pool.run.max(initial=-1)) for pool in pools), default=-1)
    if highest >= runs:
        raise ValueError(f"a pool names run {highest}, but there are {runs} runs")
