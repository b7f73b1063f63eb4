from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from campaigns.core.database import Statement
from campaigns.log.current import OF_TOPICS, made_by_assessors, standing_acts
from campaigns.log.overlap import differs_from_others
from campaigns.models import Campaign, Judgment, Repeat, Topic


def standing_repeats(*, topic: int, assessor: int) -> dict[int, Repeat]:
    """The assessor's answers that were not taken back, by document."""
    rows = Repeat.objects.filter(topic_id=topic, assessor_id=assessor)
    rows = rows.select_related("document").defer("document__body", "document__html")
    latest = rows.order_by("document_id", "-created").distinct("document_id")
    return {row.document_id: row for row in latest if not row.undo}


def latest_standing_act(*, topic: int, document: int, assessor: int) -> Judgment | Repeat | None:
    """Latest act of the assessor on the document, if it stands."""
    here = {"topic_id": topic, "document_id": document, "assessor_id": assessor}
    judgment = made_by_assessors(Judgment.objects.filter(**here)).order_by("-sequence").first()
    answer = Repeat.objects.filter(**here).order_by("-created").first()
    if answer and not answer.undo and (judgment is None or answer.created > judgment.created):
        return answer
    return judgment if judgment and not judgment.undo else None


@dataclass(frozen=True)
class AssessorProgress:
    """Progress of one assessor in one topic. The rest of the topic is left out: it would reveal the method
    that serves it. `minimum`: the campaign's, or the pool where that is smaller."""

    judged: int
    relevant: int
    minimum: int
    postponed: int


_ACT = {name: f"act.{name}" for name in ("topic", "document", "assessor", "grade")}
# Of a topic and an assessor; and where a document and a grade are named, whether others differ. Each LATERAL
# has a LIMIT, which the planner leaves alone: they are looked up one by one.
_PROGRESS = Statement(
    "progress",
    f"""
SELECT found.* FROM unnest(%(topics)s, %(assessors)s, %(documents)s, %(grades)s)
  WITH ORDINALITY AS act (topic, assessor, document, grade, place),
LATERAL (
  WITH {standing_acts("topic_id = act.topic AND assessor_id = act.assessor")}
  SELECT count(*), count(*) FILTER (WHERE standing.grade = ANY(%(relevant)s)),
    (SELECT count(*) FROM campaigns_postponement
     WHERE topic_id = act.topic AND assessor_id = act.assessor),
    {differs_from_others(_ACT)},
    least(%(minimum)s, (SELECT pool_size FROM campaigns_priority WHERE topic_id = act.topic))
  FROM standing LIMIT 1) AS found
ORDER BY act.place
""",  # noqa: S608
    topics="bigint[]",
    assessors="int[]",
    documents="int[]",
    grades="int[]",
    relevant="int[]",
    minimum="int",
)


def progress_of(*, campaign: Campaign, topic: int, assessor: int) -> AssessorProgress:
    [(progress, _)] = _progress(campaign, [(topic, assessor, None, None)])
    return progress


def progress_after(
    *, campaign: Campaign, acts: Sequence[Judgment | Repeat]
) -> list[tuple[AssessorProgress, bool]]:
    """Progress of each act's assessor after it, and true if they are asked for a note on it, by one
    statement. Only a document's first grade leads to the question: otherwise an assessor could revise until
    none comes, and so find another's grade."""
    return _progress(campaign, [_asked(campaign, act) for act in acts])


def _asked(campaign: Campaign, act: Judgment | Repeat) -> _Asked:
    is_first = isinstance(act, Judgment) and act.supersedes_id is None
    if not (campaign.note_on_disagreement and is_first) or act.grade is None:
        return act.topic_id, act.assessor_id, None, None
    return act.topic_id, act.assessor_id, act.document_id, act.grade


# A topic and an assessor; a document and their grade where others' grades of it are of interest.
_Asked = tuple[int, int, int | None, int | None]


def _progress(campaign: Campaign, asked: Sequence[_Asked]) -> list[tuple[AssessorProgress, bool]]:
    columns = map(list, zip(*asked, strict=True))
    values = dict(zip(("topics", "assessors", "documents", "grades"), columns, strict=True))
    return [
        (AssessorProgress(judged, relevant, minimum, postponed), differs)
        for judged, relevant, postponed, differs, minimum in _PROGRESS.rows(
            {**values, "relevant": campaign.relevant_grades, "minimum": campaign.min_judgments}
        )
    ]


# A topic in which everything was undone has been begun, too.
_OWN = f"""
WITH {standing_acts(f"{OF_TOPICS} AND assessor_id = %(assessor)s")}
SELECT topic_id, (SELECT count(*) FROM standing WHERE standing.topic_id = begun.topic_id)
FROM (SELECT topic_id FROM latest UNION SELECT topic_id FROM again) begun
"""  # noqa: S608


def judged_by(*, assessor: int, topics: Sequence[int]) -> dict[int, int]:
    """Number of documents that the assessor has judged in each topic; only topics in which they have
    begun."""
    with connection.cursor() as cursor:
        cursor.execute(_OWN, {"topics": list(topics), "assessor": assessor})
        return dict(cursor.fetchall())


# What was judged since the queue was computed is no longer left.
_LEFT = """
SELECT remaining > (
  SELECT count(*) FROM campaigns_judgment j
  WHERE j.topic_id = q.topic_id AND j.sequence > q.as_of AND j.grade IS NOT NULL AND NOT EXISTS (
    SELECT FROM campaigns_judgment e WHERE e.topic_id = j.topic_id AND e.document_id = j.document_id
    AND e.sequence < j.sequence))
FROM campaigns_priority q WHERE q.topic_id = %(topic)s
"""


def has_documents_left(topic: int) -> bool:
    """True if the topic has documents left to serve, also while there is no queue."""
    with connection.cursor() as cursor:
        cursor.execute(_LEFT, {"topic": topic})
        row = cursor.fetchone()
    return row is None or bool(row[0])


def history(*, topic: Topic, assessor: int, limit: int) -> list[dict[str, Any]]:
    """Latest act of the assessor on each document in the topic, newest first; undone acts are not shown."""
    latest = (
        made_by_assessors(Judgment.objects.filter(topic=topic, assessor_id=assessor))
        .order_by("document_id", "-sequence")
        .distinct("document_id")
        .values("id")
    )
    rows = Judgment.objects.filter(id__in=latest, undo=False).select_related("document")
    acts: dict[int, Judgment | Repeat] = {
        row.document_id: row
        for row in rows.defer("document__body", "document__html").order_by("-sequence")[:limit]
    }
    for document, answer in standing_repeats(topic=topic.id, assessor=assessor).items():
        if document not in acts or acts[document].created < answer.created:
            acts[document] = answer
    newest_first = sorted(acts.values(), key=lambda row: row.created, reverse=True)
    return [
        {
            "id": row.id,
            "topic": topic.number,
            "docno": row.document.docno,
            "title": row.document.title,
            "grade": row.grade,
            "reason": row.reason,
            "created": row.created,
            "document_revision": row.document_revision,
        }
        for row in newest_first[:limit]
    ]
