"""One document over all topics and people, and a list of what was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from campaigns.arrays import DOCUMENT_IDS, pack, unpack_ids
from campaigns.models import Campaign, Document, Judgment, Priority, Ranking, Topic
from campaigns.policies import (
    OF_DOCNOS,
    OF_DOCUMENT,
    OF_PLACES,
    OF_TOPICS,
    TOUCHED,
    latest_and_current,
)
from campaigns.services.log_reading import length_of
from campaigns.services.sharing import shared_places
from campaigns.services.tallies import judged_in

PAGE = 50
# By so much more is looked through each time.
LARGER = 4

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


@dataclass(frozen=True)
class JudgedDocument:
    """`grades`: every assessor's own that still holds, ascending."""

    docno: str
    title: str
    number: str
    grade: int
    grades: list[int]
    last: Any

    @property
    def disputed(self) -> bool:
        return len(set(self.grades)) > 1


_LIST = """,
opinions AS (
  SELECT topic_id, document_id, array_agg(grade ORDER BY grade) AS grades, max(sequence) AS sequence
  FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id)
SELECT d.docno, d.title, t.number, current.grade, o.grades, j.created, count(*) OVER ()
FROM opinions o JOIN current USING (topic_id, document_id)
JOIN campaigns_judgment j ON j.campaign_id = %s AND j.sequence = o.sequence
JOIN campaigns_topic t ON t.id = o.topic_id JOIN campaigns_document d ON d.id = o.document_id
WHERE o.sequence > %s AND (%s = '' OR starts_with(d.docno, %s)) AND (
  NOT %s OR o.grades[1] <> o.grades[array_upper(o.grades, 1)])
ORDER BY o.sequence DESC LIMIT %s OFFSET %s
"""


def judged_documents(
    *, campaign: Campaign, prefix: str, disputed: bool, page: int, topic: Topic | None = None
) -> tuple[list[JudgedDocument], int]:
    """A page of judged documents, of one topic or of all, the latest first, and how many there are. `prefix`:
    how docnos begin."""
    given: list[Any] = [campaign.id]
    if topic is not None:
        which, given = OF_TOPICS, [[topic.id]]
    elif disputed:
        which, given = OF_PLACES, [*given, *shared_places(campaign=campaign)]
    elif prefix:
        which, given = OF_DOCNOS, [*given, campaign.collection_id, prefix]
    else:
        total = sum(judged for judged, _ in judged_in(campaign=campaign).values())
        return _latest(campaign, page), total
    rows = _listed(campaign, which, given, prefix=prefix, disputed=disputed, page=page)
    return [JudgedDocument(*row[:-1]) for row in rows], rows[0][-1] if rows else 0


def _latest(campaign: Campaign, page: int) -> list[JudgedDocument]:
    """Sought among the last acts, and among more of them while those are too few."""
    length, looked = length_of(campaign=campaign), PAGE * page
    while True:
        looked *= LARGER
        since = max(length - looked, 0)
        given = [campaign.id, length, campaign.id, since, length]
        rows = _listed(campaign, TOUCHED, given, since=since, page=page)
        if len(rows) == PAGE or since == 0:
            return [JudgedDocument(*row[:-1]) for row in rows]


def _listed(
    campaign: Campaign,
    which: str,
    given: list[Any],
    *,
    since: int = 0,
    prefix: str = "",
    disputed: bool = False,
    page: int,
) -> list[Any]:
    asked: list[Any] = [campaign.id, since, prefix, prefix, disputed, PAGE, PAGE * (page - 1)]
    with connection.cursor() as cursor:
        cursor.execute(latest_and_current(campaign, which=which).rstrip() + _LIST, [*given, *asked])
        return list(cursor.fetchall())


def documents_with(*, campaign: Campaign, prefix: str, limit: int) -> list[tuple[str, str]]:
    """Documents of the collection by the beginning of their docno."""
    if not prefix:
        return []
    found = campaign.collection.documents.filter(docno__gte=prefix, docno__startswith=prefix)
    return list(found.order_by("docno").values_list("docno", "title")[:limit])
