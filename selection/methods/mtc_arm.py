"""MTC beside another method, knowing only the judgments of documents that it asked for itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evaluation.arrays import IntArray
from selection.acts import Act
from selection.framework.interface import Explanation, Queue, Setting
from selection.methods.known import Known, OwnJudgments
from selection.methods.mtc.options import MtcOptions
from selection.methods.mtc.topic import MtcTopic, taking_part
from selection.pools import Pools


class MtcArm:
    """One topic of MTC from nothing: it asks for its best document, is told the gain if anybody judged it,
    weighs anew, and so on until it asks for one that is not judged.

    asked : the judged documents that it came to, in that order

    What is known may change in any way between calls: `follow` takes back what was told from the first
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

    def follow(self, known: Known) -> None:
        self._take_back(self._agreeing(known))
        newly, back = known.passed & ~self._own.passed, self._own.passed & ~known.passed
        if back.any():
            # MTC reckons with none that was out coming back, unless it weighs anew: here, after no change.
            self._mtc.judged(Act(0, int(back.argmax()), None, None))
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

    def _agreeing(self, known: Known) -> int:
        """Up to where it would ask for the same documents again and be told the same."""
        own = self._own.judged_in(0)
        steps = enumerate(self.asked)
        differs = (step for step, document in steps if known.gains.get(document) != own[document])
        back = self._own.passed & ~known.passed
        return min(next(differs, len(self.asked)), int(self._since[back].min(initial=len(self.asked))))

    def _take_back(self, kept: int) -> None:
        while len(self.asked) > kept:
            document = self.asked.pop()
            self._tell(document, self._own.gain(0, document), None)

    def _tell(self, document: int, before: float | None, after: float | None) -> None:
        self._own.set(0, document, after)
        self._mtc.judged(Act(0, document, before, after))
