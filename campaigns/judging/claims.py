"""Claims: which assessor has which document open, and until when.

A claim is one conditional INSERT. Of two assessors who reach for the same document, the database lets exactly
one have it, and the other looks again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from campaigns.core.database import Statement
from campaigns.judging.situation import ServingQueue
from campaigns.log.current import excluded
from campaigns.models import Claim, Document, Membership
from campaigns.models.judgment import lease

CLAIM_ATTEMPTS = 8

_CANDIDATES = """
(SELECT * FROM unnest(
   %(documents)s::int[], %(sources)s::text[], %(inclusion)s::float8[], %(purposes)s::text[])
 WITH ORDINALITY AS given (document, source, inclusion, purpose, place)
 ORDER BY place OFFSET 0) AS candidate
"""
# The assessor may have a document unless it has a grade that counts, they judged it or could not judge it,
# they judge it later, or another assessor has it open. One with a purpose is for them although it has a
# grade. Each EXISTS stands in a SELECT of its own, which the planner leaves alone: the candidates are looked
# at one by one, best first, and the first free one ends the search.
_IS_FREE = f"""
NOT (SELECT EXISTS (
    SELECT FROM campaigns_claim k WHERE k.topic_id = %(topic)s AND k.document_id = candidate.document
    AND k.assessor_id <> %(assessor)s AND k.expires_at > now()))
  AND NOT (SELECT EXISTS (
    SELECT FROM campaigns_postponement s WHERE s.topic_id = %(topic)s
    AND s.document_id = candidate.document AND s.assessor_id = %(assessor)s))
  AND (coalesce(candidate.purpose, '') <> '' OR NOT (SELECT EXISTS (
    SELECT FROM campaigns_judgment j WHERE j.topic_id = %(topic)s AND j.document_id = candidate.document
    AND NOT j.undo AND (j.assessor_id = %(assessor)s OR j.grade IS NOT NULL AND NOT {excluded("j")})
    AND NOT EXISTS (
      SELECT FROM campaigns_judgment later WHERE later.topic_id = j.topic_id
      AND later.document_id = j.document_id AND later.assessor_id = j.assessor_id
      AND later.sequence > j.sequence))))
"""  # noqa: S608
# Put together from constants only, like the statements below.
_FREE = f"SELECT document FROM {_CANDIDATES} WHERE {_IS_FREE} ORDER BY place"  # noqa: S608

# With a `target`, a place among the candidates, only that one is claimed: the browser shows it already. It
# was served exactly if none before it was free. What is `recalled` was the assessor's before: it keeps the
# method that served it first, whatever its grades.
_CLAIM = Statement(
    "claim",
    f"""
WITH chosen AS (
  SELECT candidate.document, candidate.place, candidate.source, candidate.inclusion,
    coalesce(candidate.purpose, '') AS purpose,
    %(target)s IS NULL OR NOT EXISTS (
      SELECT FROM {_CANDIDATES} WHERE candidate.place < %(target)s AND {_IS_FREE}) AS is_first
  FROM {_CANDIDATES}
  WHERE (%(target)s IS NULL OR candidate.place = %(target)s) AND (%(recalled)s OR {_IS_FREE})
  ORDER BY candidate.place LIMIT 1),
claimed AS (
  INSERT INTO campaigns_claim AS k
    (topic_id, document_id, assessor_id, created, expires_at, method, exact, queue_age, served_at, recalled,
     inclusion_probability, purpose)
  SELECT %(topic)s, chosen.document, %(assessor)s, clock_timestamp(), now() + %(lease)s,
    coalesce(chosen.source, %(method)s),
    CASE WHEN chosen.purpose = '' THEN %(exact)s AND chosen.is_first END,
    CASE WHEN chosen.purpose = '' AND chosen.is_first THEN %(queue_age)s END,
    CASE WHEN chosen.purpose = '' THEN %(served_at)s END,
    %(recalled)s AND chosen.purpose <> '{Claim.Purpose.REPEAT}', chosen.inclusion, chosen.purpose
  FROM chosen
  ON CONFLICT (topic_id, document_id) DO UPDATE
    SET assessor_id = excluded.assessor_id, created = excluded.created, expires_at = excluded.expires_at,
        method = CASE WHEN %(recalled)s AND k.assessor_id = excluded.assessor_id THEN k.method
                      ELSE excluded.method END,
        exact = CASE WHEN %(recalled)s AND k.assessor_id = excluded.assessor_id THEN k.exact
                     ELSE excluded.exact END,
        queue_age = excluded.queue_age, served_at = excluded.served_at, weight_given_up = NULL,
        recalled = excluded.recalled, reserved = false,
        inclusion_probability = excluded.inclusion_probability, purpose = excluded.purpose,
        lookahead = NULL, lookahead_as_of = NULL
    WHERE k.expires_at <= now() OR k.assessor_id = excluded.assessor_id
  RETURNING document_id, expires_at)
SELECT d.id, d.docno, d.title, CASE WHEN %(with_body)s THEN d.body ELSE '' END, d.content_type,
  claimed.expires_at, c.url_template, d.metadata::text
FROM chosen LEFT JOIN claimed ON true LEFT JOIN campaigns_document d ON d.id = claimed.document_id
LEFT JOIN campaigns_collection c ON c.id = d.collection_id
""",  # noqa: S608
    documents="int[]",
    sources="text[]",
    inclusion="float8[]",
    purposes="text[]",
    topic="bigint",
    assessor="int",
    method="text",
    lease="interval",
    exact="bool",
    queue_age="int",
    served_at="int",
    target="bigint",
    recalled="bool",
    with_body="bool",
)

_REOPEN = Statement(
    "reopen",
    """
UPDATE campaigns_claim k SET expires_at = now() + %(lease)s
FROM campaigns_document d JOIN campaigns_collection c ON c.id = d.collection_id
WHERE d.id = k.document_id AND k.id = (
  SELECT id FROM campaigns_claim
  WHERE topic_id = %(topic)s AND assessor_id = %(assessor)s AND NOT reserved AND expires_at > now()
  ORDER BY created DESC LIMIT 1)
RETURNING d.id, d.docno, d.title, d.body, d.content_type, k.expires_at, c.url_template, d.metadata::text,
  k.recalled
""",
    topic="bigint",
    assessor="int",
    lease="interval",
)


@dataclass(frozen=True)
class ServedDocument:
    """A document on an assessor's screen, and until when it is theirs."""

    document_id: int
    docno: str
    title: str
    body: str
    content_type: str
    expires_at: datetime
    # Where the collection's documents can be seen at their source.
    url_template: str = ""
    # All fields, of which the campaign shows some.
    metadata: dict[str, str] = field(default_factory=dict)
    # Whether the assessor's own judgment of it stands, and they have it open to look at it again.
    revision: bool = False
    revising: int | None = None

    def revised(self, grade: int | None) -> ServedDocument:
        """The same, shown with what the assessor said of it."""
        return replace(self, revision=True, revising=grade)


def claim(
    queue: ServingQueue,
    *,
    topic: int,
    assessor: int,
    exact: bool | None = False,
    queue_age: int | None = None,
    served_at: int | None = None,
    target: int | None = None,
    recalled: bool = False,
) -> ServedDocument | None:
    """Claim the first free document of the queue, or the one at the place `target` (from 0), for this
    assessor alone. `exact`: whether the queue is up to date; `queue_age`: how many judgments it lacks;
    `served_at`: the length of the log. A target comes without its text, which the browser has; if it is not
    the first free document, it was chosen by an older queue, whose age is not known."""
    values = {
        **_candidates(queue),
        "topic": topic,
        "assessor": assessor,
        "method": queue.method,
        "lease": lease(),
        "exact": exact,
        "queue_age": queue_age,
        "served_at": served_at,
        "target": None if target is None else target + 1,
        "recalled": recalled,
        "with_body": target is None,
    }
    for _ in range(CLAIM_ATTEMPTS):
        row = _CLAIM.row(values)
        if row is None:
            return None
        if row[0] is not None:
            return _served(row)
        if recalled:
            return None
        # Another assessor was faster: the same statement now finds another document.
    return None


def _served(row: tuple[Any, ...]) -> ServedDocument:
    """A row of a prepared statement; metadata comes last, as JSON."""
    metadata = {} if row[-1] == "{}" else json.loads(row[-1])
    return ServedDocument(*(*row[:-1], metadata))


def _candidates(queue: ServingQueue) -> dict[str, Any]:
    return {
        "documents": list(queue.documents),
        "sources": list(queue.sources),
        "inclusion": list(queue.inclusion),
        "purposes": list(queue.purposes),
    }


def free_documents(queue: ServingQueue, *, topic: int, assessor: int) -> list[int]:
    """The documents of the queue that the assessor may have, in its order, without claiming any."""
    with connection.cursor() as cursor:
        cursor.execute(_FREE, {**_candidates(queue), "topic": topic, "assessor": assessor})
        return [row[0] for row in cursor]


def reopen(*, topic: int, assessor: int) -> tuple[ServedDocument, bool] | None:
    """Renew what the assessor has on the screen in the topic; and whether it was recalled."""
    row = _REOPEN.row({"topic": topic, "assessor": assessor, "lease": lease()})
    return None if row is None else (_served(row[:-1]), row[-1])


def unclaimed(document: int) -> ServedDocument:
    """A document that the assessor has judged, to be looked at again while another assessor has it open."""
    row = Document.objects.select_related("collection").get(id=document)
    return ServedDocument(
        *(row.id, row.docno, row.title, row.body, row.content_type, timezone.now() + lease()),
        row.collection.url_template,
        row.metadata,
    )


def renew(*, topic: int, document: int, assessor: int) -> datetime | None:
    """Extend the assessor's claim by a lease; None if they have none or are paused."""
    if Membership.objects.filter(user=assessor, campaign__topics=topic, paused_at__isnull=False).exists():
        return None
    until = timezone.now() + lease()
    mine = Claim.objects.filter(topic_id=topic, document_id=document, assessor_id=assessor)
    return until if mine.update(expires_at=until) else None
