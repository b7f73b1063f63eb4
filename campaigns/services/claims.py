"""Who gets which document. A claim is one conditional INSERT: of two assessors who reach for the same
document, the database lets exactly one have it, and the other looks again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from campaigns.arrays import unpack_ids
from campaigns.models import Claim, Document, Judgment, Priority
from campaigns.services.fallback import static_order

ATTEMPTS = 8
NEVER = -1

# The assessor may have a document unless it has a grade, they could not judge it, they set it aside, or
# somebody else has it open. Each EXISTS stands in a SELECT of its own, which the planner leaves alone: the
# candidates are looked at one by one, best first, and the first free one ends the search.
_FREE = """
SELECT candidate.document, candidate.place
FROM (SELECT * FROM unnest(%(documents)s::int[]) WITH ORDINALITY AS given (document, place)
      ORDER BY place OFFSET 0) AS candidate
WHERE NOT (SELECT EXISTS (
    SELECT FROM campaigns_claim k WHERE k.topic_id = %(topic)s AND k.document_id = candidate.document
    AND k.assessor_id <> %(assessor)s AND k.expires_at > now()))
  AND NOT (SELECT EXISTS (
    SELECT FROM campaigns_postponement s WHERE s.topic_id = %(topic)s
    AND s.document_id = candidate.document AND s.assessor_id = %(assessor)s))
  AND NOT (SELECT EXISTS (
    SELECT FROM campaigns_judgment j WHERE j.topic_id = %(topic)s AND j.document_id = candidate.document
    AND NOT j.undo AND (j.grade IS NOT NULL OR j.assessor_id = %(assessor)s)
    AND NOT EXISTS (
      SELECT FROM campaigns_judgment later WHERE later.topic_id = j.topic_id
      AND later.document_id = j.document_id AND later.assessor_id = j.assessor_id
      AND later.sequence > j.sequence)))
ORDER BY candidate.place LIMIT 1
"""

# Put together from constants only.
_CLAIM = f"""
WITH free AS ({_FREE}), claimed AS (
  INSERT INTO campaigns_claim
    (topic_id, document_id, assessor_id, created, expires_at, method, exact, recalled)
  SELECT %(topic)s, free.document, %(assessor)s, now(), now() + %(lease)s, %(method)s, %(exact)s, false
  FROM free
  ON CONFLICT (topic_id, document_id) DO UPDATE
    SET assessor_id = excluded.assessor_id, created = excluded.created, method = excluded.method,
        expires_at = excluded.expires_at, exact = excluded.exact, recalled = false,
        lookahead = NULL, lookahead_as_of = NULL
    WHERE campaigns_claim.expires_at <= now() OR campaigns_claim.assessor_id = excluded.assessor_id
  RETURNING document_id, expires_at)
SELECT d.id, d.docno, d.title, d.body, d.content_type, claimed.expires_at, (SELECT count(*) FROM free)
FROM free LEFT JOIN claimed ON true LEFT JOIN campaigns_document d ON d.id = claimed.document_id
"""  # noqa: S608


@dataclass(frozen=True)
class Served:
    """A document on somebody's screen, and until when it is theirs."""

    document_id: int
    docno: str
    title: str
    body: str
    content_type: str
    expires_at: datetime
    revising: int | None = None


@dataclass(frozen=True)
class Queue:
    """Candidates in serving order, and how far along the log they are right."""

    documents: Sequence[int]
    as_of: int
    # Nothing unjudged lies beyond these documents.
    complete: bool = False


def lease() -> timedelta:
    return timedelta(minutes=settings.CLAIM_MINUTES)


def stored_queue(topic: int, *, configuration: int) -> Queue:
    """The worker's last queue. One made for other runs or settings is served, but never as exact."""
    row = Priority.objects.filter(topic_id=topic).first()
    if row is None:
        return Queue([], NEVER)
    as_of = row.as_of if row.configuration == configuration else NEVER
    documents = unpack_ids(row.documents).tolist()
    return Queue(documents, as_of, complete=row.remaining <= len(documents))


def claim_from(queue: Queue, *, topic: int, assessor: int, method: str, needed_as_of: int) -> Served | None:
    """Claim the first free document of the queue, for this assessor alone."""
    wish: dict[str, Any] = {
        "documents": list(queue.documents),
        "topic": topic,
        "assessor": assessor,
        "method": method,
        "lease": lease(),
        "exact": queue.as_of >= needed_as_of,
    }
    for _ in range(ATTEMPTS):
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM, wish)
            row = cursor.fetchone()
        if row is None:
            return None
        if row[0] is not None:
            return Served(*row[:6])
        # Somebody was faster: the same question now has another answer.
    return None


def claim_best(
    *, topic: int, assessor: int, method: str, configuration: int, needed_as_of: int
) -> Served | None:
    """The best free document of the stored queue; behind a silent worker, of the static order."""
    queue = stored_queue(topic, configuration=configuration)
    served = claim_from(queue, topic=topic, assessor=assessor, method=method, needed_as_of=needed_as_of)
    if served is not None or (queue.complete and queue.as_of >= needed_as_of):
        return served
    beyond = Queue(static_order(topic), NEVER)
    return claim_from(beyond, topic=topic, assessor=assessor, method="A", needed_as_of=needed_as_of)


def claim_this(
    *, topic: int, document: int, assessor: int, method: str, revising: int | None
) -> Served | None:
    """Bring one document back to its assessor; None while somebody else has it open."""
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO campaigns_claim AS k"
            " (topic_id, document_id, assessor_id, created, expires_at, method, exact, recalled)"
            " VALUES (%(topic)s, %(document)s, %(assessor)s, %(now)s, %(until)s, %(method)s, NULL, true)"
            " ON CONFLICT (topic_id, document_id) DO UPDATE"
            " SET assessor_id = excluded.assessor_id, expires_at = excluded.expires_at, recalled = true,"
            "     created = excluded.created, lookahead = NULL, lookahead_as_of = NULL,"
            "     method = CASE WHEN k.assessor_id = excluded.assessor_id THEN k.method"
            "                   ELSE excluded.method END,"
            "     exact = CASE WHEN k.assessor_id = excluded.assessor_id THEN k.exact END"
            " WHERE k.expires_at <= %(now)s OR k.assessor_id = excluded.assessor_id"
            " RETURNING k.expires_at",
            {
                "topic": topic,
                "document": document,
                "assessor": assessor,
                "now": now,
                "until": now + lease(),
                "method": method,
            },
        )
        row = cursor.fetchone()
    return None if row is None else _served(document, row[0], revising)


def open_claim(*, topic: int, assessor: int) -> Served | None:
    """What this assessor already has open in the topic: a reload shows it again, and renews it."""
    claim = (
        Claim.objects.filter(topic_id=topic, assessor_id=assessor, expires_at__gt=timezone.now())
        .order_by("-created")
        .first()
    )
    if claim is None:
        return None
    claim.expires_at = timezone.now() + lease()
    claim.save(update_fields=["expires_at"])
    return _served(claim.document_id, claim.expires_at, _own_grade(topic, claim.document_id, assessor))


def _own_grade(topic: int, document: int, assessor: int) -> int | None:
    """What the assessor's latest act on the document says, if it is a grade."""
    acts = Judgment.objects.filter(topic_id=topic, document_id=document, assessor_id=assessor)
    return acts.order_by("-sequence").values_list("grade", flat=True).first()


def renew(*, topic: int, document: int, assessor: int) -> datetime | None:
    until = timezone.now() + lease()
    mine = Claim.objects.filter(topic_id=topic, document_id=document, assessor_id=assessor)
    return until if mine.update(expires_at=until) else None


def _served(document_id: int, expires_at: datetime, revising: int | None) -> Served:
    document = Document.objects.get(id=document_id)
    return Served(
        document.id,
        document.docno,
        document.title,
        document.body,
        document.content_type,
        expires_at,
        revising,
    )
