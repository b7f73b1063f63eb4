from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from campaigns.core.database import Statement
from campaigns.log.current import OF_TOPICS, OWN_IN_TOPIC, standing_acts
from campaigns.log.overlap import differs_from_others
from campaigns.models import Campaign, Judgment, Repeat, Topic


def standing_repeats(*, topic: int, assessor: int) -> dict[int, Repeat]:
    """The assessor's answers that were not taken back, by document."""
    rows = Repeat.objects.filter(topic_id=topic, assessor_id=assessor)
    rows = rows.select_related("document").defer("document__body")
    latest = rows.order_by("document_id", "-created").distinct("document_id")
    return {row.document_id: row for row in latest if not row.undo}


def latest_standing_act(*, topic: int, document: int, assessor: int) -> Judgment | Repeat | None:
    """What the assessor said of the document last, if it stands."""
    here = {"topic_id": topic, "document_id": document, "assessor_id": assessor}
    judgment = Judgment.objects.filter(**here).order_by("-sequence").first()
    answer = Repeat.objects.filter(**here).order_by("-created").first()
    if answer and not answer.undo and (judgment is None or answer.created > judgment.created):
        return answer
    return judgment if judgment and not judgment.undo else None


@dataclass(frozen=True)
class AssessorProgress:
    """How far one assessor is in one topic. The rest of the topic is left out: it would show which
    method serves it."""

    judged: int
    relevant: int
    minimum: int
    postponed: int


def _progress(more: str = "") -> str:
    return f"""
WITH {standing_acts(OWN_IN_TOPIC)}
SELECT count(*), count(*) FILTER (WHERE grade = ANY(%(relevant)s)),
  (SELECT count(*) FROM campaigns_postponement
   WHERE topic_id = %(topic)s AND assessor_id = %(assessor)s){more}
FROM standing
"""  # noqa: S608


_PROGRESS = Statement("progress", _progress(), topic="bigint", assessor="int", relevant="int[]")
# The same, and of an act whether others differ.
_ACT = {name: f"%({name})s" for name in ("topic", "document", "assessor", "grade")}
_PROGRESS_AND_DISAGREEMENT = Statement(
    "progress_and_disagreement",
    _progress(f", {differs_from_others(_ACT)}"),
    topic="bigint",
    assessor="int",
    relevant="int[]",
    document="int",
    grade="int",
)


def progress_of(*, campaign: Campaign, topic: int, assessor: int) -> AssessorProgress:
    relevant = campaign.relevant_grades
    [found] = _PROGRESS.rows({"topic": topic, "assessor": assessor, "relevant": relevant})
    judged, positive, postponed = found
    return AssessorProgress(judged, positive, campaign.min_judgments, postponed)


def progress_after(*, campaign: Campaign, act: Judgment | Repeat) -> tuple[AssessorProgress, bool]:
    """How far the assessor is after the act, and whether they are asked for a note on it, by one statement.
    Asked is only after a document's first grade: otherwise an assessor could revise until nothing is asked,
    and so find another's grade."""
    is_first = isinstance(act, Judgment) and act.supersedes_id is None
    if not (campaign.note_on_disagreement and is_first) or act.grade is None:
        return progress_of(campaign=campaign, topic=act.topic_id, assessor=act.assessor_id), False
    values = {"topic": act.topic_id, "assessor": act.assessor_id, "relevant": campaign.relevant_grades}
    values |= {"document": act.document_id, "grade": act.grade}
    [(judged, positive, postponed, differs)] = _PROGRESS_AND_DISAGREEMENT.rows(values)
    return AssessorProgress(judged, positive, campaign.min_judgments, postponed), differs


# A topic in which everything was undone has been begun, too.
_OWN = f"""
WITH {standing_acts(f"{OF_TOPICS} AND assessor_id = %(assessor)s")}
SELECT topic_id, (SELECT count(*) FROM standing WHERE standing.topic_id = begun.topic_id)
FROM (SELECT topic_id FROM latest UNION SELECT topic_id FROM again) begun
"""  # noqa: S608


def judged_by(*, assessor: int, topics: Sequence[int]) -> dict[int, int]:
    """How many documents the assessor has judged in each topic; those in which they have begun."""
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
    """Whether documents are left to serve in the topic; taken to be so while there is no queue."""
    with connection.cursor() as cursor:
        cursor.execute(_LEFT, {"topic": topic})
        row = cursor.fetchone()
    return row is None or bool(row[0])


def history(*, topic: Topic, assessor: int, limit: int) -> list[dict[str, Any]]:
    """What the assessor said of each document in the topic last, newest first; what was undone is not
    shown."""
    latest = (
        Judgment.objects.filter(topic=topic, assessor_id=assessor)
        .order_by("document_id", "-sequence")
        .distinct("document_id")
        .values("id")
    )
    rows = Judgment.objects.filter(id__in=latest, undo=False).select_related("document")
    said: dict[int, Judgment | Repeat] = {
        row.document_id: row for row in rows.defer("document__body").order_by("-sequence")[:limit]
    }
    for document, answer in standing_repeats(topic=topic.id, assessor=assessor).items():
        if document not in said or said[document].created < answer.created:
            said[document] = answer
    newest_first = sorted(said.values(), key=lambda row: row.created, reverse=True)
    return [
        {
            "id": row.id,
            "topic": topic.number,
            "docno": row.document.docno,
            "title": row.document.title,
            "grade": row.grade,
            "reason": row.reason,
            "created": row.created,
        }
        for row in newest_first[:limit]
    ]
