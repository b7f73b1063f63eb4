"""A campaign while it is judged: which gains are known, what they leave open, what comes next; also where
topics have different methods."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.measures.bounds import depth_for_accuracy
from selection.bounds import RunBounds
from selection.framework.interface import (
    ANCHOR,
    Explanation,
    NextDocument,
    Queue,
    SamplingMethod,
    SelectionMethod,
    Setting,
    StatapSample,
)
from selection.framework.run_weights import RunWeights
from selection.judgments import GainChange, Judgments
from selection.pool import Ids, Pools, TopicPool
from selection.registry import make_method, method_entry
from selection.specification import CampaignSpec, MethodSpec

# Weight of all ranks below those that models of relevance look at.
NEGLIGIBLE = 1e-4


class MethodByTopic:
    """Each topic's acts and questions go to the method that serves it.

    Weights of different methods do not compare, so `best` asks the methods in turn: the one whose topics
    have the fewest judgments each, in the order of their first topics where these are equal.
    """

    def __init__(self, setting: Setting, chosen: Sequence[MethodSpec]) -> None:
        """`chosen`: one for each topic of `setting.pools`."""
        groups: dict[str, tuple[MethodSpec, list[int]]] = {}
        for topic in setting.topics:
            groups.setdefault(repr(chosen[topic]), (chosen[topic], []))[1].append(topic)
        self._judgments = setting.judgments
        self._methods: list[tuple[SelectionMethod, list[int]]] = []
        self._of: dict[int, SelectionMethod] = {}
        for one, topics in groups.values():
            method = make_method(one.method, replace(setting, topics=tuple(topics)), one.options)
            self._methods.append((method, topics))
            self._of |= dict.fromkeys(topics, method)

    def judged(self, act: GainChange) -> None:
        self._of[act.topic].judged(act)

    def best(self) -> NextDocument | None:
        for method, _ in sorted(self._methods, key=self._share):
            choice = method.best()
            if choice is not None:
                return choice
        return None

    def queue(self, topic: int, limit: int, after: GainChange | None) -> Queue:
        return self._of[topic].queue(topic, limit, after)

    def remaining(self, topic: int) -> int:
        return self._of[topic].remaining(topic)

    def explain(self, topic: int, document: int) -> Explanation:
        return self._of[topic].explain(topic, document)

    def drawn(self, topic: int) -> StatapSample | None:
        method = self._of[topic]
        return method.drawn(topic) if isinstance(method, SamplingMethod) else None

    def _share(self, group: tuple[SelectionMethod, list[int]]) -> float:
        topics = group[1]
        return sum(len(self._judgments.judged_in(topic)) for topic in topics) / len(topics)


class CampaignState:
    """The one mutable thing of selection. Live worker, replay and simulation all go through it.

    Parameters
    ----------
    pools : sequence of TopicPool, or Pools
        One per topic, in topic order; documents are named by topic and pool index.
    spec : CampaignSpec
        Runs, persistence and method.

    Raises
    ------
    ValueError
        For an unknown method or option, p outside (0, 1), or keys or pools that disagree with `spec`.

    Examples
    --------
    >>> from selection.pool import build_topic_pool
    >>> both = np.array([True, True])
    >>> pool = build_topic_pool([np.array([7, 9]), np.array([9])], 0.5, both)
    >>> spec = CampaignSpec(runs=2, p=0.5, method="C", scope="campaign", contributing=both)
    >>> state = CampaignState([pool], spec)
    >>> state.best()
    NextDocument(topic=0, document=0, weight=0.09375)
    >>> state.judge(0, 0, 1.0).tolist(), state.base.tolist()
    ([0, 1], [[0.25, 0.5]])
    """

    def __init__(self, pools: Sequence[TopicPool], spec: CampaignSpec) -> None:
        if spec.keys and len(spec.keys) != len(pools):
            raise ValueError(f"{len(spec.keys)} keys for {len(pools)} topics")
        if not isinstance(pools, Pools):
            _check_runs(pools, spec.runs)
        self.pools = Pools.of(pools)
        self.spec = spec
        self._own = spec.own_method
        self._chosen = [self._own] * len(self.pools)
        for topic, other in spec.topic_methods.items():
            self._chosen[topic] = other.complete()
        self._unranked = {t for t, one in enumerate(self._chosen) if method_entry(one.method).unranked}
        self._bounds = RunBounds(self.pools, spec.runs, spec.p)
        self._judgments = Judgments(self.pools, spec.contributing, self._unranked)
        self._setting = Setting(
            pools=self.pools,
            run_weights=RunWeights(self.pools, spec.p, spec.contributing, spec.groups, tuple(spec.keys)),
            topics=tuple(range(len(self.pools))),
            runs=spec.runs,
            p=spec.p,
            scope=spec.scope,
            contributing=spec.contributing,
            batch=spec.batch,
            bounds=self._bounds,
            judgments=self._judgments,
            seed=spec.seed,
            keys=tuple(spec.keys),
            threshold=spec.threshold,
            samples=spec.samples,
            frozen=spec.frozen,
            texts=spec.texts,
            origin=spec.origin,
            serving_order=spec.serving_order,
            sort_key=spec.sort_key,
        )
        self._anchors = dict(spec.anchors)
        self._method = self._make()

    @property
    def setting(self) -> Setting:
        """Input of the methods; read only."""
        return self._setting

    @property
    def anchors(self) -> Mapping[int, Ids]:
        """Ids of the documents that come first, by topic; read only."""
        return self._anchors

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
        """Number of the topic's documents that its method, or an anchor, would still choose."""
        return max(self._method.remaining(topic), len(self.open_anchors(topic)))

    def pool_size(self, topic: int) -> int:
        """Number of the topic's documents to choose from, judged or not."""
        pool = self.pools[topic]
        if topic in self._unranked:
            return len(pool)
        return int(np.count_nonzero(pool.chosen_by(self._setting.contributing)))

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

    def restore(
        self, base: FloatArray, residual: FloatArray, gains: Mapping[int, Mapping[int, float]]
    ) -> None:
        """Take over a campaign that was judged elsewhere: all bounds (topics, runs), and current gains by
        document of those topics that will be asked about. Batches begin again."""
        if base.shape != self.base.shape or residual.shape != self.residual.shape:
            raise ValueError(f"bounds of shape {base.shape}, {residual.shape} for {self.base.shape}")
        self._bounds.load(base, residual)
        for topic, by_document in gains.items():
            for document, gain in by_document.items():
                self._judgments.set(topic, document, gain)
        self._method = self._make()

    def copy(self) -> CampaignState:
        """A campaign of its own that goes on from here; its batches begin again."""
        other = copy(self)
        other._bounds, other._judgments = self._bounds.copy(), self._judgments.copy()
        other._setting = replace(self._setting, bounds=other._bounds, judgments=other._judgments)
        other._method = other._make()
        return other

    def assuming_not_relevant(self, topics: Collection[int]) -> CampaignState:
        """A copy in which every unjudged document of these topics has gain 0, as in trec_eval.

        On them nothing is open: residual 0, also of runs that miss the topic. Models of relevance are fitted
        to documents that carry weight in some run.

        >>> from selection.pool import build_topic_pool
        >>> pools = [build_topic_pool([np.array([7, 9])], 0.5, np.array([True])) for _ in range(2)]
        >>> one = np.array([True])
        >>> spec = CampaignSpec(runs=1, p=0.5, method="A", scope="campaign", contributing=one)
        >>> state = CampaignState(pools, spec)
        >>> changed = state.judge(0, 0, 1.0)
        >>> assumed = state.assuming_not_relevant([0])
        >>> assumed.base.tolist(), assumed.residual.tolist(), assumed.gain(0, 1)
        ([[0.5], [0.0]], [[0.0], [1.0]], 0.0)
        """
        other = copy(self)
        other._bounds, other._judgments = self._bounds.without_residual(list(topics)), self._judgments.copy()
        depth = depth_for_accuracy(self._setting.p, NEGLIGIBLE)
        for topic in topics:
            pool = self.pools[topic]
            high = np.concatenate([[0], np.cumsum(pool.rank <= depth)])
            other._judgments.assume_not_relevant(topic, np.diff(high[pool.start]) > 0)
        other._setting = replace(self._setting, bounds=other._bounds, judgments=other._judgments)
        other._method = other._make()
        return other

    def pass_over(self, topic: int, document: int) -> None:
        """Never choose this document; nothing else changes."""
        self._check_document(topic, document)
        self._judgments.bar(topic, document)

    def close(self, topic: int) -> None:
        """Never choose a document of this topic again; its judgments still count."""
        self._judgments.bar(topic)

    def best(self) -> NextDocument | None:
        """The next document of the campaign, None when there is none."""
        return self._method.best()

    def queue(self, topic: int, limit: int, *, after: tuple[int, float | None] | None = None) -> Queue:
        """The topic's next documents, at most `limit`.

        With `after` = (document, gain), the queue that there would be if that had been judged; with
        gain None, if the judgment were withdrawn or, where there is none, if the document were not
        to be had. Nothing is changed.

        Anchors come first. They weigh as much as the method's own first document, and name `ANCHOR` in the
        queue's `sources`.
        """
        if limit < 1:
            raise ValueError(f"limit = {limit} is below 1")
        act = None if after is None else self._act(topic, *after)
        queue, first = self._method.queue(topic, limit, act), self.open_anchors(topic, after=act)
        return self._with_first(topic, queue, first, limit) if len(first) else queue

    def set_anchors(self, anchors: Mapping[int, Ids]) -> None:
        """Serve these, by topic, instead of those given before."""
        self._anchors = dict(anchors)

    def open_anchors(self, topic: int, *, after: GainChange | None = None) -> IntArray:
        """Pool indices (k,) of the topic's anchors that may still be chosen, in their order."""
        if topic not in self._anchors:
            return np.zeros(0, dtype=np.int64)
        ids, out = self.pools[topic].documents, self._judgments.out_after(topic, after)
        places = [np.flatnonzero(ids == document) for document in self._anchors[topic]]
        anchors = np.array([at for place in places for at in place], dtype=np.int64)
        return anchors[~out[anchors]]

    def _with_first(self, topic: int, queue: Queue, first: IntArray, limit: int) -> Queue:
        rest = np.flatnonzero(~np.isin(queue.documents, first))
        weights = np.full(len(first), queue.weights[0] if len(queue.weights) else 0.0)
        sources = queue.sources or (self._chosen[topic].method,) * len(queue.documents)
        inclusion = queue.inclusion
        if inclusion is not None:
            inclusion = np.concatenate([np.full(len(first), np.nan), inclusion[rest]])[:limit]
        return Queue(
            np.concatenate([first, queue.documents[rest]])[:limit],
            np.concatenate([weights, queue.weights[rest]])[:limit],
            inclusion,
            (*[ANCHOR] * len(first), *(sources[place] for place in rest))[:limit],
        )

    def explain(self, topic: int, document: int) -> Explanation:
        """The document's weight now, and the runs, ranks and shares that make it; an anchor's is that which
        its topic's method gives it."""
        self._check_document(topic, document)
        why = self._method.explain(topic, document)
        return replace(why, source=ANCHOR) if document in self.open_anchors(topic) else why

    def sample(self, topic: int) -> StatapSample | None:
        """The sample that the topic is served from, if it is served from one."""
        return self._method.drawn(topic) if isinstance(self._method, SamplingMethod) else None

    def alternative(self, topic: int, other: MethodSpec) -> SelectionMethod:
        """Another method for one topic, on the same judgments and bounds; good until the next judgment."""
        return make_method(other.method, replace(self._setting, topics=(topic,), batch=1), other.options)

    def _make(self) -> SelectionMethod:
        if all(one == self._own for one in self._chosen):
            return make_method(self._own.method, self._setting, self._own.options)
        return MethodByTopic(self._setting, self._chosen)

    def _act(self, topic: int, document: int, gain: float | None) -> GainChange:
        self._check_document(topic, document)
        if gain is not None and not 0 <= gain <= 1:
            raise ValueError(f"gain {gain} is outside [0, 1]")
        return GainChange(topic, document, self._judgments.gain(topic, document), gain)

    def _check_document(self, topic: int, document: int) -> None:
        # A negative index would silently mean another document.
        if not 0 <= topic < len(self.pools):
            raise IndexError(f"topic {topic} of {len(self.pools)}")
        if not 0 <= document < len(self.pools[topic]):
            raise IndexError(f"document {document} of a pool of {len(self.pools[topic])}")


def _check_runs(pools: Sequence[TopicPool], runs: int) -> None:
    highest = max((int(pool.run.max(initial=-1)) for pool in pools), default=-1)
    if highest >= runs:
        raise ValueError(f"a pool names run {highest}, but there are {runs} runs")
