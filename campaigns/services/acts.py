"""An act's place: its topic and document, the claim it was made under, and what was said before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils.translation import gettext

from campaigns.models import Campaign, Claim
from campaigns.services.errors import Refused
from campaigns.services.owed import is_drawn_for_repeating


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
    # Whether the assessor saw what they had said of the document before; None: not told.
    revision: bool | None = None


@dataclass(frozen=True)
class Place:
    """The act's topic and document, and the claim it was made under, as the tables have them."""

    topic: int
    topic_revision: int
    document: int
    # The judgment that is repeated where the act answers, or takes back, what was shown once more without
    # the assessor's knowing.
    repeats: UUID | None
    # The same act arrived before.
    known: bool
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
    purpose: str


_FIND = """
SELECT t.id, t.revision, d.id, k.id, k.expires_at > now(), coalesce(k.method, s.method),
       CASE WHEN k.id IS NULL THEN s.exact ELSE k.exact END, k.lookahead,
       k.lookahead_as_of, k.lookahead_configuration, k.recalled,
       coalesce(k.inclusion_probability, s.inclusion_probability, j.inclusion_probability),
       t.method, j.id, coalesce(k.purpose, s.purpose, ''), j.method, NOT j.undo AND j.grade IS NOT NULL,
       NOT r.undo AND r.created > j.created, NOT r.undo, r.first_id,
       EXISTS (SELECT FROM campaigns_judgment WHERE id = %(id)s)
       OR EXISTS (SELECT FROM campaigns_repeat WHERE id = %(id)s)
FROM campaigns_topic t
LEFT JOIN campaigns_document d ON d.collection_id = %(collection)s AND d.docno = %(docno)s
LEFT JOIN campaigns_claim k
  ON k.topic_id = t.id AND k.document_id = d.id AND k.assessor_id = %(assessor)s
LEFT JOIN campaigns_postponement s
  ON s.topic_id = t.id AND s.document_id = d.id AND s.assessor_id = %(assessor)s
LEFT JOIN LATERAL (
  SELECT j.id, j.method, j.inclusion_probability, j.grade, j.undo, j.created FROM campaigns_judgment j
  WHERE j.topic_id = t.id AND j.document_id = d.id AND j.assessor_id = %(assessor)s
  ORDER BY j.sequence DESC LIMIT 1) j ON true
LEFT JOIN LATERAL (
  SELECT r.undo, r.created, r.first_id FROM campaigns_repeat r
  WHERE r.topic_id = t.id AND r.document_id = d.id AND r.assessor_id = %(assessor)s
  ORDER BY r.created DESC LIMIT 1) r ON true
WHERE t.campaign_id = %(campaign)s AND t.number = %(topic)s
"""


def find(campaign: Campaign, assessor: int, act: Act) -> Place:
    with connection.cursor() as cursor:
        cursor.execute(
            _FIND,
            {
                "campaign": campaign.id,
                "collection": campaign.collection_id,
                "topic": act.topic,
                "docno": act.docno,
                "assessor": assessor,
                "id": act.id,
            },
        )
        row = cursor.fetchone()
    if row is None:
        raise Refused(
            "unknown_topic",
            gettext("there is no topic %(topic)s") % {"topic": act.topic},
            field="topic",
            status=404,
        )
    document, claim = row[2], row[3]
    # Without a claim, a document set aside or judged before was handed to the assessor all the same.
    handed_out = claim is not None or row[5] is not None or row[13] is not None
    if document is None or not (handed_out or in_pool(row[0], document)):
        raise Refused(
            "not_in_pool",
            gettext("no run of topic %(topic)s holds the document %(docno)s")
            % {"topic": act.topic, "docno": act.docno},
            field="docno",
        )
    if act.undo and row[13] is None:
        raise Refused(
            "nothing_to_undo", gettext("you have not judged %(docno)s") % {"docno": act.docno}, field="docno"
        )
    # Read by a cursor of our own, JSON arrives as text.
    lookahead = json.loads(row[7]) if isinstance(row[7], str) else row[7]
    method = row[5] or row[15] or "" if claim is None else row[5]
    said = _Said(*map(bool, row[16:19]))
    repeats = None
    if act.undo and said.repeated_last:
        repeats = row[19]
    elif not act.undo and _answers_repeat(campaign, assessor, act, said, row[14], claim is not None):
        repeats = row[13]
    held = (claim, bool(row[4]), method, row[6], lookahead, *row[8:15])
    return Place(row[0], row[1], document, repeats, row[20], *held)


@dataclass(frozen=True)
class _Said:
    """What the assessor said before: a grade that stands; an answer when shown the document once more, as
    their last word, or at all."""

    graded: bool
    repeated_last: bool
    repeated: bool


def _answers_repeat(
    campaign: Campaign, assessor: int, act: Act, said: _Said, purpose: str, claimed: bool
) -> bool:
    """Whether the document was shown as new although the assessor had graded it. Their claim says so; where
    it has gone to somebody else meanwhile, the screen does, for documents that were to be repeated."""
    if act.revision or not said.graded:
        return False
    if claimed or purpose:
        return purpose == Claim.Purpose.REPEAT
    if act.revision is None or said.repeated:
        return False
    return is_drawn_for_repeating(campaign=campaign, topic=act.topic, docno=act.docno, assessor=assessor)


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
