"""Claims: which assessor has which document open, and until when.

A claim is one conditional INSERT. Of two assessors who reach for the same document, the database lets exactly
one have it, and the other looks again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import accumulate
from typing import Any

from django.db import connection
from django.utils import timezone

from campaigns.core.database import Statement
from campaigns.judging.situation import ServingQueue
from campaigns.log.current import excluded
from campaigns.models import Claim, Document, Membership
from campaigns.models.judgment import lease

CLAIM_ATTEMPTS = 8

# Places count from 1.
_CANDIDATES = """
(SELECT * FROM unnest({documents}, {sources}, {inclusion}, {purposes})
 WITH ORDINALITY AS given (document, source, inclusion, purpose, place)
 ORDER BY place OFFSET 0) AS candidate
"""
_COLUMNS = {"documents": "int[]", "sources": "text[]", "inclusion": "float8[]", "purposes": "text[]"}


# The assessor may have a document unless it has a grade that counts, they judged it or could not judge it,
# they judge it later, or another assessor has it open. One with a purpose is for them although it has a
# grade. Each EXISTS stands in a SELECT of its own, which the planner leaves alone: the candidates are looked
# at one by one, best first, and the first free one ends the search. `topic` and `assessor` stand for
# expressions.
def is_free(topic: str, assessor: str) -> str:
    return f"""
NOT (SELECT EXISTS (
    SELECT FROM campaigns_claim k WHERE k.topic_id = {topic} AND k.document_id = candidate.document
    AND k.assessor_id <> {assessor} AND k.expires_at > now()))
  AND NOT (SELECT EXISTS (
    SELECT FROM campaigns_postponement s WHERE s.topic_id = {topic}
    AND s.document_id = candidate.document AND s.assessor_id = {assessor}))
  AND (coalesce(candidate.purpose, '') <> '' OR NOT (SELECT EXISTS (
    SELECT FROM campaigns_judgment j WHERE j.topic_id = {topic} AND j.document_id = candidate.document
    AND NOT j.undo AND (j.assessor_id = {assessor} OR j.grade IS NOT NULL AND NOT {excluded("j")})
    AND NOT EXISTS (
      SELECT FROM campaigns_judgment later WHERE later.topic_id = j.topic_id
      AND later.document_id = j.document_id AND later.assessor_id = j.assessor_id
      AND later.sequence > j.sequence))))
"""  # noqa: S608


# Put together from constants only, like the statements below.
_FREE = f"""
SELECT document FROM {_CANDIDATES.format(**{name: f"%({name})s::{kind}" for name, kind in _COLUMNS.items()})}
WHERE {is_free("%(topic)s", "%(assessor)s")} ORDER BY place
"""  # noqa: S608

# The candidates of all requests follow one another, each request's up to its `last`.
_REQUESTED = _CANDIDATES.format(
    **{name: f"(%({name})s)[request.last - request.count + 1:request.last]" for name in _COLUMNS}
)
_IS_FREE = is_free("request.topic", "request.assessor")
# With a `target`, a place among the candidates, only that one is claimed: the browser shows it already. It
# was served exactly if none before it was free. What is `recalled` was the assessor's before: it keeps the
# method that served it first, whatever its grades.
_CLAIM = Statement(
    "claim",
    f"""
WITH chosen AS (
  SELECT request.*, found.*
  FROM unnest(%(topics)s, %(assessors)s, %(methods)s, %(exact)s, %(queue_ages)s, %(served_at)s, %(targets)s,
      %(counts)s, %(lasts)s)
    AS request (topic, assessor, method, exact, queue_age, served_at, target, count, last),
  LATERAL (
    SELECT candidate.document, candidate.source, candidate.inclusion,
      coalesce(candidate.purpose, '') AS purpose,
      request.target IS NULL OR NOT EXISTS (
        SELECT FROM {_REQUESTED} WHERE candidate.place < request.target AND {_IS_FREE}) AS is_first
    FROM {_REQUESTED}
    WHERE (request.target IS NULL OR candidate.place = request.target) AND (%(recalled)s OR {_IS_FREE})
    ORDER BY candidate.place LIMIT 1) AS found),
claimed AS (
  INSERT INTO campaigns_claim AS k
    (topic_id, document_id, assessor_id, created, expires_at, method, exact, queue_age, served_at, recalled,
     inclusion_probability, purpose)
  SELECT chosen.topic, chosen.document, chosen.assessor, clock_timestamp(), now() + %(lease)s,
    coalesce(chosen.source, chosen.method),
    CASE WHEN chosen.purpose = '' THEN chosen.exact AND chosen.is_first END,
    CASE WHEN chosen.purpose = '' AND chosen.is_first THEN chosen.queue_age END,
    CASE WHEN chosen.purpose = '' THEN chosen.served_at END,
    %(recalled)s AND chosen.purpose <> '{Claim.Purpose.REPEAT}', chosen.inclusion, chosen.purpose
  FROM chosen
  ON CONFLICT (topic_id, document_id) DO UPDATE
    SET assessor_id = excluded.assessor_id, created = excluded.created, expires_at = excluded.expires_at,
        method = CASE WHEN %(recalled)s AND k.assessor_id = excluded.assessor_id THEN k.method
                      ELSE excluded.method END,
        exact = CASE WHEN %(recalled)s AND k.assessor_id = excluded.assessor_id THEN k.exact
                     ELSE excluded.exact END,
        queue_age = CASE WHEN %(recalled)s AND k.assessor_id = excluded.assessor_id THEN k.queue_age
                         ELSE excluded.queue_age END,
        served_at = CASE WHEN %(recalled)s AND k.assessor_id = excluded.assessor_id THEN k.served_at
                         ELSE excluded.served_at END,
        weight_given_up = CASE WHEN %(recalled)s AND k.assessor_id = excluded.assessor_id
                               THEN k.weight_given_up END,
        recalled = excluded.recalled, reserved = false,
        inclusion_probability = excluded.inclusion_probability, purpose = excluded.purpose,
        lookahead = NULL, lookahead_as_of = NULL
    WHERE k.expires_at <= now() OR k.assessor_id = excluded.assessor_id
  RETURNING topic_id, document_id, expires_at)
SELECT chosen.topic, d.id, d.docno, d.title, CASE WHEN chosen.target IS NULL THEN d.body ELSE '' END,
  d.content_type, claimed.expires_at, d.url_template,
  CASE WHEN chosen.target IS NULL THEN d.html END, d.revision, d.metadata::text
FROM chosen LEFT JOIN claimed ON claimed.topic_id = chosen.topic
LEFT JOIN LATERAL (
  SELECT d.*, c.url_template FROM campaigns_document d JOIN campaigns_collection c ON c.id = d.collection_id
  WHERE d.id = claimed.document_id LIMIT 1) AS d ON true
""",  # noqa: S608
    topics="bigint[]",
    assessors="int[]",
    methods="text[]",
    exact="bool[]",
    queue_ages="int[]",
    served_at="int[]",
    targets="bigint[]",
    counts="int[]",
    lasts="int[]",
    **_COLUMNS,
    recalled="bool",
    lease="interval",
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
RETURNING d.id, d.docno, d.title, d.body, d.content_type, k.expires_at, c.url_template, d.html,
  d.revision, d.metadata::text, k.recalled
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
    # As stored: see `shown_html`.
    html: str | None = None
    document_revision: int = 1
    # All fields, of which the campaign shows some.
    metadata: dict[str, str] = field(default_factory=dict)
    # Whether the assessor's own judgment of it stands, and they have it open to look at it again.
    revision: bool = False
    revising: int | None = None

    def revised(self, grade: int | None) -> ServedDocument:
        """The same, shown with what the assessor said of it."""
        return replace(self, revision=True, revising=grade)


@dataclass(frozen=True)
class ClaimRequest:
    """The first free document of the queue for this assessor alone, or the one at the place `target`
    (from 0), which comes without its text: the browser has it. A target that is not the first free document
    was chosen by an older queue, whose age is not known."""

    queue: ServingQueue
    topic: int
    assessor: int
    # Whether the queue is up to date, and how many judgments it lacks.
    exact: bool | None = False
    queue_age: int | None = None
    # The length of the log.
    served_at: int | None = None
    target: int | None = None


def claim(request: ClaimRequest, *, recalled: bool = False) -> ServedDocument | None:
    """None where no document of the queue is free; of one `recalled`, while another assessor has it open."""
    return _claim([request], recalled=recalled)[0]


def claim_together(requests: Sequence[ClaimRequest]) -> list[ServedDocument | None]:
    """The same for requests of different topics, by one statement."""
    return _claim(requests, recalled=False)


def _claim(requests: Sequence[ClaimRequest], *, recalled: bool) -> list[ServedDocument | None]:
    waiting = {request.topic: request for request in requests}
    served: dict[int, ServedDocument] = {}
    for _ in range(CLAIM_ATTEMPTS):
        overtaken = set()
        for topic, *row in _CLAIM.rows({**_columns(waiting.values()), "recalled": recalled}):
            if row[0] is None:
                # Another assessor was faster: the same statement will find another document.
                overtaken.add(topic)
            else:
                served[topic] = _served(row)
        waiting = {topic: request for topic, request in waiting.items() if topic in overtaken}
        if recalled or not waiting:
            break
    return [served.get(request.topic) for request in requests]


def _columns(requests: Collection[ClaimRequest]) -> dict[str, Any]:
    candidates = [_candidates(request.queue) for request in requests]
    counts = [len(request.queue.documents) for request in requests]
    return {
        **{name: _joined([columns[name] for columns in candidates], counts) for name in _COLUMNS},
        "topics": [request.topic for request in requests],
        "assessors": [request.assessor for request in requests],
        "methods": [request.queue.method for request in requests],
        "exact": [request.exact for request in requests],
        "queue_ages": [request.queue_age for request in requests],
        "served_at": [request.served_at for request in requests],
        "targets": [None if request.target is None else request.target + 1 for request in requests],
        "counts": counts,
        "lasts": list(accumulate(counts)),
        "lease": lease(),
    }


def _joined(columns: Sequence[list[Any]], counts: Sequence[int]) -> list[Any]:
    """The columns one after the other; one that is left out holds nothing."""
    if not any(columns):
        return []
    return [
        value for column, count in zip(columns, counts, strict=True) for value in (column or [None] * count)
    ]


def _served(row: Sequence[Any]) -> ServedDocument:
    """A row of a prepared statement; metadata comes last, as JSON."""
    metadata = {} if row[-1] == "{}" else json.loads(row[-1])
    return ServedDocument(*(*row[:-1], metadata))


def _candidates(queue: ServingQueue) -> dict[str, list[Any]]:
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
        row.html,
        row.revision,
        row.metadata,
    )


def renew(*, topic: int, document: int, assessor: int) -> datetime | None:
    """Extend the assessor's claim by a lease; None if they have none or are paused."""
    if Membership.objects.filter(user=assessor, campaign__topics=topic, paused_at__isnull=False).exists():
        return None
    until = timezone.now() + lease()
    mine = Claim.objects.filter(topic_id=topic, document_id=document, assessor_id=assessor)
    return until if mine.update(expires_at=until) else None
