"""The judging path. The row is committed first; everything else can be made again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from campaigns.models import Campaign, Judgment
from campaigns.models.campaign import Status
from campaigns.services import admission, claims
from campaigns.services.admission import not_open
from campaigns.services.claims import Queue, Served
from campaigns.services.errors import Refused
from campaigns.services.progress import Progress, progress_of
from campaigns.services.serving import claim_shown, needed_as_of, next_document
from campaigns.tasks.recomputing import request_recompute

REASONS = ("unreadable", "missing text", "wrong language", "conflict of interest", "other")


@dataclass(frozen=True)
class Act:
    """What an assessor did: exactly one of a grade, a reason why there is none, or an undo."""

    id: UUID
    topic: str
    docno: str
    grade: int | None = None
    reason: str = ""
    undo: bool = False
    milliseconds: int | None = None
    # The document that the browser, which had it at hand, has put on the screen after this act.
    shown: str = ""


@dataclass(frozen=True)
class Recorded:
    judgment: Judgment
    topic: str
    docno: str
    created: bool
    progress: Progress
    next: Served | None


@dataclass(frozen=True)
class _Place:
    """The act's topic and document, and the claim it was made under, as the tables have them."""

    topic: int
    topic_revision: int
    document: int
    claim: int | None
    claim_live: bool
    method: str
    exact: bool | None
    lookahead: dict[str, dict[str, Any]] | None
    lookahead_as_of: int | None
    lookahead_configuration: int | None
    recalled: bool
    inclusion_probability: float | None
    # The method that serves the topic now; empty: the campaign's.
    topic_method: str
    earlier: UUID | None


def record(*, campaign: Campaign, assessor: int, act: Act) -> Recorded:
    """Append the act to the log and claim the assessor's next document, in one transaction. The same
    id again changes nothing and gets the same answer."""
    try:
        _check(campaign, act)
        place = _find(campaign, assessor, act)
    except Refused:
        # What was accepted once stays accepted, whatever has changed since.
        if Judgment.objects.filter(id=act.id, campaign=campaign, assessor_id=assessor).exists():
            return _repeated(campaign, assessor, act)
        raise
    try:
        with transaction.atomic():
            judgment = _append(campaign, assessor, act, place)
            # Behind the log's lock: a topic cannot close between this look and the commit.
            goes_on = admission.check_act(topic=place.topic, assessor=assessor, act=act.id)
            served = _next_after(campaign, assessor, act, place, judgment) if goes_on else None
            progress = progress_of(campaign=campaign, topic=place.topic, assessor=assessor)
            request_recompute(campaign.id)
    except IntegrityError:
        return _repeated(campaign, assessor, act)
    return Recorded(judgment, act.topic, act.docno, True, progress, served)


def _check(campaign: Campaign, act: Act) -> None:
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if act.grade is not None and act.grade not in {row["grade"] for row in campaign.grades}:
        scale = ", ".join(str(row["grade"]) for row in campaign.grades)
        raise Refused("grade_outside_scale", f"{act.grade} is not a grade here: {scale}", field="grade")
    if act.reason and act.reason not in REASONS:
        raise Refused("unknown_reason", f"the reason is one of: {', '.join(REASONS)}", field="reason")


_FIND = """
SELECT t.id, t.revision, d.id, k.id, k.expires_at > now(), coalesce(k.method, s.method),
       CASE WHEN k.id IS NULL THEN s.exact ELSE k.exact END, k.lookahead,
       k.lookahead_as_of, k.lookahead_configuration, k.recalled,
       coalesce(k.inclusion_probability, s.inclusion_probability, j.inclusion_probability),
       t.method, j.id, j.method
FROM campaigns_topic t
LEFT JOIN campaigns_document d ON d.collection_id = %(collection)s AND d.docno = %(docno)s
LEFT JOIN campaigns_claim k
  ON k.topic_id = t.id AND k.document_id = d.id AND k.assessor_id = %(assessor)s
LEFT JOIN campaigns_postponement s
  ON s.topic_id = t.id AND s.document_id = d.id AND s.assessor_id = %(assessor)s
LEFT JOIN LATERAL (
  SELECT j.id, j.method, j.inclusion_probability FROM campaigns_judgment j
  WHERE j.topic_id = t.id AND j.document_id = d.id AND j.assessor_id = %(assessor)s
  ORDER BY j.sequence DESC LIMIT 1) j ON true
WHERE t.campaign_id = %(campaign)s AND t.number = %(topic)s
"""


def _find(campaign: Campaign, assessor: int, act: Act) -> _Place:
    with connection.cursor() as cursor:
        cursor.execute(
            _FIND,
            {
                "campaign": campaign.id,
                "collection": campaign.collection_id,
                "topic": act.topic,
                "docno": act.docno,
                "assessor": assessor,
            },
        )
        row = cursor.fetchone()
    if row is None:
        raise Refused("unknown_topic", f"there is no topic {act.topic}", field="topic", status=404)
    document, claim = row[2], row[3]
    # Without a claim, a document set aside or judged before was handed to the assessor all the same.
    handed_out = claim is not None or row[5] is not None or row[13] is not None
    if document is None or not (handed_out or in_pool(row[0], document)):
        raise Refused(
            "not_in_pool", f"no run of topic {act.topic} holds the document {act.docno}", field="docno"
        )
    if act.undo and row[13] is None:
        raise Refused("nothing_to_undo", f"you have not judged {act.docno}", field="docno")
    # Read by a cursor of our own, JSON arrives as text.
    lookahead = json.loads(row[7]) if isinstance(row[7], str) else row[7]
    method = row[5] or row[14] or "" if claim is None else row[5]
    return _Place(row[0], row[1], document, claim, bool(row[4]), method, row[6], lookahead, *row[8:14])


def in_pool(topic: int, document: int) -> bool:
    """Whether any run ranks the document for the topic. Four aligned bytes are searched for in the
    packed lists; a hit at an odd offset is no hit, so each is looked at again."""
    needle = document.to_bytes(4, "little")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT documents FROM campaigns_ranking WHERE topic_id = %s AND position(%s IN documents) > 0",
            [topic, needle],
        )
        return any(_aligned(bytes(row[0]), needle) for row in cursor)


def _aligned(packed: bytes, needle: bytes) -> bool:
    at = packed.find(needle)
    while at >= 0 and at % 4:
        at = packed.find(needle, at + 1)
    return at >= 0


# Taking the log's next place locks its head until the commit: places are committed in their own order.
_APPEND = """
WITH head AS (
  UPDATE campaigns_loghead SET length = length + 1
  WHERE campaign_id = %(campaign)s AND accepting RETURNING length
), released AS (
  DELETE FROM campaigns_claim WHERE id = %(claim)s
), taken_up AS (
  DELETE FROM campaigns_postponement
  WHERE topic_id = %(topic)s AND document_id = %(document)s AND assessor_id = %(assessor)s
)
INSERT INTO campaigns_judgment
  (id, campaign_id, sequence, topic_id, document_id, assessor_id, grade, reason, undo, milliseconds,
   method, served_exactly, inclusion_probability, stale_claim, topic_revision, supersedes_id, created)
SELECT %(id)s, %(campaign)s, head.length, %(topic)s, %(document)s, %(assessor)s, %(grade)s, %(reason)s,
   %(undo)s, %(milliseconds)s, %(method)s, %(exact)s, %(inclusion)s,
   %(stale)s, %(revision)s, %(earlier)s, %(now)s
FROM head
RETURNING sequence
"""


def _append(campaign: Campaign, assessor: int, act: Act, place: _Place) -> Judgment:
    judgment = Judgment(
        id=act.id,
        campaign=campaign,
        topic_id=place.topic,
        document_id=place.document,
        assessor_id=assessor,
        grade=act.grade,
        reason=act.reason,
        undo=act.undo,
        milliseconds=act.milliseconds,
        method=place.method,
        served_exactly=place.exact,
        inclusion_probability=place.inclusion_probability,
        stale_claim=not place.claim_live and not act.undo,
        topic_revision=place.topic_revision,
        supersedes_id=place.earlier,
        created=timezone.now(),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            _APPEND,
            {
                "id": judgment.id,
                "campaign": campaign.id,
                "topic": place.topic,
                "document": place.document,
                "assessor": assessor,
                "grade": act.grade,
                "reason": act.reason,
                "undo": act.undo,
                "milliseconds": act.milliseconds,
                "method": judgment.method,
                "exact": judgment.served_exactly,
                "inclusion": judgment.inclusion_probability,
                "stale": judgment.stale_claim,
                "revision": judgment.topic_revision,
                "earlier": place.earlier,
                "now": judgment.created,
                "claim": None if act.undo else place.claim,
            },
        )
        row = cursor.fetchone()
    if row is None:
        # Closed between the look at its status and this moment.
        campaign.refresh_from_db(fields=["status"])
        raise not_open(campaign)
    judgment.sequence = row[0]
    return judgment


def _next_after(
    campaign: Campaign, assessor: int, act: Act, place: _Place, judgment: Judgment
) -> Served | None:
    if act.undo:
        return claims.claim_this(
            topic=place.topic,
            document=place.document,
            assessor=assessor,
            method=place.method,
            inclusion_probability=place.inclusion_probability,
            revising=None,
        )
    needed = needed_as_of(campaign, place.topic, place.topic_method, before=judgment.sequence)
    foreseen = _foreseen(campaign, act, place)
    if act.shown:
        known = [] if foreseen is None else [(foreseen, needed)]
        served = claim_shown(
            campaign,
            place.topic,
            act.shown,
            assessor=assessor,
            foreseen=known,
            needed_as_of=judgment.sequence,
        )
        if served is not None:
            return served
    if foreseen is not None and foreseen.as_of >= needed:
        served = claims.claim_from(foreseen, topic=place.topic, assessor=assessor, needed_as_of=needed)
        if served is not None:
            return served
    return claims.claim_best(
        topic=place.topic,
        assessor=assessor,
        configuration=campaign.configuration,
        needed_as_of=judgment.sequence,
    )


def _foreseen(campaign: Campaign, act: Act, place: _Place) -> Queue | None:
    """What the worker worked out while the document was on screen, for just this grade."""
    if place.lookahead_configuration != campaign.configuration:
        return None
    if act.grade is None and place.recalled:
        # Without this grade, another assessor's may stand: "no grade" was not what was foreseen.
        return None
    return claims.foreseen_queue(
        place.lookahead,
        "" if act.grade is None else str(act.grade),
        method=place.topic_method or campaign.method,
        as_of=place.lookahead_as_of,
    )


def _repeated(campaign: Campaign, assessor: int, act: Act) -> Recorded:
    judgment = (
        Judgment.objects.select_related("document", "topic")
        .filter(id=act.id, campaign=campaign, assessor_id=assessor)
        .first()
    )
    if judgment is None:
        raise Refused("id_taken", "this id belongs to another judgment", field="id", status=409)
    progress = progress_of(campaign=campaign, topic=judgment.topic_id, assessor=assessor)
    is_open = campaign.status == Status.OPEN and admission.goes_on(topic=judgment.topic_id, assessor=assessor)
    served = next_document(campaign=campaign, topic=judgment.topic, assessor=assessor) if is_open else None
    return Recorded(judgment, judgment.topic.number, judgment.document.docno, False, progress, served)
