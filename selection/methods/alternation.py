"""MTC and statAP side by side, neither knowing the judgments that only the other asked for (Carterette et al.
2008)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple, get_args

import numpy as np

from evaluation.arrays import BoolArray, IntArray
from selection.framework.interface import Explanation, Queue, Setting, StatapSample
from selection.framework.topicwise import FixedOrder, FixedTopic, TopicState, Topicwise
from selection.judgments import GainChange, Judgments
from selection.methods.mtc.options import MtcOptions
from selection.methods.mtc.topic import MtcTopic, taking_part
from selection.methods.statap import StatapOptions, sample_of, statap_order
from selection.pool import Pools


@dataclass(frozen=True, eq=False)
class TopicGains:
    """A topic's current gains by pool index, and what was passed over without a judgment (n,)."""

    gains: Mapping[int, float]
    passed: BoolArray


def topic_gains(setting: Setting, topic: int, after: GainChange | None) -> TopicGains:
    """Gains of a topic: the current ones, or those after an act."""
    gains = setting.judgments.judged_in(topic)
    if after is not None:
        gains = {document: gain for document, gain in gains.items() if document != after.document}
        if after.after is not None:
            gains[after.document] = after.after
    passed = setting.judgments.out_after(topic, after).copy()
    passed[np.fromiter(gains, dtype=np.int64)] = False
    return TopicGains(gains, passed)


class OwnJudgments(Judgments):
    """One topic's judgments, of the documents only that the method asked for; the topic's index is 0.

    passed : bool (n,), what it may not ask for besides
    """

    def __init__(self, setting: Setting, topic: int) -> None:
        super().__init__(Pools.of([setting.pools[topic]]), setting.contributing)
        self.passed: BoolArray = np.zeros(len(setting.pools[topic]), dtype=np.bool_)

    def out_of(self, topic: int) -> BoolArray:
        return super().out_of(topic) | self.passed


class MtcArm:
    """One topic of MTC from nothing: it asks for its best document, learns the gain if it is judged,
    weighs again, and so on until it asks for one that is not judged.

    asked : the judged documents that it came to, in that order

    What is known may change in any way between calls: `follow` takes back what was learned from the first
    document on for which it differs, and goes on from there. MTC's sums are exact, and so this leaves no
    trace.
    """

    def __init__(self, setting: Setting, topic: int, options: MtcOptions) -> None:
        self._own = OwnJudgments(setting, topic)
        alone = replace(
            setting,
            pools=Pools.of([setting.pools[topic]]),
            topics=(0,),
            judgments=self._own,
            keys=(),
            samples={},
        )
        self._mtc = MtcTopic(alone, 0, options, taking_part(setting, options))
        self.asked: list[int] = []
        # How many it had asked for when each document was first passed over, as it stands now (n,).
        self._since: IntArray = np.zeros(len(setting.pools[topic]), dtype=np.int64)

    def follow(self, known: TopicGains) -> None:
        self._take_back(self._agreeing(known))
        newly, back = known.passed & ~self._own.passed, self._own.passed & ~known.passed
        if back.any():
            # MTC reckons with none that was out coming back, unless it weighs again: here, after no change.
            self._mtc.judged(GainChange(0, int(back.argmax()), None, None))
        self._since[newly] = len(self.asked)
        np.minimum(self._since, len(self.asked), out=self._since)
        self._own.passed = known.passed
        while (document := self._next()) is not None and (gain := known.gains.get(document)) is not None:
            self._tell(document, None, gain)
            self.asked.append(document)

    def queue(self, limit: int) -> Queue:
        """The first is the one that it asks for now; the others by their weight now, those among them that
        are judged, but not to its knowledge."""
        return self._mtc.queue(limit, None)

    def explain(self, document: int) -> Explanation:
        return self._mtc.explain(document)

    def _next(self) -> int | None:
        documents = self._mtc.queue(1, None).documents
        return int(documents[0]) if len(documents) else None

    def _agreeing(self, known: TopicGains) -> int:
        """Up to where it would ask for the same documents again and get the same answers."""
        own = self._own.judged_in(0)
        steps = enumerate(self.asked)
        differs = (step for step, document in steps if known.gains.get(document) != own[document])
        back = self._own.passed & ~known.passed
        return min(next(differs, len(self.asked)), int(self._since[back].min(initial=len(self.asked))))

    def _take_back(self, count: int) -> None:
        while len(self.asked) > count:
            document = self.asked.pop()
            self._tell(document, self._own.gain(0, document), None)

    def _tell(self, document: int, before: float | None, after: float | None) -> None:
        self._own.set(0, document, after)
        self._mtc.judged(GainChange(0, document, before, after))


class Turn(NamedTuple):
    document: int
    weight: float
    source: str


class AlternatingTopic:
    """One topic served by both. What one serves and the other has had judged already it learns at once.

    It is the turn of the one that has learned of fewer judgments, MTC's if of as many. The queue goes on as
    if each judgment left MTC's order as it is: its weights are those of now. A document weighs what the one
    that serves it says, and the two scales are different.
    """

    def __init__(self, setting: Setting, topic: int, options: MtcOptions, sample: FixedOrder) -> None:
        self._setting, self._topic, self._sample = setting, topic, sample
        self._statap = FixedTopic(setting, topic, sample)
        self._mtc = MtcArm(setting, topic, options)
        self._inclusion = np.full(len(setting.pools[topic]), np.nan)
        self._inclusion[sample.documents] = sample.inclusion

    def judged(self, act: GainChange) -> bool:
        return True

    def queue(self, limit: int, after: GainChange | None) -> Queue:
        turns = list(islice(self._serve(limit, topic_gains(self._setting, self._topic, after)), limit))
        documents = np.array([turn.document for turn in turns], dtype=np.int64)
        return Queue(
            documents,
            np.array([turn.weight for turn in turns], dtype=np.float64),
            self._inclusion[documents],
            tuple(turn.source for turn in turns),
        )

    def remaining(self) -> int:
        return self._setting.judgments.open_in(self._topic)

    def explain(self, document: int) -> Explanation:
        """Explain a document by the method that is to serve it; by statAP if none is."""
        known = topic_gains(self._setting, self._topic, None)
        turns = self._serve(len(known.passed), known)
        source = next((turn.source for turn in turns if turn.document == document), "statap")
        return (self._mtc if source == "mtc" else self._statap).explain(document)

    def asked_by_mtc(self) -> tuple[int, ...]:
        self._mtc.follow(topic_gains(self._setting, self._topic, None))
        return tuple(self._mtc.asked)

    def _serve(self, limit: int, known: TopicGains) -> Iterator[Turn]:
        self._mtc.follow(known)
        drawn = self._drawn(known)
        told_statap = next(
            (k for k, turn in enumerate(drawn) if turn.document not in known.gains), len(drawn)
        )
        # Enough of MTC's, however many of them turn out to be judged or statAP's.
        first = self._mtc.queue(limit + len(known.gains) + len(drawn))
        pairs = zip(first.documents.tolist(), first.weights.tolist(), strict=True)
        turns = {
            "mtc": iter([Turn(document, weight, "mtc") for document, weight in pairs]),
            "statap": iter(drawn[told_statap:]),
        }
        counts = {"mtc": len(self._mtc.asked), "statap": told_statap}
        done = set(known.gains)
        while turns:
            source = min(turns, key=counts.__getitem__)
            counts[source] += 1
            if (turn := next(turns[source], None)) is None:
                del turns[source]
            elif turn.document not in done:
                done.add(turn.document)
                yield turn

    def _drawn(self, known: TopicGains) -> list[Turn]:
        """The sample in its order, without what was passed over."""
        held = ~known.passed[self._sample.documents]
        pairs = zip(self._sample.documents[held].tolist(), self._sample.weights[held].tolist(), strict=True)
        return [Turn(document, weight, "statap") for document, weight in pairs]


Arm = Literal["mtc", "statap", "both"]
Arms = Literal["both", "random"]
ARMS: tuple[Arm, ...] = get_args(Arm)


@dataclass(frozen=True)
class AlternatingOptions(MtcOptions):
    """MTC's options, and:

    size : how many documents of each topic are drawn
    arms : "both" or "random"; whether every topic is served by both, or each by MTC alone, by statAP alone
        or by both, as the lot falls
    """

    size: int = 40
    arms: Arms = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        StatapOptions(self.size)
        if self.arms not in get_args(Arms):
            raise ValueError(f"arms = {self.arms!r} is none of {', '.join(get_args(Arms))}")


class AlternatingMethod(Topicwise):
    """Topics are served in rounds; a queue's `sources` are "mtc" and "statap".

    Raises ValueError as `selection.methods.mtc.topic.mtc` does.
    """

    def __init__(self, setting: Setting, options: AlternatingOptions) -> None:
        self._options, self._part = options, taking_part(setting, options)
        super().__init__(setting, self._make, rounds=True)

    def drawn(self, topic: int) -> StatapSample | None:
        if arm_of(self._setting, topic, self._options) == "mtc":
            return None
        return sample_of(self._setting, topic, self._options.size)

    def asked_by_mtc(self, topic: int) -> tuple[int, ...]:
        """The judged documents that MTC came to, in its order, whether or not the sample has them too. In no
        particular order where MTC serves the topic alone."""
        state = self._states[topic]
        if isinstance(state, AlternatingTopic):
            return state.asked_by_mtc()
        alone = arm_of(self._setting, topic, self._options) == "mtc"
        return tuple(self._setting.judgments.judged_in(topic) if alone else ())

    def _make(self, setting: Setting, topic: int) -> TopicState:
        arm = arm_of(setting, topic, self._options)
        if arm == "mtc":
            return SingleArmTopic(MtcTopic(setting, topic, self._options, self._part), arm)
        order = statap_order(setting, topic, sample_of(setting, topic, self._options.size))
        if arm == "statap":
            return SingleArmTopic(FixedTopic(setting, topic, order), arm)
        return AlternatingTopic(setting, topic, self._options, order)


def arm_of(setting: Setting, topic: int, options: AlternatingOptions) -> Arm:
    """Methods that serve the topic; if the arms are random, a third of the topics each, by lot."""
    if options.arms == "both":
        return "both"
    return ARMS[setting.generator(topic, "arms").integers(len(ARMS))]


class SingleArmTopic:
    """A topic served by one of the two, which puts its name to what it serves."""

    def __init__(self, state: TopicState, name: str) -> None:
        self._state, self._name = state, name
        self.judged, self.remaining, self.explain = state.judged, state.remaining, state.explain

    def queue(self, limit: int, after: GainChange | None) -> Queue:
        queue = self._state.queue(limit, after)
        count = len(queue.documents)
        inclusion = np.full(count, np.nan) if queue.inclusion is None else queue.inclusion
        return Queue(queue.documents, queue.weights, inclusion, (self._name,) * count)
