"""A topic's queue with the runs behind each document, and what other methods would serve: for programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from campaigns.core.database import consistent_reads
from campaigns.models import Campaign, Run, Topic
from campaigns.results.queues import (
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
    """`behind`: the runs that rank a document of the queue; none where no run does any more."""

    queue: QueueView
    alternatives: list[Alternative]
    behind: Callable[[QueueRow], list[Behind]]


@consistent_reads()
def priorities_of(*, campaign: Campaign, topic: Topic, limit: int) -> Priorities:
    """As many queries for one document as for many: the campaign is read once."""
    queue = queue_of(campaign=campaign, topic=topic, limit=limit)
    if not queue.rows:
        return Priorities(queue, [], lambda row: [])
    kept = kept_of(campaign, topic)
    tags = dict(Run.objects.filter(campaign=campaign).values_list("id", "tag"))
    served = queue.rows[0].document_id
    others = alternatives(campaign=campaign, topic=topic, served=served, kept=kept)
    return Priorities(queue, others, lambda row: _behind(kept, row, tags))


def _behind(kept: Kept, row: QueueRow, tags: dict[int, str]) -> list[Behind]:
    place = kept.places.of(row.document_id)
    if place is None:
        return []
    found = kept.state.explain(kept.index, place)
    return [
        Behind(tags.get(kept.arrays.runs[run], ""), int(rank), float(share))
        for run, rank, share in zip(found.runs, found.ranks, found.shares, strict=True)
    ]
