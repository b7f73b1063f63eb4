"""A worker's copy of a campaign: a fold over the judgment log, which can catch up or be rebuilt from rows.

It computes; `computing/phases.py` writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import repeat
from math import isnan

import numpy as np

from campaigns.collection.rankings import DocnoOrder
from campaigns.computing.arrays import ActRow, CampaignArrays, load_campaign, read_log
from campaigns.computing.lookahead import Successors
from campaigns.computing.scores import CampaignScores
from campaigns.computing.topic_methods import Plan, load_plan, make_state
from campaigns.log.current import Opinion, grade_by, scale_of
from campaigns.models import Campaign
from selection.cache import LruCache
from selection.framework.interface import Queue
from selection.state import CampaignState

# Documents of which the place in their pool is at hand, 8 bytes each.
PLACES = 4_000_000

# Bytes of a document's place and its opinions, and of what even a small campaign takes.
OPINION_SIZE, SMALLEST_SIZE = 900, 2_000_000

# By assessor for one document: the latest act of each, with its place in the log.
Opinions = dict[int, Opinion]


@dataclass
class LiveChange:
    """The pool topics that a catch-up touched, and the (topic, run) cells whose bounds moved."""

    topics: set[int] = field(default_factory=set)
    cells: set[tuple[int, int]] = field(default_factory=set)
    acts: list[ActRow] = field(default_factory=list)

    def add(self, other: LiveChange) -> None:
        """`other` came after this."""
        self.topics |= other.topics
        self.cells |= other.cells
        self.acts += other.acts


@dataclass
class TopicTally:
    """Counts of a topic's documents that have a grade, and of those that are relevant."""

    judged: int = 0
    relevant: int = 0

    def move(self, before: float | None, after: float | None, threshold: float) -> None:
        self.judged += (after is not None) - (before is not None)
        self.relevant += ((after or 0.0) > threshold) - ((before or 0.0) > threshold)


class LiveCampaign:
    def __init__(self, campaign: Campaign, plan: Plan, arrays: CampaignArrays, order: DocnoOrder) -> None:
        self.campaign_id = campaign.id
        self.configuration = campaign.configuration
        self.arrays, self.plan, self.order = arrays, plan, order
        self.applied = 0
        self.state = make_state(campaign, plan, arrays)
        self.scope, self.seed = campaign.scope, campaign.seed
        # Assessors whose judgments do not count, each with a topic, or None for all.
        self.excluded: set[tuple[int, int | None]] = set()
        if campaign.exclusion_changes:
            self.excluded = set(campaign.exclusions.values_list("assessor_id", "topic_id"))
        self._policy, self._scale = campaign.policy, scale_of(campaign)
        # Whether unjudged documents have gain 0 in topics that have a judgment.
        self.assumes_not_relevant = campaign.unjudged_not_relevant
        self._gain_of, self._threshold = campaign.gain_of, campaign.threshold
        # Batches end after so many acts: then the order in which acts are applied matters.
        self._in_order = campaign.batch > 1
        self._topic_at = {topic: index for index, topic in enumerate(arrays.topics)}
        self._places: LruCache[int, PoolPlaces] = LruCache(
            lambda topic: PoolPlaces(arrays.pools[topic].documents),
            lambda _, places: len(places) + 100,
            PLACES,
        )
        self._opinions: dict[tuple[int, int], Opinions] = {}
        self._scored: tuple[int, CampaignState] | None = None
        self.tally: defaultdict[int, TopicTally] = defaultdict(TopicTally)

    @classmethod
    def from_rows(cls, campaign: Campaign) -> LiveCampaign:
        plan, order = load_plan(campaign), DocnoOrder(campaign.collection_id)
        arrays = load_campaign(
            campaign, topics=plan.topics, whole_collection=plan.whole_collection, sort_key=order
        )
        return cls(campaign, plan, arrays, order)

    def catch_up(self, *, known: int, until: int | None = None) -> LiveChange:
        """Apply every committed act not applied yet, or those up to `until`; the change holds those after
        `known`."""
        return self.fold(self.read_log(until=until), known=known)

    def read_log(self, *, until: int | None, topic: int | None = None) -> Iterable[ActRow]:
        """The acts that are not applied yet, of one topic if it is given."""
        return read_log(
            self.campaign_id, after=self.applied, until=until, topic=topic, exclusions=bool(self.excluded)
        )

    def fold(self, acts: Iterable[ActRow], *, known: int) -> LiveChange:
        """The same of acts that were read: those that follow what is applied."""
        change, old = LiveChange(), LiveChange()
        if self._in_order:
            for act in acts:
                document = self._note(act, change if act.sequence > known else old)
                self._apply([document], change if act.sequence > known else old)
            return change
        # Topic by topic: a pool that is not in memory is read once, not for each of its acts.
        touched: dict[tuple[int, int], LiveChange] = {}
        for act in acts:
            new = act.sequence > known
            document = self._note(act, change if new else old)
            if new or document not in touched:
                touched[document] = change if new else old
        for part in (old, change):
            self._apply(sorted(document for document, of in touched.items() if of is part), part)
        return change

    def _note(self, act: ActRow, change: LiveChange) -> tuple[int, int]:
        """Record an act: the assessor's opinion on the document."""
        self.applied = act.sequence
        change.acts.append(act)
        opinions = self._opinions.setdefault((act.topic, act.document), {})
        before, tally = self._gain(opinions), self.tally[act.topic]
        note_opinion(opinions, act)
        begun = tally.judged > 0
        tally.move(before, self._gain(opinions), self._threshold)
        topic = self._topic_at.get(act.topic)
        if self.assumes_not_relevant and topic is not None and begun != (tally.judged > 0):
            # Every run's residual there is gone, or back.
            change.cells.update((topic, run) for run in range(len(self.arrays.runs)))
        return act.topic, act.document

    def _apply(self, documents: Iterable[tuple[int, int]], change: LiveChange) -> None:
        for topic_id, document_id in documents:
            topic, document = self._topic_at.get(topic_id), self.place(topic_id, document_id)
            if topic is None:
                continue
            # Also where no run ranks the document: the topic's queue is right up to here.
            change.topics.add(topic)
            if document is None:
                continue
            opinions = self._opinions[topic_id, document_id]
            self.state.setting.judgments.note_searched(topic, document, is_searched(opinions))
            touched = self.state.judge(topic, document, self._gain(opinions))
            change.cells.update(zip(repeat(topic), np.asarray(touched).tolist(), strict=False))

    def topic_index(self, topic: int) -> int | None:
        return self._topic_at.get(topic)

    def place(self, topic: int, document: int) -> int | None:
        """A document's index in its topic's pool, None where no run ranks it."""
        index = self._topic_at.get(topic)
        return None if index is None else self._places[index].of(document)

    def _gain(self, opinions: Opinions) -> float | None:
        grade = grade_by(self._policy, opinions.values(), self._scale)
        return None if grade is None else self._gain_of(grade)

    def relevance(self) -> dict[int, dict[int, bool]]:
        """Return whether each graded document is relevant, by topic and document id."""
        by_topic: dict[int, dict[int, bool]] = {}
        for (topic, document), opinions in self._opinions.items():
            gain = self._gain(opinions)
            if gain is not None:
                by_topic.setdefault(topic, {})[document] = gain > self._threshold
        return by_topic

    def has_opinion(self, topic: int, document: int) -> bool:
        """Return whether any assessor's act on the document stands, by their ids."""
        return bool(self._opinions.get((topic, document)))

    @property
    def size(self) -> int:
        """About how many bytes it takes, or may take once all pools are read that there is room for."""
        opinions = OPINION_SIZE * len(self._opinions)
        return SMALLEST_SIZE + self.arrays.pools.size + self.order.size + opinions

    @property
    def judged(self) -> int:
        return sum(tally.judged for tally in self.tally.values())

    @property
    def relevant(self) -> int:
        return sum(tally.relevant for tally in self.tally.values())

    @property
    def _begun(self) -> list[int]:
        """Topics with a judgment, by index."""
        return [
            place
            for topic, tally in self.tally.items()
            if tally.judged and (place := self._topic_at.get(topic)) is not None
        ]

    @property
    def scored_state(self) -> CampaignState:
        """The basis of scores and predictions: `state`, but for the campaign's setting on unjudged
        documents. Nothing is served from it."""
        if not self.assumes_not_relevant:
            return self.state
        if self._scored is None or self._scored[0] != self.applied:
            self._scored = self.applied, self.state.assuming_not_relevant(self._begun)
        return self._scored[1]

    @property
    def scores(self) -> CampaignScores:
        bounds = self.state.setting.bounds
        if self.assumes_not_relevant:
            bounds = bounds.without_residual(self._begun)
        return CampaignScores(self.campaign_id, self.arrays, bounds, self.applied, self.judged, self.relevant)

    def documents(self, topic: int, queue: Queue) -> list[int]:
        return [int(document) for document in self.arrays.pools[topic].documents[queue.documents]]

    def lookahead(self, topic: int, document: int, limit: int, *, assessor: int) -> dict[str, Successors]:
        """The queues that would follow each grade this assessor may give the document; "" is no grade at all.
        What others said of it, and the campaign's policy, decide what its grade is then."""
        place = self.arrays.topics[topic], int(self.arrays.pools[topic].documents[document])
        others = {who: what for who, what in self._opinions.get(place, {}).items() if who != assessor}
        outcomes: dict[str, int | None] = {**{str(grade): grade for grade in self._scale}, "": None}
        counts = not {(assessor, None), (assessor, place[0])} & self.excluded
        return {
            name: self._successors(
                topic, self.state.queue(topic, limit, after=(document, self._gain(would_be)))
            )
            for name, grade in outcomes.items()
            for would_be in ({**others, assessor: Opinion(self.applied + 1, grade)} if counts else others,)
        }

    def _successors(self, topic: int, queue: Queue) -> Successors:
        inclusion = [] if queue.inclusion is None else queue.inclusion.tolist()
        return Successors(
            self.documents(topic, queue),
            inclusion=[None if isnan(chance) else chance for chance in inclusion],
            sources=queue.sources or (),
        )


def note_opinion(opinions: Opinions, act: ActRow) -> None:
    if act.excluded:
        return
    if act.undo:
        opinions.pop(act.assessor, None)
    else:
        opinions[act.assessor] = Opinion(act.sequence, act.grade, act.adjudication, act.searched)


def is_searched(opinions: Opinions) -> bool:
    """Return whether the document was only ever found by search; a decision between others found nothing."""
    return any(one.searched for one in opinions.values()) and all(
        one.searched or one.adjudication for one in opinions.values()
    )


class PoolPlaces:
    """Document id → pool index by binary search: a dict of a million ids would cost 100 MB."""

    def __init__(self, documents: np.ndarray) -> None:
        self._by_id = np.argsort(documents, kind="stable").astype(np.int32)
        self._ids = documents[self._by_id]

    def __len__(self) -> int:
        return len(self._ids)

    def of(self, document: int) -> int | None:
        at = int(np.searchsorted(self._ids, document))
        if at == len(self._ids) or self._ids[at] != document:
            return None
        return int(self._by_id[at])
