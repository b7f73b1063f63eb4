"""MTC and statAP side by side, neither knowing what the other was told (Carterette et al. 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from selection.acts import Act
from selection.framework.drawn import Drawn
from selection.framework.fixed import FixedTopic
from selection.framework.interface import Queue, Setting
from selection.framework.topicwise import TopicState, Topicwise
from selection.methods.alternating_topic import AlternatingTopic
from selection.methods.drawing import sample_of
from selection.methods.mtc.options import MtcOptions
from selection.methods.mtc.topic import MtcTopic, taking_part
from selection.methods.statap import StatapOptions, statap_order

Arm = Literal["mtc", "statap", "both"]
Arms = Literal["both", "random"]
ARMS: tuple[Arm, ...] = get_args(Arm)


@dataclass(frozen=True)
class AlternatingOptions(MtcOptions):
    """What MTC can be told, and:

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


class Alternating(Topicwise):
    """Topics are served in rounds; a queue's `sources` are "mtc" and "statap".

    Raises ValueError as `selection.methods.mtc.topic.mtc` does.
    """

    def __init__(self, setting: Setting, options: AlternatingOptions) -> None:
        self._options, self._part = options, taking_part(setting, options)
        super().__init__(setting, self._make, rounds=True)

    def drawn(self, topic: int) -> Drawn | None:
        if arm_of(self._setting, topic, self._options) == "mtc":
            return None
        return sample_of(self._setting, topic, self._options.size)

    def asked_by_mtc(self, topic: int) -> frozenset[int]:
        """The judged documents that MTC came to, whether or not the sample has them too."""
        state = self._states[topic]
        if isinstance(state, AlternatingTopic):
            return state.asked_by_mtc()
        alone = arm_of(self._setting, topic, self._options) == "mtc"
        return frozenset(self._setting.judgments.judged_in(topic) if alone else ())

    def _make(self, setting: Setting, topic: int) -> TopicState:
        arm = arm_of(setting, topic, self._options)
        if arm == "mtc":
            return Signed(MtcTopic(setting, topic, self._options, self._part), arm)
        order = statap_order(setting, topic, self._options.size)
        if arm == "statap":
            return Signed(FixedTopic(setting, topic, order), arm)
        return AlternatingTopic(setting, topic, self._options, order)


def arm_of(setting: Setting, topic: int, options: AlternatingOptions) -> Arm:
    """Which methods serve the topic; a third of the topics each, by lot, if the arms are random."""
    if options.arms == "both":
        return "both"
    return ARMS[setting.generator(topic, "arms").integers(len(ARMS))]


class Signed:
    """A topic served by one of the two, which puts its name to what it serves."""

    def __init__(self, state: TopicState, name: str) -> None:
        self._state, self._name = state, name
        self.judged, self.remaining, self.explain = state.judged, state.remaining, state.explain

    def queue(self, limit: int, after: Act | None) -> Queue:
        found = self._state.queue(limit, after)
        count = len(found.documents)
        inclusion = np.full(count, np.nan) if found.inclusion is None else found.inclusion
        return Queue(found.documents, found.weights, inclusion, (self._name,) * count)
