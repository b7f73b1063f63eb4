"""Probes: a share of each topic's judgments goes to documents drawn at random instead of the method's own
choice. They show how much relevance the method overlooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import numpy as np

from evaluation.arrays import IntArray
from selection.cache import LruCache
from selection.framework.interface import (
    PROBE,
    Explanation,
    NextDocument,
    Queue,
    SelectionMethod,
    Setting,
    make_explanation,
)
from selection.judgments import GainChange
from selection.methods.random import pooled_indices, random_numbers

# Deeper documents hardly move a score, and most of them are not relevant: probing them would show little.
PROBE_DEPTH = 20
MOST_PROBES = 0.3
# How far ahead `explain` looks for probes: as far as queues are stored.
EXPLAINED_AHEAD = 256
# Documents of kept orders, 8 bytes each.
ORDER_CACHE_SIZE = 2_000_000


@dataclass(frozen=True)
class ProbeOptions:
    """probe_share : share of each topic's judgments that go to probes, 0 to 0.3"""

    probe_share: float = 0.0

    def __post_init__(self) -> None:
        check_probe_share(self.probe_share)


def check_probe_share(share: float) -> None:
    """Raise ValueError if it is outside [0, 0.3]."""
    if not 0 <= share <= MOST_PROBES:
        raise ValueError(f"probe_share = {share} is outside [0, {MOST_PROBES}]")


@dataclass(frozen=True, eq=False)
class TopicProbes:
    """One topic's probes.

    order : int64 (k,), pool indices of what a contributing run ranks among its first `PROBE_DEPTH`, shuffled
    share : the share of judgments that are probes
    start : uniform in [0, 1), so that the share is right on average even where topics have one judgment each
    """

    order: IntArray
    share: Fraction
    start: Fraction

    def among(self, judgments: int) -> int:
        """How many of a topic's first judgments are probes: above n share - 1 and below n share + 1."""
        return floor(judgments * self.share + self.start)

    def is_due(self, judged: int) -> bool:
        """Whether the judgment after so many others is a probe."""
        return self.among(judged + 1) > self.among(judged)

    def judgments_until(self, judged: int, probes: int) -> int:
        """How many more judgments it takes until so many more probes are made."""
        return ceil((self.among(judged) + probes - self.start) / self.share) - judged


def topic_probes(setting: Setting, topic: int, share: float) -> TopicProbes:
    """A document's place depends on its id alone, so that a run uploaded late adds its documents between the
    others and leaves these in their order."""
    generator = setting.generator(topic, PROBE)
    numbers_from = int(generator.integers(2**64, dtype=np.uint64))
    start = Fraction(int(generator.integers(2**53)), 2**53)
    pool = setting.pools[topic]
    documents = pooled_indices(pool, setting.contributing, PROBE_DEPTH)
    numbers = random_numbers(pool.documents[documents] - setting.origin, numbers_from)
    # The share as it is written: 0.1 is a tenth, which no float is.
    return TopicProbes(documents[np.argsort(-numbers, kind="stable")], Fraction(str(share)), start)


class ProbedMethod:
    """A method some of whose turns go to probes. It still decides which topic is next.

    A topic's next judgment is a probe, or not, by how many of its documents are judged
    (`TopicProbes.is_due`). The probe is the first of the topic's random order that may still be chosen. Given
    everything judged so far, each such document is equally likely to come. Where there is none left, the
    method chooses.

    A probe weighs as much as the document that the method would have chosen instead. A queue's `sources` are
    "probe" and the method's name.
    """

    def __init__(self, name: str, method: SelectionMethod, setting: Setting, share: float) -> None:
        """`share` in (0, 0.3]; `method` may serve every document that a contributing run ranks."""
        self._name, self._method, self._setting = name, method, setting
        self._probes: LruCache[int, TopicProbes] = LruCache(
            lambda topic: topic_probes(setting, topic, share),
            lambda _, probes: len(probes.order) + 100,
            ORDER_CACHE_SIZE,
        )

    def judged(self, act: GainChange) -> None:
        self._method.judged(act)

    def best(self) -> NextDocument | None:
        choice = self._method.best()
        if choice is None or not self._probes[choice.topic].is_due(self._judged(choice.topic, None)):
            return choice
        probes = self._open(choice.topic, None)
        return replace(choice, document=int(probes[0])) if len(probes) else choice

    def queue(self, topic: int, limit: int, after: GainChange | None) -> Queue:
        # As many of its own are enough: a probe only takes the turn of one of them.
        own = self._method.queue(topic, limit, after)
        served = list(self._serve(topic, own.documents, after))
        documents = np.array([document for document, _, _ in served], dtype=np.int64)
        weights = own.weights[[place for _, place, _ in served]]
        return Queue(documents, weights, sources=tuple(source for *_, source in served))

    def remaining(self, topic: int) -> int:
        """Probes are among the method's own documents."""
        return self._method.remaining(topic)

    def explain(self, topic: int, document: int) -> Explanation:
        """No run has a share in a probe."""
        weight = self._weight_as_probe(topic, document)
        if weight is None:
            return self._method.explain(topic, document)
        runs, ranks = self._setting.pools[topic].occurrences(document)
        why = make_explanation(self._setting, runs, ranks, np.zeros(len(runs)), weight)
        return replace(why, source=PROBE)

    def _serve(self, topic: int, own: IntArray, after: GainChange | None) -> Iterator[tuple[int, int, str]]:
        """Document, the place in `own` of the one that it comes before or is, and who serves it; as many as
        there are in `own`."""
        due, judged = self._probes[topic].is_due, self._judged(topic, after)
        choices, probes = own.tolist(), iter(self._open(topic, after).tolist())
        done: set[int] = set()
        place = 0
        for turn in range(len(choices)):
            while choices[place] in done:
                place += 1
            document, source = choices[place], self._name
            if due(judged + turn):
                probe = next((one for one in probes if one not in done), None)
                if probe is not None:
                    document, source = probe, PROBE
            done.add(document)
            yield document, place, source

    def _open(self, topic: int, after: GainChange | None) -> IntArray:
        """Pool indices that may still be chosen, in random order."""
        order, out = self._probes[topic].order, self._setting.judgments.out_after(topic, after)
        return order[~out[order]]

    def _judged(self, topic: int, after: GainChange | None) -> int:
        """How many of the topic's documents are judged, or would be."""
        count = len(self._setting.judgments.judged_in(topic))
        return count if after is None else count + (after.after is not None) - (after.before is not None)

    def _weight_as_probe(self, topic: int, document: int) -> float | None:
        """None for a document that is not to be served as a probe, as far as is looked ahead."""
        at = np.flatnonzero(self._open(topic, None) == document)
        if not len(at):
            return None
        # It comes with that probe, or with an earlier one if the method chose some of those before it.
        latest = self._probes[topic].judgments_until(self._judged(topic, None), int(at[0]) + 1)
        queue = self.queue(topic, min(latest, EXPLAINED_AHEAD), None)
        place = np.flatnonzero(queue.documents == document)
        if not len(place) or queue.sources is None or queue.sources[place[0]] != PROBE:
            return None
        return float(queue.weights[place[0]])
