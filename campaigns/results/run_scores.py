"""One run: its score ranges topic by topic, and which documents would narrow them most."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import BinaryField
from django.db.models.functions import Substr

from campaigns.log.current import grades_of
from campaigns.models import Campaign, Document, Interval, Priority, Ranking, Run
from campaigns.models.packed import DOCUMENT_IDS, unpack_ids, unpack_weights
from campaigns.results.score_ranges import UNKNOWN_BOUNDS
from evaluation.measures.bounds import projected_score

# Of a run's lists, what carries nearly all of its weight; fewer of them, and less of each, where there are
# many topics.
DEEP, MANY_TOPICS, SHALLOW = 1000, 500, 100


@dataclass(frozen=True)
class TopicScoreRange:
    topic: int
    number: str
    title: str
    base: float
    residual: float
    judged: int

    @property
    def top(self) -> float:
        return self.base + self.residual

    @property
    def projected(self) -> float:
        return float(projected_score(self.base, self.residual))


@dataclass(frozen=True)
class OpenDocument:
    """An unjudged document: what it can add at most to the run's mean, and where it stands in its topic's
    queue (None: not at its head)."""

    number: str
    docno: str
    title: str
    rank: int
    could_add: float
    position: int | None


def topic_score_ranges(
    *,
    campaign: Campaign,
    run: Run,
    judged: Mapping[int, tuple[int, int]],
    only: Collection[int] | None = None,
) -> list[TopicScoreRange]:
    """The widest first. `judged`: as of `judged_in`; `only`: of these topics."""
    rows, topics = Interval.objects.filter(run=run), campaign.topics.all()
    if only is not None:
        rows, topics = rows.filter(topic__in=only), topics.filter(id__in=only)
    bounds = rows.values_list("topic_id", "base", "residual")
    by_topic = {topic: (base, residual) for topic, base, residual in bounds}
    lines = [
        TopicScoreRange(id, number, title, *by_topic.get(id, UNKNOWN_BOUNDS), judged.get(id, (0, 0))[0])
        for id, number, title in topics.order_by("position").values_list("id", "number", "title")
    ]
    return sorted(lines, key=lambda line: -line.residual)


def most_open_documents(
    *, campaign: Campaign, run: Run, ranges: Sequence[TopicScoreRange], limit: int
) -> list[OpenDocument]:
    """The unjudged documents that leave most of the run's score open; of those that leave equally much,
    first what its topic serves first. `ranges`: all of `topic_score_ranges`; of very many, the lists of the
    `MANY_TOPICS` widest are read."""
    deep, total = len(ranges) <= MANY_TOPICS, len(ranges)
    topics = {line.topic: line.number for line in ranges[:MANY_TOPICS]}
    grades = grades_of(campaign=campaign, topics=list(topics))
    candidates: list[tuple[int, int, int]] = []
    for topic, ids in heads_of(run, list(topics), deep=deep):
        judged = np.isin(ids, list(grades.get(topic, {})))
        open_ = np.flatnonzero(~judged)[:limit]
        candidates += [(int(place) + 1, topic, int(ids[place])) for place in open_]
    candidates.sort()
    # Documents of the same rank as the last one that fits are looked at, too.
    last = candidates[limit - 1][0] if len(candidates) > limit else DEEP
    candidates = [row for row in candidates if row[0] <= last]
    positions = queue_positions({topic for _, topic, _ in candidates})
    far = 10**9
    candidates.sort(key=lambda row: (row[0], positions.get((row[1], row[2]), far)))
    candidates = candidates[:limit]
    documents = Document.objects.only("docno", "title").in_bulk([row[2] for row in candidates])
    return [
        OpenDocument(
            topics[topic],
            documents[document].docno,
            documents[document].title,
            rank,
            (1 - campaign.p) * campaign.p ** (rank - 1) / total,
            positions.get((topic, document)),
        )
        for rank, topic, document in candidates
    ]


def heads_of(run: Run, topics: Sequence[int], *, deep: bool) -> list[tuple[int, np.ndarray]]:
    size = DOCUMENT_IDS.itemsize * (DEEP if deep else SHALLOW)
    head = Substr("documents", 1, size, output_field=BinaryField())
    rows = Ranking.objects.filter(run=run, topic__in=topics).annotate(head=head)
    return [(topic, unpack_ids(head)) for topic, head in rows.values_list("topic_id", "head")]


def queue_positions(topics: set[int]) -> dict[tuple[int, int], int]:
    """Queue position by topic and document, as far as the queues are stored."""
    rows = Priority.objects.filter(topic__in=topics).values_list("topic_id", "documents", "weights")
    return {
        (topic, document): place
        for topic, documents, weights in rows
        for place, (document, weight) in enumerate(
            zip(unpack_ids(documents).tolist(), unpack_weights(weights).tolist(), strict=True), start=1
        )
        if weight > 0
    }
