"""Assessors' acts become rows, one or a thousand at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from campaigns.core.database import Statement
from campaigns.judging import repeats
from campaigns.judging.acts import Act
from campaigns.judging.admission import not_open
from campaigns.judging.places import Place
from campaigns.models import Campaign, Judgment, Repeat

_COLUMNS = {
    "id": "uuid[]",
    "topic_id": "bigint[]",
    "document_id": "int[]",
    "grade": "int[]",
    "reason": "text[]",
    "undo": "bool[]",
    "milliseconds": "int[]",
    "method": "text[]",
    "served_exactly": "bool[]",
    "inclusion_probability": "float8[]",
    "stale_claim": "bool[]",
    "topic_revision": "int[]",
    "supersedes_id": "uuid[]",
    "adjudication": "bool[]",
    "created": "timestamptz[]",
}
# Taking the log's next places locks its head until the commit: places are committed in their own order. A
# claim may have lapsed and be somebody else's by now: then it stays.
_APPEND = Statement(
    "append",
    """
WITH head AS (
  UPDATE campaigns_loghead SET length = length + %(count)s
  WHERE campaign_id = %(campaign)s AND accepting RETURNING length - %(count)s AS length
), released AS (
  DELETE FROM campaigns_claim WHERE id = ANY(%(claims)s) AND assessor_id = %(assessor)s
), taken_up AS (
  DELETE FROM campaigns_postponement p
  USING unnest(%(topic_id)s, %(document_id)s) AS act (topic, document)
  WHERE p.topic_id = act.topic AND p.document_id = act.document AND p.assessor_id = %(assessor)s
)
INSERT INTO campaigns_judgment
  (campaign_id, assessor_id, sequence, id, topic_id, document_id, grade, reason, undo, milliseconds, method,
   served_exactly, inclusion_probability, stale_claim, topic_revision, supersedes_id, adjudication, created)
SELECT %(campaign)s, %(assessor)s, head.length + act.place, act.id, act.topic_id, act.document_id, act.grade,
  act.reason, act.undo, act.milliseconds, act.method, act.exact, act.inclusion, act.stale, act.revision,
  act.supersedes, act.adjudication, act.created
FROM head, unnest(
  %(id)s, %(topic_id)s, %(document_id)s, %(grade)s, %(reason)s, %(undo)s, %(milliseconds)s, %(method)s,
  %(served_exactly)s, %(inclusion_probability)s, %(stale_claim)s, %(topic_revision)s, %(supersedes_id)s,
  %(adjudication)s, %(created)s
) WITH ORDINALITY AS act (
  id, topic_id, document_id, grade, reason, undo, milliseconds, method, exact, inclusion, stale, revision,
  supersedes, adjudication, created, place)
ORDER BY act.place
RETURNING sequence
""",
    campaign="bigint",
    assessor="int",
    count="int",
    claims="bigint[]",
    **_COLUMNS,
)


def row_of(campaign: Campaign, assessor: int, act: Act, place: Place, created: datetime) -> Judgment | Repeat:
    """The act as a row, of the log or beside it; it has no place in the log yet."""
    said: dict[str, Any] = {
        "id": act.id,
        "campaign": campaign,
        "topic_id": place.topic,
        "document_id": place.document,
        "assessor_id": assessor,
        "grade": act.grade,
        "reason": act.reason,
        "undo": act.undo,
        "milliseconds": act.milliseconds,
        "created": created,
    }
    if place.repeats is not None:
        return Repeat(**said, first_id=place.repeats)
    return Judgment(
        **said,
        # Who judges again what they adjudicated, adjudicates it again.
        adjudication=place.decides,
        method=place.method,
        served_exactly=place.exact,
        inclusion_probability=place.inclusion_probability,
        stale_claim=not place.claim_live and not act.undo,
        topic_revision=place.topic_revision,
        supersedes_id=place.earlier,
    )


def append(
    *, campaign: Campaign, assessor: int, rows: Sequence[Judgment | Repeat], claims: Sequence[int]
) -> None:
    """Add an assessor's acts, in their order, and let go of these claims. The log is locked until the
    surrounding transaction ends."""
    judgments = [row for row in rows if isinstance(row, Judgment)]
    answers = [row for row in rows if isinstance(row, Repeat)]
    if judgments:
        _append_to_log(campaign, assessor, judgments, claims)
    if answers and not repeats.append_answers(answers=answers, claims=claims):
        raise _closed_meanwhile(campaign)


def _append_to_log(
    campaign: Campaign, assessor: int, judgments: Sequence[Judgment], claims: Sequence[int]
) -> None:
    wish: dict[str, Any] = {
        "campaign": campaign.id,
        "assessor": assessor,
        "count": len(judgments),
        "claims": list(claims),
        **{name: [getattr(judgment, name) for judgment in judgments] for name in _COLUMNS},
    }
    places = [row[0] for row in _APPEND.rows(wish)]
    if not places:
        raise _closed_meanwhile(campaign)
    for judgment, place in zip(judgments, places, strict=True):
        judgment.sequence = place


def _closed_meanwhile(campaign: Campaign) -> Exception:
    """Closed between the look at its status and this moment."""
    campaign.refresh_from_db(fields=["status"])
    return not_open(campaign)
