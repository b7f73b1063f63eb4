"""The order of last resort, when a silent worker's queue is used up. A topic that is sampled is served
from its sample and from nothing else; the others by Method A weight (Moffat, Webber and Zobel 2007), which
needs nothing but the rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any

import numpy as np

from campaigns.collection.rankings import docno_order
from campaigns.models import Priority, Ranking, Sample, Topic
from campaigns.models.campaign import SAMPLING_METHODS, Method
from campaigns.models.packed import unpack_ids, unpack_weights
from selection.pool import build_topic_pool


@dataclass(frozen=True)
class FallbackOrder:
    """Documents in serving order, the method that says so, and the probabilities of what was drawn."""

    documents: list[int]
    method: str
    inclusion: list[float]


def fallback_order(topic_id: int) -> FallbackOrder:
    topic = Topic.objects.select_related("campaign").get(id=topic_id)
    method = topic.method or topic.campaign.method
    if method == Method.RANDOM:
        # Anything else among the documents drawn, and they would no longer be a uniform sample.
        return FallbackOrder([], Method.RANDOM, [])
    if method in SAMPLING_METHODS:
        sample = Sample.objects.filter(topic=topic).first()
        if sample is None:
            # Nothing may be served before the worker has drawn it; where MTC serves the topic alone, too,
            # because only the worker knows.
            return FallbackOrder([], Method.STATAP, [])
        documents = unpack_ids(sample.documents).tolist()
        return FallbackOrder(documents, Method.STATAP, unpack_weights(sample.inclusion).tolist())
    return FallbackOrder(_method_a(topic), Method.A, [])


def _method_a(topic: Topic) -> list[int]:
    """Every document of the topic's pool, judged or not, by Method A weight descending."""
    packed = Ranking.objects.filter(topic=topic, run__contributes_to_pool=True)
    rankings = [unpack_ids(row) for row in packed.order_by("run_id").values_list("documents", flat=True)]
    if not rankings:
        return []
    everybody = np.ones(len(rankings), dtype=np.bool_)
    pool = build_topic_pool(rankings, topic.campaign.p, everybody, sort_key=docno_order)
    return [int(document) for document in pool.documents]


NEVER_EXACT = -1


@dataclass(frozen=True)
class ServedDocument:
    """A document on somebody's screen, and until when it is theirs."""

    document_id: int
    docno: str
    title: str
    body: str
    content_type: str
    expires_at: datetime
    revising: int | None = None
    # Where the collection's documents can be seen at their source.
    url_template: str = ""
    # Whether the assessor's own judgment of it stands, and they have it open to look at it again.
    revision: bool = False


@dataclass(frozen=True)
class ServingQueue:
    """Candidates in serving order, the method that chose them, and how far along the log they are right."""

    documents: Sequence[int]
    method: str
    as_of: int
    # Of each candidate, where there are such: who serves it instead, and how likely it was to be drawn.
    sources: Sequence[str] = ()
    inclusion: Sequence[float | None] = ()
    # Why it comes although it has been judged; empty: it has not.
    purposes: Sequence[str] = ()
    # Nothing unjudged lies beyond these documents.
    complete: bool = False

    def only(self, at: int, *, exact: bool) -> ServingQueue:
        """Just the candidate at this place; one that is not exact holds for no act at all."""
        return ServingQueue(
            self.documents[at : at + 1],
            self.method,
            self.as_of if exact else NEVER_EXACT,
            sources=self.sources[at : at + 1],
            inclusion=self.inclusion[at : at + 1],
            purposes=self.purposes[at : at + 1],
        )


def stored_queue(topic: int, *, configuration: int) -> ServingQueue:
    """The worker's last queue. One made for other runs or settings is served, but never as exact."""
    row = Priority.objects.filter(topic_id=topic).first()
    if row is None:
        return ServingQueue([], "", NEVER_EXACT)
    as_of = row.as_of if row.configuration == configuration else NEVER_EXACT
    documents = unpack_ids(row.documents).tolist()
    inclusion = [] if row.inclusion is None else _chances(unpack_weights(row.inclusion).tolist())
    if any(inclusion) and not Sample.objects.filter(topic_id=topic).exists():
        # Drawn for other runs than the campaign was opened with.
        return ServingQueue([], row.method, NEVER_EXACT)
    return ServingQueue(
        documents,
        row.method,
        as_of,
        sources=row.sources or (),
        inclusion=inclusion,
        complete=row.remaining <= len(documents),
    )


def _chances(inclusion: list[float]) -> list[float | None]:
    return [None if isnan(chance) else chance for chance in inclusion]


def foreseen_queue(
    lookahead: dict[str, dict[str, Any]] | None, outcome: str, *, method: str, as_of: int | None
) -> ServingQueue | None:
    """What the worker worked out for one outcome; None where it has not."""
    row = (lookahead or {}).get(outcome)
    if row is None or as_of is None:
        return None
    return ServingQueue(
        row["documents"], method, as_of, sources=row.get("sources", ()), inclusion=row.get("inclusion", ())
    )
