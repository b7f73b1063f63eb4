"""One document over all topics and people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.db import connection

from campaigns.log.current import OF_DOCUMENT, latest_and_current
from campaigns.models import Campaign, Document, Judgment, Priority, Ranking
from campaigns.models.packed import DOCUMENT_IDS, pack, unpack_ids

Labels = Mapping[int | None, str]


@dataclass(frozen=True)
class Ranked:
    run: int
    tag: str
    withdrawn: bool
    rank: int


@dataclass(frozen=True)
class OfTopic:
    """What one topic has to do with the document: acts in their order, the runs that rank it (best first),
    its grade now and its place in the queue."""

    number: str
    title: str
    grade: int | None
    label: str
    position: int | None
    acts: list[tuple[Judgment, str]]
    runs: list[Ranked]


def document_of(*, campaign: Campaign, docno: str) -> Document | None:
    return campaign.collection.documents.filter(docno=docno).first()


def topics_of_document(
    *, campaign: Campaign, document: Document, labels: Mapping[int | None, str]
) -> list[OfTopic]:
    """Every topic in which it is judged or that a run ranks it for. Reads all rankings once, in the
    database: a tenth of a second for six thousand of them."""
    acts: dict[int, list[tuple[Judgment, str]]] = {}
    rows = Judgment.objects.filter(campaign=campaign, document=document).select_related("assessor")
    for act in rows.order_by("sequence"):
        acts.setdefault(act.topic_id, []).append((act, labels.get(act.grade, "")))
    ranked = _ranked(campaign, document.id)
    topics = campaign.topics.filter(id__in={*acts, *ranked}).order_by("position")
    grades = _grades(campaign, document.id)
    places = _places(document.id, set(ranked))
    return [
        OfTopic(
            number,
            title,
            grades.get(id),
            labels.get(grades.get(id), ""),
            places.get(id),
            acts.get(id, []),
            sorted(ranked.get(id, []), key=lambda row: (row.rank, row.tag)),
        )
        for id, number, title in topics.values_list("id", "number", "title")
    ]


def _ranked(campaign: Campaign, document: int) -> dict[int, list[Ranked]]:
    """By topic. The bytes of another document's id may hold this one's: what the database finds is
    looked at again."""
    packed = pack(np.array([document]), DOCUMENT_IDS)
    holding = Ranking.objects.filter(run__campaign=campaign).extra(
        where=["position(%s in documents) > 0"], params=[packed]
    )
    found: dict[int, list[Ranked]] = {}
    values = ("topic_id", "run_id", "run__tag", "run__withdrawn_at", "documents")
    for topic, run, tag, withdrawn, documents in holding.values_list(*values):
        at = np.flatnonzero(unpack_ids(documents) == document)
        if len(at):
            row = Ranked(run, tag, withdrawn is not None, int(at[0]) + 1)
            found.setdefault(topic, []).append(row)
    return found


_BY_TOPIC = "SELECT topic_id, grade FROM current"


def _grades(campaign: Campaign, document: int) -> dict[int, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            latest_and_current(campaign, which=OF_DOCUMENT) + _BY_TOPIC,
            [campaign.id, document],
        )
        return dict(cursor.fetchall())


def _places(document: int, topics: set[int]) -> dict[int, int]:
    rows = Priority.objects.filter(topic__in=topics).values_list("topic_id", "documents")
    return {
        topic: int(at[0]) + 1
        for topic, documents in rows
        if len(at := np.flatnonzero(unpack_ids(documents) == document))
    }


def documents_with(*, campaign: Campaign, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Documents of the collection by the beginning of their docno."""
    if not prefix:
        return []
    found = campaign.collection.documents.filter(docno__gte=prefix, docno__startswith=prefix)
    return list(found.order_by("docno").values_list("docno", "title")[:limit])
