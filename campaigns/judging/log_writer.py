"""Assessors' acts become rows, one or a thousand at a time.

An assessor's second answers, given without knowing that they are: kept beside the log, in nothing that is
computed from it. To the assessor, the last thing they said of a document is what they said of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from campaigns.core.database import Statement
from campaigns.judging.admission import not_open
from campaigns.judging.lookup import ActPlace, ActRequest
from campaigns.log import audit
from campaigns.models import Campaign, Claim, Judgment, LogHead, Repeat

_TAKE_UP = """
DELETE FROM campaigns_postponement p USING unnest(%s::bigint[], %s::int[]) AS answer (topic, document)
WHERE p.topic_id = answer.topic AND p.document_id = answer.document AND p.assessor_id = %s
"""


def append_repeats(*, answers: Sequence[Repeat], claims: Sequence[int]) -> bool:
    """Add an assessor's answers, and let go of these claims and of what was answered; False if the campaign
    takes nothing more. Like judgments they hold the log's lock until the commit."""
    campaign, assessor = answers[0].campaign_id, answers[0].assessor_id
    heads = LogHead.objects.select_for_update().filter(campaign=campaign, accepting=True)
    if heads.first() is None:
        return False
    Claim.objects.filter(id__in=claims, assessor_id=assessor).delete()
    given = [(answer.topic_id, answer.document_id) for answer in answers if not answer.undo]
    with connection.cursor() as cursor:
        cursor.execute(
            _TAKE_UP, [[topic for topic, _ in given], [document for _, document in given], assessor]
        )
    Repeat.objects.bulk_create(answers)
    _note(answers)
    return True


def _note(answers: Sequence[Repeat]) -> None:
    """For organisers: an assessor's own history holds judgments alone, so that nothing tells them."""
    rows = Repeat.objects.filter(id__in=[answer.id for answer in answers])
    # The log is locked meanwhile: no texts are read, however many answers there are.
    found = {
        id: told for id, *told in rows.values_list("id", "topic__number", "document__docno", "first__grade")
    }
    for answer in answers:
        topic, docno, before = found[answer.id]
        said = {"grade": answer.grade, "reason": answer.reason, "undo": answer.undo, "before": before}
        audit.note(campaign=answer.campaign, kind="shown again", topic=topic, docno=docno, **said)


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


def row_of(
    campaign: Campaign, assessor: int, act: ActRequest, place: ActPlace, created: datetime
) -> Judgment | Repeat:
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


def append_acts(
    *, campaign: Campaign, assessor: int, rows: Sequence[Judgment | Repeat], claims: Sequence[int]
) -> None:
    """Add an assessor's acts, in their order, and let go of these claims. The log is locked until the
    surrounding transaction ends."""
    judgments = [row for row in rows if isinstance(row, Judgment)]
    answers = [row for row in rows if isinstance(row, Repeat)]
    if judgments:
        _append_to_log(campaign, assessor, judgments, claims)
    if answers and not append_repeats(answers=answers, claims=claims):
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
