"""One topic served by MTC and statAP in turn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from selection.acts import Act
from selection.framework.fixed import FixedOrder, FixedTopic
from selection.framework.interface import Explanation, Queue, Setting
from selection.methods.known import Known, known_of
from selection.methods.mtc.options import MtcOptions
from selection.methods.mtc_arm import MtcArm


class Turn(NamedTuple):
    document: int
    weight: float
    source: str


class AlternatingTopic:
    """One topic served by both. What one serves and the other has had judged already it is told at once.

    It is the turn of the one that was told of fewer judgments, MTC's if of as many. The queue goes on as if
    each judgment left MTC's order as it is: its weights are those of now. A document weighs what the one
    that serves it says, and the two scales are different.
    """

    def __init__(self, setting: Setting, topic: int, options: MtcOptions, sample: FixedOrder) -> None:
        self._setting, self._topic, self._sample = setting, topic, sample
        self._statap = FixedTopic(setting, topic, sample)
        self._mtc = MtcArm(setting, topic, options)
        self._inclusion = np.full(len(setting.pools[topic]), np.nan)
        self._inclusion[sample.documents] = sample.inclusion

    def judged(self, act: Act) -> bool:
        return True

    def queue(self, limit: int, after: Act | None) -> Queue:
        turns = list(islice(self._serve(limit, known_of(self._setting, self._topic, after)), limit))
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
        """As the one explains it that is to serve it; statAP, if none is."""
        known = known_of(self._setting, self._topic, None)
        turns = self._serve(len(known.passed), known)
        source = next((turn.source for turn in turns if turn.document == document), "statap")
        return (self._mtc if source == "mtc" else self._statap).explain(document)

    def asked_by_mtc(self) -> frozenset[int]:
        self._mtc.follow(known_of(self._setting, self._topic, None))
        return frozenset(self._mtc.asked)

    def _serve(self, limit: int, known: Known) -> Iterator[Turn]:
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
        told = {"mtc": len(self._mtc.asked), "statap": told_statap}
        done = set(known.gains)
        while turns:
            source = min(turns, key=told.__getitem__)
            told[source] += 1
            if (turn := next(turns[source], None)) is None:
                del turns[source]
            elif turn.document not in done:
                done.add(turn.document)
                yield turn

    def _drawn(self, known: Known) -> list[Turn]:
        """The sample in its order, without what was passed over."""
        held = ~known.passed[self._sample.documents]
        pairs = zip(self._sample.documents[held].tolist(), self._sample.weights[held].tolist(), strict=True)
        return [Turn(document, weight, "statap") for document, weight in pairs]
