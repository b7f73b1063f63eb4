"""A worker's copy of a campaign: a fold over the judgment log that can always catch up, or be made
again from rows. It computes; `services/computing.py` writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from campaigns.arrays import Act, CampaignArrays, load_campaign, read_log
from campaigns.models import Campaign
from campaigns.models.campaign import Scope
from selection.state import CampaignState, Queue

# Grade by assessor for one document: the latest act of each, with its place in the log.
Opinions = dict[int, tuple[int, int | None]]


@dataclass
class Change:
    """What a catch-up touched: pool topics, and the (topic, run) cells whose bounds moved."""

    topics: set[int] = field(default_factory=set)
    cells: set[tuple[int, int]] = field(default_factory=set)
    acts: list[Act] = field(default_factory=list)


@dataclass
class Tally:
    """How many documents of a topic have a grade, and how many of them a positive gain."""

    judged: int = 0
    relevant: int = 0

    def move(self, before: float | None, after: float | None) -> None:
        self.judged += (after is not None) - (before is not None)
        self.relevant += ((after or 0.0) > 0) - ((before or 0.0) > 0)


class LiveCampaign:
    def __init__(self, campaign: Campaign, arrays: CampaignArrays) -> None:
        self.campaign_id = campaign.id
        self.configuration = campaign.configuration
        self.arrays = arrays
        self.applied = 0
        self.state = CampaignState(
            arrays.pools,
            runs=len(arrays.runs),
            p=campaign.p,
            method=campaign.method,
            scope="campaign" if campaign.scope == Scope.CAMPAIGN else "topic",
            contributing=arrays.contributing,
            batch=campaign.batch,
        )
        self.scope = campaign.scope
        self._gain_of = campaign.gain_of
        self.gains: dict[str, float] = {str(row["grade"]): float(row["gain"]) for row in campaign.grades}
        self._topic_at = {topic: index for index, topic in enumerate(arrays.topics)}
        self._places = [_Places(pool.documents) for pool in arrays.pools]
        self._opinions: dict[tuple[int, int], Opinions] = {}
        self.tally: defaultdict[int, Tally] = defaultdict(Tally)

    @classmethod
    def from_rows(cls, campaign: Campaign) -> LiveCampaign:
        return cls(campaign, load_campaign(campaign))

    def catch_up(self, *, known: int) -> Change:
        """Apply every committed act not applied yet; the change holds those after `known`."""
        change, old = Change(), Change()
        for act in read_log(self.campaign_id, after=self.applied):
            self._apply(act, change if act.sequence > known else old)
        return change

    def _apply(self, act: Act, change: Change) -> None:
        self.applied = act.sequence
        change.acts.append(act)
        opinions = self._opinions.setdefault((act.topic, act.document), {})
        before = self._gain(opinions)
        if act.undo:
            opinions.pop(act.assessor, None)
        else:
            opinions[act.assessor] = (act.sequence, act.grade)
        gain = self._gain(opinions)
        self.tally[act.topic].move(before, gain)
        topic = self._topic_at.get(act.topic)
        document = self.place(act.topic, act.document)
        if topic is None or document is None:
            return
        touched = self.state.judge(topic, document, gain)
        change.topics.add(topic)
        change.cells.update((topic, int(run)) for run in touched)

    def topic_index(self, topic: int) -> int | None:
        return self._topic_at.get(topic)

    def place(self, topic: int, document: int) -> int | None:
        """A document's index in its topic's pool, None where no run ranks it."""
        index = self._topic_at.get(topic)
        return None if index is None else self._places[index].of(document)

    def _gain(self, opinions: Opinions) -> float | None:
        grade = current_grade(opinions.values())
        return None if grade is None else self._gain_of(grade)

    @property
    def judged(self) -> int:
        return sum(tally.judged for tally in self.tally.values())

    @property
    def relevant(self) -> int:
        return sum(tally.relevant for tally in self.tally.values())

    def documents(self, topic: int, queue: Queue) -> list[int]:
        return [int(document) for document in self.arrays.pools[topic].documents[queue.documents]]

    def lookahead(self, topic: int, document: int, limit: int) -> dict[str, list[int]]:
        """The documents that would follow each possible grade of this one; "" is no grade at all."""
        outcomes: dict[str, float | None] = {**self.gains, "": None}
        return {
            grade: self.documents(topic, self.state.queue(topic, limit, after=(document, gain)))
            for grade, gain in outcomes.items()
        }


def current_grade(opinions: Iterable[tuple[int, int | None]]) -> int | None:
    """The document's grade: the latest graded act among the assessors' current ones."""
    graded = [(sequence, grade) for sequence, grade in opinions if grade is not None]
    return max(graded)[1] if graded else None


class _Places:
    """Document id → pool index by binary search: a dict of a million ids would cost 100 MB."""

    def __init__(self, documents: np.ndarray) -> None:
        self._by_id = np.argsort(documents, kind="stable").astype(np.int32)
        self._ids = documents[self._by_id]

    def of(self, document: int) -> int | None:
        at = int(np.searchsorted(self._ids, document))
        if at == len(self._ids) or self._ids[at] != document:
            return None
        return int(self._by_id[at])
