"""Judged documents: one document over all topics and people, and the list of all, the latest first.

A page of the list begins at a place of the log, not after so many documents: the last page costs no more than
the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from django.utils.translation import gettext

from campaigns.log.annotations import annotations_of_document
from campaigns.log.current import (
    OF_DOCUMENTS,
    OF_PLACES,
    OF_TOPICS,
    counting,
    current_grades,
    excluded,
    is_by_assessor,
    latest_acts,
    place_parameters,
)
from campaigns.log.judgments import with_origins
from campaigns.log.overlap import disagreement_places
from campaigns.log.tallies import judged_in
from campaigns.models import Annotation, Campaign, Document, Judgment, Priority, Ranking, Topic
from campaigns.models.judgment import COPIED
from campaigns.models.packed import DOCUMENT_IDS, pack, unpack_ids
from campaigns.quality.dispute_weights import DocumentPlace


@dataclass(frozen=True)
class RunRank:
    run: int
    tag: str
    withdrawn: bool
    rank: int


@dataclass(frozen=True)
class DocumentInTopic:
    """History of a document in one topic: acts in their order, assessors' notes and marked passages, the runs
    that rank it (best first), its current grade and its place in the queue."""

    number: str
    title: str
    grade: int | None
    label: str
    position: int | None
    acts: list[tuple[Judgment, str]]
    annotations: list[Annotation]
    runs: list[RunRank]


def document_of(*, campaign: Campaign, docno: str) -> Document | None:
    return campaign.collection.documents.filter(docno=docno).first()


def topics_of_document(
    *, campaign: Campaign, document: Document, labels: Mapping[int | None, str]
) -> list[DocumentInTopic]:
    """Every topic in which it is judged or that a run ranks it for. Reads all rankings once, in the
    database: a tenth of a second for six thousand of them."""
    acts: dict[int, list[tuple[Judgment, str]]] = {}
    rows = Judgment.objects.filter(campaign=campaign, document=document).select_related("assessor")
    for act in with_origins(rows).order_by("sequence"):
        acts.setdefault(act.topic_id, []).append((act, labels.get(act.grade, "")))
    annotations = annotations_of_document(campaign=campaign, document=document.id)
    ranked = _ranked(campaign, document.id)
    topics = campaign.topics.filter(id__in={*acts, *annotations, *ranked}).order_by("position")
    grades = _grades(campaign, document.id)
    places = _places(document.id, set(ranked))
    return [
        DocumentInTopic(
            number,
            title,
            grades.get(id),
            labels.get(grades.get(id), ""),
            places.get(id),
            acts.get(id, []),
            annotations.get(id, []),
            sorted(ranked.get(id, []), key=lambda row: (row.rank, row.tag)),
        )
        for id, number, title in topics.values_list("id", "number", "title")
    ]


def _ranked(campaign: Campaign, document: int) -> dict[int, list[RunRank]]:
    """Runs that rank the document, by topic. The bytes of another document's id may hold this one's, so the
    database's matches are checked again."""
    packed = pack(np.array([document]), DOCUMENT_IDS)
    holding = Ranking.objects.filter(run__campaign=campaign).extra(
        where=["position(%s in documents) > 0"], params=[packed]
    )
    ranks: dict[int, list[RunRank]] = {}
    values = ("topic_id", "run_id", "run__tag", "run__withdrawn_at", "documents")
    for topic, run, tag, withdrawn, documents in holding.values_list(*values):
        at = np.flatnonzero(unpack_ids(documents) == document)
        if len(at):
            row = RunRank(run, tag, withdrawn is not None, int(at[0]) + 1)
            ranks.setdefault(topic, []).append(row)
    return ranks


_GRADES = "SELECT topic_id, grade FROM current"


def _grades(campaign: Campaign, document: int) -> dict[int, int]:
    query = f"WITH {current_grades(campaign, where=OF_DOCUMENTS)} {_GRADES}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, "documents": [document]})
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
    rows = campaign.collection.documents.filter(docno__gte=prefix, docno__startswith=prefix)
    return list(rows.order_by("docno").values_list("docno", "title")[:limit])


PAGE = 50
# Of no more documents than that, what was judged of them is looked up one by one.
FEW_DOCUMENTS = 500
BEHIND_ALL_ACTS = 2**31 - 1


@dataclass(frozen=True)
class JudgedDocument:
    """`grades`: every grade that still holds, ascending, and `assessors`: whose they are in that order, empty
    for an imported or copied one; `copied`: one is a copy, and then none is imported; `sequence`: the last of
    these acts; `earlier`: one of them is of an earlier text."""

    docno: str
    title: str
    number: str
    grade: int
    grades: list[int]
    assessors: list[str]
    copied: bool
    last: Any
    sequence: int
    earlier: bool

    @property
    def opinions(self) -> list[int]:
        """The assessors' grades."""
        return [grade for grade, name in zip(self.grades, self.assessors, strict=True) if name]

    @property
    def sources(self) -> list[str]:
        origin = gettext("copied") if self.copied else gettext("imported")
        return [name or origin for name in self.assessors]

    @property
    def disputed(self) -> bool:
        return len(set(self.opinions)) > 1


@dataclass(frozen=True)
class DocumentsPage:
    """`total`: None where it would take a look at all; `before` and `after`: where the neighbours begin."""

    rows: list[JudgedDocument]
    total: int | None
    before: int | None
    after: int | None


# The acts that are the last to stand on their document: graded, and no later act stands beside or above them.
# The EXISTS stands in a SELECT of its own, which the planner leaves alone: acts are looked at one by one, and
# a full page ends the search.
_WALK = """
SELECT j.topic_id, j.document_id FROM campaigns_judgment j
WHERE {which} AND j.grade IS NOT NULL AND j.sequence {side} %(edge)s{own_counts}
  AND NOT (SELECT EXISTS (
    SELECT FROM campaigns_judgment later WHERE later.topic_id = j.topic_id
    AND later.document_id = j.document_id AND later.sequence > j.sequence
    AND (later.assessor_id = j.assessor_id OR later.grade IS NOT NULL{later_counts} AND NOT EXISTS (
      SELECT FROM campaigns_judgment own WHERE own.topic_id = later.topic_id
      AND own.document_id = later.document_id AND own.assessor_id = later.assessor_id
      AND own.sequence > later.sequence))))
ORDER BY j.sequence {order} LIMIT %(limit)s
"""
_ACTS_OF_WALK = {"own": "j", "later": "later", "given": "given"}
_OF_CAMPAIGN, _OF_TOPIC = "j.campaign_id = %(campaign)s", "j.topic_id = %(topic)s"
_OF_DOCNOS = """ AND (
  SELECT starts_with(d.docno, %(prefix)s) FROM campaigns_document d WHERE d.id = j.document_id)"""
# That an assessor gave, and that still holds.
_OF_GRADE = """ AND (SELECT EXISTS (
    SELECT FROM campaigns_judgment given WHERE given.topic_id = j.topic_id
    AND given.document_id = j.document_id AND given.grade = %(grade)s{given_counts} AND NOT EXISTS (
      SELECT FROM campaigns_judgment own WHERE own.topic_id = given.topic_id
      AND own.document_id = given.document_id AND own.assessor_id = given.assessor_id
      AND own.sequence > given.sequence)))"""

_NAMED = f"""
named AS (
  SELECT latest.*,
    CASE WHEN {is_by_assessor("latest", campaign="%(campaign)s")} THEN username ELSE '' END AS name
  FROM latest JOIN auth_user u ON u.id = assessor_id WHERE grade IS NOT NULL)"""  # noqa: S608
_JUDGED_ROWS = f""",{_NAMED},
opinions AS (
  SELECT topic_id, document_id, array_agg(grade ORDER BY grade, name) AS grades,
    array_agg(name ORDER BY grade, name) AS names, bool_or(method = '{COPIED}') AS copied,
    max(sequence) AS sequence,
    array_agg(sequence) AS sequences
  FROM named GROUP BY topic_id, document_id)
SELECT d.docno, d.title, t.number, current.grade, o.grades, o.names, o.copied, j.created, o.sequence,
  EXISTS (SELECT FROM campaigns_judgment one WHERE one.campaign_id = %(campaign)s
    AND one.sequence = ANY(o.sequences) AND one.document_revision < d.revision)
FROM opinions o JOIN current USING (topic_id, document_id)
JOIN campaigns_judgment j ON j.campaign_id = %(campaign)s AND j.sequence = o.sequence
JOIN campaigns_topic t ON t.id = o.topic_id JOIN campaigns_document d ON d.id = o.document_id
ORDER BY o.sequence DESC
"""  # noqa: S608


def judged_documents(
    *,
    campaign: Campaign,
    prefix: str = "",
    disputed: bool = False,
    topic: Topic | None = None,
    grade: int | None = None,
    before: int | None = None,
    after: int | None = None,
) -> DocumentsPage:
    """Judged documents of one topic or of all: those whose last act lies before a place of the log, or next
    behind one. `prefix`: how docnos begin; `grade`: given by an assessor, and not revised since."""
    if disputed:
        disputed_places = disagreement_places(campaign=campaign, prefix=prefix)
        return _among(campaign, _narrowed(campaign, disputed_places, topic, grade), before, after)
    if prefix:
        ids = _begin_so(campaign, prefix)
        if len(ids) <= FEW_DOCUMENTS:
            last = _last_acts(campaign, ids)
            return _among(campaign, _narrowed(campaign, last, topic, grade), before, after)
    which = _OF_CAMPAIGN if topic is None else _OF_TOPIC
    which += (_OF_DOCNOS if prefix else "") + ("" if grade is None else _OF_GRADE)
    total: int | None = None
    if not prefix and grade is None:
        counts = judged_in(campaign=campaign)
        total = sum(n for n, _ in counts.values()) if topic is None else counts.get(topic.id, (0, 0))[0]
    parameters = {"campaign": campaign.id, "topic": topic and topic.id, "prefix": prefix, "grade": grade}
    if after is not None:
        places = _walked(campaign, which, ">", after, parameters)
        if len(places) > PAGE:
            return _page(campaign, places[:PAGE], total, earlier=after > 0, later=True)
        # So near the head, the head itself.
        before = None
    places = _walked(campaign, which, "<", BEHIND_ALL_ACTS if before is None else before, parameters)
    return _page(campaign, places[:PAGE], total, earlier=len(places) > PAGE, later=before is not None)


def _walked(
    campaign: Campaign, which: str, side: str, edge: int, parameters: dict[str, Any]
) -> list[DocumentPlace]:
    order = "DESC" if side == "<" else "ASC"
    counts = {
        f"{name}_counts": f" AND NOT {excluded(act)}" if campaign.exclusion_changes else ""
        for name, act in _ACTS_OF_WALK.items()
    }
    query = _WALK.format(which=which.format(**counts), side=side, order=order, **counts)
    with connection.cursor() as cursor:
        cursor.execute(query, {**parameters, "edge": edge, "limit": PAGE + 1})
        return list(cursor.fetchall())


def _narrowed(
    campaign: Campaign, last: dict[DocumentPlace, int], topic: Topic | None, grade: int | None
) -> dict[DocumentPlace, int]:
    if topic is not None:
        last = {place: act for place, act in last.items() if place[0] == topic.id}
    if grade is None:
        return last
    acts = {row.sequence for row in _judged_rows(campaign, list(last)) if grade in row.grades}
    return {place: act for place, act in last.items() if act in acts}


def _among(
    campaign: Campaign, last: dict[DocumentPlace, int], before: int | None, after: int | None
) -> DocumentsPage:
    """A page of documents that are all known, with the last act of each."""
    places = sorted(last, key=lambda place: -last[place])
    start = 0
    if after is not None:
        start = max(sum(last[place] > after for place in places) - PAGE, 0)
    elif before is not None:
        start = sum(last[place] >= before for place in places)
    shown = places[start : start + PAGE]
    return _page(campaign, shown, len(places), earlier=start + PAGE < len(places), later=start > 0)


def _page(
    campaign: Campaign, places: Sequence[DocumentPlace], total: int | None, *, earlier: bool, later: bool
) -> DocumentsPage:
    rows = _judged_rows(campaign, places)
    return DocumentsPage(
        rows,
        total,
        before=rows[-1].sequence if rows and earlier else None,
        after=rows[0].sequence if rows and later else None,
    )


def _judged_rows(campaign: Campaign, places: Sequence[DocumentPlace]) -> list[JudgedDocument]:
    if not places:
        return []
    query = f"WITH {current_grades(campaign, where=OF_PLACES)}{_JUDGED_ROWS}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, **place_parameters(places)})
        return [JudgedDocument(*row) for row in cursor]


# Reads the acts of one topic, whatever the log holds. Documents are looked up one by one: a join may read the
# whole collection for some hundred.
_ORDERS = {
    "": "last DESC",
    "docno": "docno {way}",
    "grade": "grade {way}, last DESC",
    "assessor": "names[1] {way}, names {way}, last DESC",
    "time": "last {way}",
}
_SORTED = f""",{_NAMED},
opinions AS (
  SELECT document_id, array_agg(name ORDER BY name)::text[] AS names, max(sequence) AS last
  FROM named GROUP BY document_id),
judged AS (
  SELECT document_id, current.grade, names, last FROM opinions JOIN current USING (document_id)
  WHERE %(grade)s::int IS NULL OR current.grade = %(grade)s)
SELECT document_id, docno, count(*) OVER () FROM judged CROSS JOIN LATERAL (
  SELECT docno FROM campaigns_document d WHERE d.id = document_id OFFSET 0) with_docno
ORDER BY {{order}} LIMIT %(limit)s OFFSET %(offset)s
"""  # noqa: S608


def judged_in_topic(
    *,
    campaign: Campaign,
    topic: Topic,
    grade: int | None = None,
    order: str = "",
    falls: bool = False,
    page: int = 1,
    size: int = PAGE,
) -> tuple[list[JudgedDocument], int]:
    """A page of the topic's judged documents in one of `_ORDERS`, by default the latest first, and the number
    of all. Ties are broken by time. `grade`: those of this grade."""
    tables = current_grades(campaign, where=OF_TOPICS)
    query = f"WITH {tables}" + _SORTED.format(order=_ORDERS[order].format(way="DESC" if falls else "ASC"))
    parameters: dict[str, Any] = {
        "campaign": campaign.id,
        "topics": [topic.id],
        "grade": grade,
        "limit": size,
        "offset": (page - 1) * size,
    }
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        keys = cursor.fetchall()
    rows = {
        row.docno: row for row in _judged_rows(campaign, [(topic.id, document) for document, _, _ in keys])
    }
    # One that was undone between the two statements is left out.
    return [rows[docno] for _, docno, _ in keys if docno in rows], keys[0][2] if keys else 0


def _begin_so(campaign: Campaign, prefix: str) -> list[int]:
    rows = Document.objects.filter(collection_id=campaign.collection_id)
    rows = rows.filter(docno__gte=prefix, docno__startswith=prefix)
    return list(rows.order_by("docno").values_list("id", flat=True)[: FEW_DOCUMENTS + 1])


_LAST = """
SELECT topic_id, document_id, max(sequence) FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id
"""


def _last_acts(campaign: Campaign, documents: list[int]) -> dict[DocumentPlace, int]:
    query = f"WITH {latest_acts(counting(campaign, OF_DOCUMENTS), columns='sequence, grade')} {_LAST}"
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, "documents": documents})
        return {(topic, document): sequence for topic, document, sequence in cursor}
