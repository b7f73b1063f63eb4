"""Replay a campaign, answering from complete qrels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.measures.bounds import mean_projection
from selection.bounds import exact_mean
from selection.framework.interface import NextDocument
from selection.judgments import GainChange
from selection.pool import TopicPool
from selection.specification import CampaignSpec
from selection.state import CampaignState
from selection.stopping.tests import StopTest

UnjudgedPolicy = Literal["nonrelevant", "bypass"]
# Is given the state, and how many documents are judged, relevant, and asked for so far.
Observe = Callable[[CampaignState, int, int, int], object]
# The state and the topics released so far, to the next topic.
Release = Callable[[CampaignState, Sequence[int]], int | None]
PROGRESS_EVERY = 50


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state after so many judgments.

    judged, bypassed, relevant : counts, as in `Replay`
    base, residual : float64 (topics, runs), in [0, 1]
    """

    judged: int
    bypassed: int
    relevant: int
    base: FloatArray
    residual: FloatArray

    def means(self) -> tuple[FloatArray, FloatArray]:
        """Base and residual (runs,) as means over all topics, to the last bit those of the state."""
        return exact_mean(self.base), exact_mean(self.residual)

    def projections(self) -> FloatArray:
        """Means (runs,) of the projected scores (`mean_projection`)."""
        return mean_projection(self.base, self.residual)


@dataclass(frozen=True, eq=False)
class Replay:
    """Record of a replay: the judgments, in order, and the state after them.

    topics, documents : int64 (judged,), documents as pool indices
    weights : float64 (judged,), the weight that each was chosen by
    gains : float64 (judged,); 0 where the qrels do not know the document (`known` is False)
    bypassed : documents that were asked for, but not known and therefore left aside
    passed : whether the stop test passed; None without one
    released : the topics in the order of their release; None where all were open from the start
    checkpoints : those that were reached, in ascending order
    """

    state: CampaignState
    topics: IntArray
    documents: IntArray
    weights: FloatArray
    gains: FloatArray
    known: BoolArray
    bypassed: int
    passed: bool | None = None
    released: tuple[int, ...] | None = None
    checkpoints: tuple[Checkpoint, ...] = ()

    @property
    def relevant(self) -> int:
        return int(np.count_nonzero(self.gains > 0))

    @property
    def end(self) -> Checkpoint:
        """The state after the last judgment; its bounds are the state's own arrays."""
        judged = len(self.topics)
        return Checkpoint(judged, self.bypassed, self.relevant, self.state.base, self.state.residual)


def replay(
    pools: Sequence[TopicPool],
    qrels_gains: Sequence[FloatArray],
    spec: CampaignSpec,
    *,
    judgments: int | None = None,
    per_topic: int | None = None,
    unjudged: UnjudgedPolicy = "nonrelevant",
    until: StopTest | None = None,
    test_every: int = 1,
    release: Release | None = None,
    checkpoints: Collection[int] = (),
    progress: Callable[[int], object] = lambda judged: None,
    observe: Observe = lambda state, judged, relevant, handled: None,
) -> Replay:
    """Judge the documents that a method asks for until the budget is spent or the pool is empty.

    Parameters
    ----------
    pools, spec
        As for `CampaignState`.
    qrels_gains : sequence of float64 arrays, one per topic, shape (pool,)
        Gain in [0, 1] by pool index; NaN where the qrels do not know the document.
    judgments, per_topic : int
        The budget, exactly one of them: of the campaign, or of each topic. With `per_topic` the
        campaign's order is followed, and a topic is closed when it has had its share.
    unjudged : "nonrelevant" or "bypass"
        An unknown document is judged with gain 0 and counts, as in the text of Moffat, Webber and
        Zobel 2007 (section 3), or is left aside and does not count, as in their Table 2.
    until : StopTest, optional
        Judge no further, within the budget, once this passes; also nothing, if it passes at once.
    test_every : int
        Ask the stop test after so many judgments each, and after the last.
    release : callable, optional
        Given the state and the topics released so far, names the next topic, or None where there is no
        further. One topic is judged at a time, until it has had its share. Needs `per_topic`.
    checkpoints : collection of int, above 0
        Numbers of judgments after which counts and bounds are copied; those beyond the end are not reached.
    progress : callable
        Called with the number of documents judged, now and then.
    observe : callable
        Called once before the first judgment and after each; see `selection.simulation.trajectory`.

    Raises
    ------
    ValueError
        If not exactly one budget is given, an argument is outside its range, or there are not the runs
        that the stop test asks about.
    """
    if (judgments is None) == (per_topic is None):
        raise ValueError("give exactly one of judgments and per_topic")
    if unjudged not in get_args(UnjudgedPolicy):
        raise ValueError(f"unjudged is {unjudged!r}, neither 'nonrelevant' nor 'bypass'")
    if test_every < 1:
        raise ValueError(f"test_every = {test_every} is below 1")
    if release is not None and per_topic is None:
        raise ValueError("topics are released one after the other, so each needs a budget: per_topic")
    if (first := min(checkpoints, default=1)) < 1:
        raise ValueError(f"a checkpoint after {first} judgments")
    state = CampaignState(pools, spec)
    budget = _Budget(judgments, per_topic, len(pools))
    watch = None if until is None else until.watch(state)
    passed = watch is not None and watch.passed()
    record, checkpoints = _Record(), frozenset(checkpoints)
    released = _ReleasedTopics(state, release) if release is not None else None
    best = state.best if released is None else released.best
    observe(state, 0, 0, 0)
    while not passed and budget.left(len(record.chosen)) and (choice := best()) is not None:
        gain = float(qrels_gains[choice.topic][choice.document])
        if unjudged == "bypass" and np.isnan(gain):
            state.pass_over(choice.topic, choice.document)
            record.bypassed += 1
            continue
        judged = record.add(choice, gain)
        given = 0.0 if np.isnan(gain) else gain
        state.judge(choice.topic, choice.document, given)
        if watch is not None:
            watch.judged(GainChange(choice.topic, choice.document, None, given))
            passed = judged % test_every == 0 and watch.passed()
        if budget.spent_on(choice.topic):
            state.close(choice.topic)
        if judged in checkpoints:
            record.copy_bounds(state)
        observe(state, judged, record.relevant, judged + record.bypassed)
        if judged % PROGRESS_EVERY == 0:
            progress(judged)
    progress(len(record.chosen))
    # Between two times of the test, or with nothing left to judge, it was not asked yet.
    topics = None if released is None else tuple(released.topics)
    return record.replay(state, None if watch is None else passed or watch.passed(), topics)


class _Record:
    """Record of the judgments so far: the documents chosen, and their gains, NaN where the qrels know
    none."""

    def __init__(self) -> None:
        self.chosen: list[NextDocument] = []
        self.bypassed = self.relevant = 0
        self._gains: list[float] = []
        self._checkpoints: list[Checkpoint] = []

    def add(self, choice: NextDocument, gain: float) -> int:
        """The number of documents judged with this one."""
        self.chosen.append(choice)
        self._gains.append(gain)
        self.relevant += gain > 0
        return len(self.chosen)

    def copy_bounds(self, state: CampaignState) -> None:
        counts = len(self.chosen), self.bypassed, self.relevant
        self._checkpoints.append(Checkpoint(*counts, state.base.copy(), state.residual.copy()))

    def replay(self, state: CampaignState, passed: bool | None, released: tuple[int, ...] | None) -> Replay:
        gains = np.array(self._gains, dtype=np.float64)
        return Replay(
            state,
            np.array([choice.topic for choice in self.chosen], dtype=np.int64),
            np.array([choice.document for choice in self.chosen], dtype=np.int64),
            np.array([choice.weight for choice in self.chosen], dtype=np.float64),
            np.nan_to_num(gains, nan=0.0),
            ~np.isnan(gains),
            self.bypassed,
            passed,
            released,
            tuple(self._checkpoints),
        )


class _ReleasedTopics:
    """The topics that were released; only the last of them is served."""

    def __init__(self, state: CampaignState, release: Release) -> None:
        self.topics: list[int] = []
        self._state, self._release = state, release

    def best(self) -> NextDocument | None:
        while not self.topics or not self._state.remaining(self.topics[-1]):
            topic = self._release(self._state, self.topics)
            if topic is None:
                return None
            self.topics.append(topic)
        queue = self._state.queue(self.topics[-1], 1)
        return NextDocument(self.topics[-1], int(queue.documents[0]), float(queue.weights[0]))


class _Budget:
    """Judgments of the campaign, or of each topic."""

    def __init__(self, judgments: int | None, per_topic: int | None, topics: int) -> None:
        for value in (judgments, per_topic):
            if value is not None and value < 1:
                raise ValueError(f"a budget of {value} judgments")
        self._judgments, self._per_topic = judgments, per_topic
        self._had = [0] * topics

    def left(self, judged: int) -> bool:
        return self._judgments is None or judged < self._judgments

    def spent_on(self, topic: int) -> bool:
        """Note one judgment; whether the topic has had its share with it."""
        self._had[topic] += 1
        return self._had[topic] == self._per_topic
