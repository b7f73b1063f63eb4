"""Selection on a judged collection: the state of its judgments so far, and the documents to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import NamedTuple

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.formats.qrels import Grade
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from evaluation.arrays import BoolArray, IntArray
from evaluation.name_suggestions import nearest_name, or_all
from selection.bounds import RunBounds
from selection.framework.interface import Queue, SelectionScope
from selection.pool import Pools, build_topic_pool
from selection.randomness import topic_key
from selection.registry import check_options, method_entry
from selection.specification import CampaignSpec
from selection.state import CampaignState

NOT_POOLED = -1


class ServedDocument(NamedTuple):
    """A document to judge. `weight`: what the method chose it by, which compares within the method only.
    `inclusion`: the probability with which it was drawn, None where nothing is drawn."""

    topic: str
    docno: str
    weight: float
    inclusion: float | None = None


@dataclass(frozen=True)
class SelectionPlan:
    """A method with its options; `p` is the persistence of RBP, inside (0, 1)."""

    method: str
    p: float = 0.8
    scope: SelectionScope = "campaign"
    options: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown method or option, and numbers outside their range."""
        check_options(self.method, self.options)
        if not 0 < self.p < 1:
            raise ValueError(f"p = {self.p} is outside (0, 1)")
        if self.seed < 0:
            raise ValueError(f"seed = {self.seed} is below 0")


@dataclass(frozen=True, eq=False)
class Selection:
    """A campaign whose first judgments are those of a collection; `judge` takes further ones."""

    collection: JudgedCollection
    grading: Grading
    plan: SelectionPlan
    contributing: BoolArray
    groups: IntArray | None = None

    @cached_property
    def state(self) -> CampaignState:
        pools = Pools.of(
            [
                build_topic_pool(topic.rankings, self.plan.p, self.contributing)
                for topic in self.collection.topics
            ]
        )
        state = CampaignState(
            pools,
            CampaignSpec(
                runs=len(self.collection.runs),
                p=self.plan.p,
                method=self.plan.method,
                scope=self.plan.scope,
                contributing=self.contributing,
                groups=self.groups,
                options=self.plan.options,
                seed=self.plan.seed,
                keys=[topic_key(topic.number) for topic in self.collection.topics],
            ),
        )
        if self.collection.judged:
            bounds, gains = self._judged_so_far(pools)
            state.restore(bounds.base, bounds.residual, gains)
        return state

    def _judged_so_far(self, pools: Pools) -> tuple[RunBounds, dict[int, dict[int, float]]]:
        """Bounds of all runs, and gains by pool index."""
        bounds = RunBounds(pools, len(self.collection.runs), self.plan.p)
        by_topic = {}
        for place, topic in enumerate(self.collection.topics):
            gains = topic.gains(self.grading)
            judged = np.flatnonzero(~np.isnan(gains)).astype(np.int32)
            bounds.score(place, topic.rankings, judged, gains[judged])
            in_pool = gains[pools[place].documents]
            by_topic[place] = {at: float(in_pool[at]) for at in np.flatnonzero(~np.isnan(in_pool)).tolist()}
        return bounds, by_topic

    def best(self) -> ServedDocument | None:
        """The campaign's next document; None if there is none left."""
        choice = self.state.best()
        return None if choice is None else self._served(choice.topic, choice.document, choice.weight)

    def next(self, number: int, per_topic: int | None, topics: Sequence[str]) -> list[ServedDocument]:
        """The next `number` documents of these topics together, or `per_topic` of each; of all if no topic is
        named. ValueError for a topic that there is not."""
        if per_topic is not None:
            every = topics or [topic.number for topic in self.collection.topics]
            return [one for topic in every for one in self.in_topic(topic, per_topic)]
        return self.in_campaign(number, topics)

    def in_topic(self, number: str, limit: int) -> list[ServedDocument]:
        """The topic's next documents, at most `limit`; ValueError for a topic that there is not."""
        topic = self.topic_place(number)
        return list(self._named(topic, self.state.queue(topic, limit)))

    def in_campaign(self, limit: int, topics: Sequence[str] = ()) -> list[ServedDocument]:
        """The next documents of these topics, or all, at most `limit`, as if none were judged meanwhile."""
        places = sorted(set(map(self.topic_place, topics))) or list(range(len(self.collection.topics)))
        in_turns = self.plan.scope in method_entry(self.plan.method).rounds
        return list(islice(self._in_turns(places, limit) if in_turns else self._by_weight(places), limit))

    def _by_weight(self, topics: Sequence[int]) -> Iterator[ServedDocument]:
        left = self.state.copy()
        for topic in set(range(len(left.pools))) - set(topics):
            left.close(topic)
        while (choice := left.best()) is not None:
            yield self._served(choice.topic, choice.document, choice.weight)
            left.pass_over(choice.topic, choice.document)

    def _in_turns(self, topics: Sequence[int], limit: int) -> Iterator[ServedDocument]:
        """Weights do not compare across topics: the one with the fewest documents so far is next."""
        counts = [(len(self.state.setting.judgments.judged_in(topic)), topic) for topic in topics]
        queues = {topic: self._named(topic, self.state.queue(topic, limit)) for topic in topics}
        heapify(counts)
        while counts:
            count, topic = heappop(counts)
            if (served := next(queues[topic], None)) is not None:
                yield served
                heappush(counts, (count + 1, topic))

    def judge(self, number: str, docno: str, grade: Grade | None) -> None:
        """Take a judgment; None takes it back. ValueError for a topic or document that no run ranks, and a
        grade without a gain."""
        topic, document = self.topic_place(number), self.document_place(number, docno)
        if grade is not None and (wrong := self.grading.lacks(grade)):
            raise ValueError(wrong)
        self.state.judge(topic, document, None if grade is None else self.grading.gain(grade))

    def explain(self, number: str, docno: str) -> Iterator[tuple[str, int, float]]:
        """Each run that asks for a document, its rank and its share of the weight, the largest first."""
        why = self.state.explain(self.topic_place(number), self.document_place(number, docno))
        shares = zip(why.runs.tolist(), why.ranks.tolist(), why.shares.tolist(), strict=True)
        return ((self.collection.runs[run], rank, share) for run, rank, share in shares)

    def topic_place(self, number: str) -> int:
        if number not in self._topics:
            near = or_all(nearest_name(number, self._topics), ", ".join(list(self._topics)[:10]))
            raise ValueError(f"no topic is called {number!r}; {near}")
        return self._topics[number]

    def document_place(self, number: str, docno: str) -> int:
        """Index in the topic's pool."""
        topic = self.topic_place(number)
        _, ids = self.collection.topics[topic].places([docno])
        document = int(self._places(topic)[ids[0]]) if ids else NOT_POOLED
        if document == NOT_POOLED:
            raise ValueError(f"no run ranks {docno!r} in topic {number}")
        return document

    @cached_property
    def _topics(self) -> dict[str, int]:
        return {topic.number: place for place, topic in enumerate(self.collection.topics)}

    def _places(self, topic: int) -> IntArray:
        """The pool index of each document by its id."""
        if topic not in self._places_known:
            documents = self.state.pools[topic].documents
            places = np.full(len(self.collection.topics[topic].docnos), NOT_POOLED)
            places[documents] = np.arange(len(documents))
            self._places_known[topic] = places
        return self._places_known[topic]

    @cached_property
    def _places_known(self) -> dict[int, IntArray]:
        return {}

    def _named(self, topic: int, queue: Queue) -> Iterator[ServedDocument]:
        return (self._of_queue(topic, queue, at) for at in range(len(queue.documents)))

    def _of_queue(self, topic: int, queue: Queue, at: int) -> ServedDocument:
        inclusion = None if queue.inclusion is None else float(queue.inclusion[at])
        return self._served(topic, int(queue.documents[at]), float(queue.weights[at]), inclusion)

    def _served(
        self, topic: int, document: int, weight: float, inclusion: float | None = None
    ) -> ServedDocument:
        known: JudgedTopic = self.collection.topics[topic]
        docno = known.docnos[self.state.pools[topic].documents[document]]
        return ServedDocument(known.number, docno, weight, inclusion)
