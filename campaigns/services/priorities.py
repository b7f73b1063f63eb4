"""A topic's queue with the runs behind each document, and what other methods would serve: for programs."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.consistent import consistent_reads
from campaigns.models import Campaign, Run, Topic
from campaigns.services.explaining import (
    Alternative,
    Behind,
    Kept,
    QueueRow,
    QueueView,
    alternatives,
    kept_of,
    queue_of,
)


@dataclass(frozen=True)
class Priorities:
    """`behind`: one for each row of the queue, empty where no run ranks the document any more."""

    queue: QueueView
    behind: list[list[Behind]]
    alternatives: list[Alternative]


@consistent_reads()
def priorities_of(*, campaign: Campaign, topic: Topic, limit: int) -> Priorities:
    """As many queries for one document as for many: the campaign is read once."""
    queue = queue_of(campaign=campaign, topic=topic, limit=limit)
    if not queue.rows:
        return Priorities(queue, [], [])
    kept = kept_of(campaign, topic)
    tags = dict(Run.objects.filter(campaign=campaign).values_list("id", "tag"))
    behind = [_behind(kept, row, tags) for row in queue.rows]
    served = queue.rows[0].document_id
    others = alternatives(campaign=campaign, topic=topic, served=served, kept=kept)
    return Priorities(queue, behind, others)


def _behind(kept: Kept, row: QueueRow, tags: dict[int, str]) -> list[Behind]:
    place = kept.places.of(row.document_id)
    if place is None:
        return []
    found = kept.state.explain(kept.index, place)
    return [
        Behind(tags.get(kept.arrays.runs[run], ""), int(rank), float(share))
        for run, rank, share in zip(found.runs, found.ranks, found.shares, strict=True)
    ]
