"""What one of two methods that serve a topic side by side knows of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray
from selection.acts import Act
from selection.framework.interface import Setting
from selection.judgments import Judgments
from selection.pools import Pools


@dataclass(frozen=True, eq=False)
class Known:
    """A topic's current gains by pool index, and what was passed over without a judgment (n,)."""

    gains: Mapping[int, float]
    passed: BoolArray


def known_of(setting: Setting, topic: int, after: Act | None) -> Known:
    """As things stand, or as they would after an act."""
    gains = setting.judgments.judged_in(topic)
    if after is not None:
        gains = {document: gain for document, gain in gains.items() if document != after.document}
        if after.after is not None:
            gains[after.document] = after.after
    passed = setting.judgments.out_after(topic, after).copy()
    passed[np.fromiter(gains, dtype=np.int64)] = False
    return Known(gains, passed)


class OwnJudgments(Judgments):
    """One topic's judgments, of the documents only that the method asked for; the topic's index is 0.

    passed : bool (n,), what it may not ask for besides
    """

    def __init__(self, setting: Setting, topic: int) -> None:
        super().__init__(Pools.of([setting.pools[topic]]), setting.contributing)
        self.passed: BoolArray = np.zeros(len(setting.pools[topic]), dtype=np.bool_)

    def out_of(self, topic: int) -> BoolArray:
        return super().out_of(topic) | self.passed
