"""Who gets which document. A claim is one conditional INSERT: of two assessors who reach for the same
document, the database lets exactly one have it, and the other looks again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from campaigns.core.database import Statement
from campaigns.judging.progress import latest_standing_act
from campaigns.judging.queues import NEVER_EXACT, ServedDocument, ServingQueue, fallback_order, stored_queue
from campaigns.models import Claim, Document, Membership
from campaigns.models.judgment import lease

CLAIM_ATTEMPTS = 8

# The assessor may have a document unless it has a grade, they could not judge it, they set it aside, or
# somebody else has it open. One with a purpose is owed to them although it has a grade (`owed.py`). Each
# EXISTS stands in a SELECT of its own, which the planner leaves alone: the candidates are looked at one by
# one, best first, and the first free one ends the search.
FREE = """
SELECT candidate.document, candidate.place, candidate.source, candidate.inclusion,
  coalesce(candidate.purpose, '') AS purpose
FROM (SELECT * FROM unnest(
        %(documents)s::int[], %(sources)s::text[], %(inclusion)s::float8[], %(purposes)s::text[])
      WITH ORDINALITY AS given (document, source, inclusion, purpose, place)
      ORDER BY place OFFSET 0) AS candidate
WHERE NOT (SELECT EXISTS (
    SELECT FROM campaigns_claim k WHERE k.topic_id = %(topic)s AND k.document_id = candidate.document
    AND k.assessor_id <> %(assessor)s AND k.expires_at > now()))
  AND NOT (SELECT EXISTS (
    SELECT FROM campaigns_postponement s WHERE s.topic_id = %(topic)s
    AND s.document_id = candidate.document AND s.assessor_id = %(assessor)s))
  AND (coalesce(candidate.purpose, '') <> '' OR NOT (SELECT EXISTS (
    SELECT FROM campaigns_judgment j WHERE j.topic_id = %(topic)s AND j.document_id = candidate.document
    AND NOT j.undo AND (j.grade IS NOT NULL OR j.assessor_id = %(assessor)s)
    AND NOT EXISTS (
      SELECT FROM campaigns_judgment later WHERE later.topic_id = j.topic_id
      AND later.document_id = j.document_id AND later.assessor_id = j.assessor_id
      AND later.sequence > j.sequence))))
ORDER BY candidate.place LIMIT %(limit)s
"""

# Put together from constants only.
_CLAIM = Statement(
    "claim",
    f"""
WITH free AS ({FREE}), claimed AS (
  INSERT INTO campaigns_claim
    (topic_id, document_id, assessor_id, created, expires_at, method, exact, recalled,
     inclusion_probability, purpose)
  SELECT %(topic)s, free.document, %(assessor)s, now(), now() + %(lease)s,
    coalesce(free.source, %(method)s), CASE WHEN free.purpose = '' THEN %(exact)s END, false,
    free.inclusion, free.purpose
  FROM free
  ON CONFLICT (topic_id, document_id) DO UPDATE
    SET assessor_id = excluded.assessor_id, created = excluded.created, method = excluded.method,
        expires_at = excluded.expires_at, exact = excluded.exact, recalled = false, reserved = false,
        inclusion_probability = excluded.inclusion_probability, purpose = excluded.purpose,
        lookahead = NULL, lookahead_as_of = NULL
    WHERE campaigns_claim.expires_at <= now() OR campaigns_claim.assessor_id = excluded.assessor_id
  RETURNING document_id, expires_at)
SELECT d.id, d.docno, d.title, CASE WHEN %(with_body)s THEN d.body ELSE '' END, d.content_type,
  claimed.expires_at, NULL::int, c.url_template
FROM free LEFT JOIN claimed ON true LEFT JOIN campaigns_document d ON d.id = claimed.document_id
LEFT JOIN campaigns_collection c ON c.id = d.collection_id
""",  # noqa: S608
    documents="int[]",
    sources="text[]",
    inclusion="float8[]",
    purposes="text[]",
    topic="bigint",
    assessor="int",
    limit="bigint",
    method="text",
    lease="interval",
    exact="bool",
    with_body="bool",
)


def _asking(queue: ServingQueue, *, topic: int, assessor: int, limit: int | None) -> dict[str, Any]:
    return {
        "documents": list(queue.documents),
        "sources": list(queue.sources),
        "inclusion": list(queue.inclusion),
        "purposes": list(queue.purposes),
        "topic": topic,
        "assessor": assessor,
        "limit": limit,
    }


def free_of(queue: ServingQueue, *, topic: int, assessor: int, limit: int | None = None) -> list[int]:
    """The documents of the queue that the assessor may have, in its order, without claiming any."""
    with connection.cursor() as cursor:
        cursor.execute(FREE, _asking(queue, topic=topic, assessor=assessor, limit=limit))
        return [row[0] for row in cursor]


def claim_from(
    queue: ServingQueue, *, topic: int, assessor: int, needed_as_of: int, with_body: bool = True
) -> ServedDocument | None:
    """Claim the first free document of the queue, for this assessor alone."""
    wish = {
        **_asking(queue, topic=topic, assessor=assessor, limit=1),
        "method": queue.method,
        "lease": lease(),
        "exact": queue.as_of >= needed_as_of,
        "with_body": with_body,
    }
    for _ in range(CLAIM_ATTEMPTS):
        row = _CLAIM.row(wish)
        if row is None:
            return None
        if row[0] is not None:
            return ServedDocument(*row)
        # Somebody was faster: the same question now has another answer.
    return None


def claim_best(*, topic: int, assessor: int, configuration: int, needed_as_of: int) -> ServedDocument | None:
    """The best free document of the stored queue; behind a silent worker, that of last resort."""
    queue = stored_queue(topic, configuration=configuration)
    served = claim_from(queue, topic=topic, assessor=assessor, needed_as_of=needed_as_of)
    if served is not None or (queue.complete and queue.as_of >= needed_as_of):
        return served
    known = fallback_order(topic)
    beyond = ServingQueue(known.documents, known.method, NEVER_EXACT, inclusion=known.inclusion)
    return claim_from(beyond, topic=topic, assessor=assessor, needed_as_of=needed_as_of)


def claim_shown(
    document: int, queues: Iterable[tuple[ServingQueue, int]], *, topic: int, assessor: int
) -> ServedDocument | None:
    """Claim what the assessor's browser has put on the screen by itself, under the first of the queues that
    holds it; each comes with the act up to which it must be right. Its text is left out: it is there."""
    for queue, needed in queues:
        if document not in queue.documents:
            continue
        at = list(queue.documents).index(document)
        before = ServingQueue(queue.documents[: at + 1], queue.method, queue.as_of)
        best = queue.as_of >= needed and free_of(before, topic=topic, assessor=assessor, limit=1) == [
            document
        ]
        wish = queue.only(at, exact=best)
        return claim_from(wish, topic=topic, assessor=assessor, needed_as_of=needed, with_body=False)
    return None


def claimed_queue(*, topic: int, document: int, assessor: int) -> ServingQueue:
    """A document the assessor has, as it was handed to them: the queue that held it may be gone."""
    held = Claim.objects.filter(topic_id=topic, document_id=document, assessor_id=assessor).first()
    if held is None:
        return ServingQueue([], "", NEVER_EXACT)
    return ServingQueue([document], held.method, NEVER_EXACT, inclusion=[held.inclusion_probability])


def claim_this(
    *,
    topic: int,
    document: int,
    assessor: int,
    method: str,
    inclusion_probability: float | None,
    revising: int | None,
    revision: bool = False,
    exact: bool | None = None,
    purpose: str = Claim.Purpose.FIRST,
) -> ServedDocument | None:
    """Bring one document back to its assessor; None while somebody else has it open. It keeps the method
    that served it first. What they are to judge once more comes as it would from the queue."""
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO campaigns_claim AS k"
            " (topic_id, document_id, assessor_id, created, expires_at, method, exact, recalled,"
            "  inclusion_probability, purpose)"
            " VALUES (%(topic)s, %(document)s, %(assessor)s, %(now)s, %(until)s, %(method)s, %(exact)s,"
            "  %(recalled)s, %(inclusion_probability)s, %(purpose)s)"
            " ON CONFLICT (topic_id, document_id) DO UPDATE"
            " SET assessor_id = excluded.assessor_id, expires_at = excluded.expires_at,"
            "     recalled = excluded.recalled, reserved = false, purpose = excluded.purpose,"
            "     created = excluded.created, lookahead = NULL, lookahead_as_of = NULL,"
            "     inclusion_probability = excluded.inclusion_probability,"
            "     method = CASE WHEN k.assessor_id = excluded.assessor_id THEN k.method"
            "                   ELSE excluded.method END,"
            "     exact = CASE WHEN k.assessor_id = excluded.assessor_id THEN k.exact ELSE excluded.exact END"
            " WHERE k.expires_at <= %(now)s OR k.assessor_id = excluded.assessor_id"
            " RETURNING k.expires_at",
            {
                "topic": topic,
                "document": document,
                "assessor": assessor,
                "now": now,
                "until": now + lease(),
                "method": method,
                "exact": exact,
                "inclusion_probability": inclusion_probability,
                "recalled": purpose != Claim.Purpose.REPEAT,
                "purpose": purpose,
            },
        )
        row = cursor.fetchone()
    return None if row is None else _served(document, row[0], revising, revision)


def serve_unclaimed(*, document: int, revising: int | None) -> ServedDocument:
    """What the assessor has judged, to be looked at again while somebody else has it open."""
    return _served(document, timezone.now() + lease(), revising, True)


def open_claim(*, topic: int, assessor: int) -> ServedDocument | None:
    """What this assessor already has open in the topic: a reload shows it again, and renews it."""
    mine = Claim.objects.filter(topic_id=topic, assessor_id=assessor, reserved=False)
    claim = mine.filter(expires_at__gt=timezone.now()).order_by("-created").first()
    if claim is None:
        return None
    claim.expires_at = timezone.now() + lease()
    claim.save(update_fields=["expires_at"])
    said = (
        latest_standing_act(topic=topic, document=claim.document_id, assessor=assessor)
        if claim.recalled
        else None
    )
    return _served(claim.document_id, claim.expires_at, said.grade if said else None, said is not None)


def let_go(*, topic: int, document: int, assessor: int) -> None:
    Claim.objects.filter(topic_id=topic, document_id=document, assessor_id=assessor).delete()


def renew(*, topic: int, document: int, assessor: int) -> datetime | None:
    if Membership.objects.filter(user=assessor, campaign__topics=topic, paused_at__isnull=False).exists():
        return None
    until = timezone.now() + lease()
    mine = Claim.objects.filter(topic_id=topic, document_id=document, assessor_id=assessor)
    return until if mine.update(expires_at=until) else None


def _served(document_id: int, expires_at: datetime, revising: int | None, revision: bool) -> ServedDocument:
    document = Document.objects.select_related("collection").get(id=document_id)
    return ServedDocument(
        document.id,
        document.docno,
        document.title,
        document.body,
        document.content_type,
        expires_at,
        revising,
        document.collection.url_template,
        revision,
    )
