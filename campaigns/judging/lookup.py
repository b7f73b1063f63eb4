"""What the tables have of acts: topic and document, who holds it, and what the assessor said of it before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from campaigns.core.database import Statement
from campaigns.judging.acts import Act
from campaigns.models import Campaign, Judgment, Repeat


@dataclass(frozen=True)
class Held:
    """The assessor's claim."""

    method: str
    exact: bool | None
    inclusion: float | None
    purpose: str
    id: int
    live: bool
    recalled: bool
    lookahead: dict[str, dict[str, Any]] | None
    lookahead_as_of: int | None
    lookahead_configuration: int | None


@dataclass(frozen=True)
class Aside:
    """The assessor has set it aside; how it had come to them."""

    method: str
    exact: bool | None
    inclusion: float | None
    purpose: str


@dataclass(frozen=True)
class Said:
    """The assessor's latest act in the log."""

    id: UUID
    method: str
    inclusion: float | None
    grade: int | None
    undo: bool
    decision: bool


@dataclass(frozen=True)
class Answer:
    """The assessor's latest answer when shown the document once more; `last`: given after the latest act."""

    undo: bool
    last: bool
    first: UUID


@dataclass(frozen=True)
class Found:
    """An act's topic, and how the assessor stands to its document."""

    topic: int
    topic_revision: int
    # The method that serves the topic now; empty: the campaign's.
    topic_method: str
    document: int | None
    # A row of this id is there: the same act arrived before, or somebody else's.
    known: bool
    assessor_name: str
    held: Held | None = None
    aside: Aside | None = None
    said: Said | None = None
    answer: Answer | None = None

    @property
    def handed_out(self) -> bool:
        """Without a claim, a document set aside or judged before was handed to the assessor all the same."""
        return bool(self.held or self.aside or self.said)

    def after(self, row: Judgment | Repeat) -> Found:
        """What would be found once the act is taken, with nothing served since."""
        kept = self if row.undo else replace(self, held=None, aside=None)
        if isinstance(row, Repeat):
            return replace(kept, answer=Answer(row.undo, True, row.first_id))
        said = Said(row.id, row.method, row.inclusion_probability, row.grade, row.undo, row.adjudication)
        answer = self.answer and replace(self.answer, last=False)
        return replace(kept, aside=None, said=said, answer=answer)


# Each LATERAL has a LIMIT, which the planner leaves alone: acts are looked up one by one, however many.
_FIND = Statement(
    "find",
    """
SELECT t.id, t.revision, t.method, d.id,
  EXISTS (SELECT FROM campaigns_judgment WHERE id = act.id)
    OR EXISTS (SELECT FROM campaigns_repeat WHERE id = act.id),
  (SELECT username FROM auth_user WHERE id = %(assessor)s),
  k.method, k.exact, k.inclusion_probability, k.purpose, k.id, k.expires_at > now(), k.recalled, k.lookahead,
  k.lookahead_as_of, k.lookahead_configuration,
  s.method, s.exact, s.inclusion_probability, s.purpose,
  j.id, j.method, j.inclusion_probability, j.grade, j.undo, j.adjudication,
  r.undo, r.created > j.created, r.first_id
FROM unnest(%(ids)s::uuid[], %(topics)s::text[], %(docnos)s::text[])
  WITH ORDINALITY AS act (id, topic, docno, place)
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_topic t
  WHERE t.campaign_id = %(campaign)s AND t.number = act.topic LIMIT 1) t ON true
LEFT JOIN LATERAL (
  SELECT id FROM campaigns_document d
  WHERE d.collection_id = %(collection)s AND d.docno = act.docno LIMIT 1) d ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_claim k
  WHERE k.topic_id = t.id AND k.document_id = d.id AND k.assessor_id = %(assessor)s LIMIT 1) k ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_postponement s
  WHERE s.topic_id = t.id AND s.document_id = d.id AND s.assessor_id = %(assessor)s LIMIT 1) s ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_judgment j
  WHERE j.topic_id = t.id AND j.document_id = d.id AND j.assessor_id = %(assessor)s
  ORDER BY j.sequence DESC LIMIT 1) j ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_repeat r
  WHERE r.topic_id = t.id AND r.document_id = d.id AND r.assessor_id = %(assessor)s
  ORDER BY r.created DESC LIMIT 1) r ON true
ORDER BY act.place
""",
    campaign="bigint",
    collection="bigint",
    assessor="int",
    ids="uuid[]",
    topics="text[]",
    docnos="text[]",
)


def find(campaign: Campaign, assessor: int, acts: Sequence[Act]) -> list[Found | None]:
    """Of each act, in their order; None where the campaign has no such topic."""
    wish: dict[str, Any] = {
        "campaign": campaign.id,
        "collection": campaign.collection_id,
        "assessor": assessor,
        "ids": [act.id for act in acts],
        "topics": [act.topic for act in acts],
        "docnos": [act.docno for act in acts],
    }
    return [_found(row) for row in _FIND.rows(wish)]


def _found(row: tuple[Any, ...]) -> Found | None:
    if row[0] is None:
        return None
    held, aside, said, answer = row[6:16], row[16:20], row[20:26], row[26:29]
    if isinstance(held[7], str):
        # Read by a cursor of our own, JSON arrives as text.
        held = (*held[:7], json.loads(held[7]), *held[8:])
    return Found(
        *(row[0], row[1], row[2], row[3], row[4], row[5]),
        None if held[4] is None else Held(*held),
        None if aside[0] is None else Aside(*aside),
        None if said[0] is None else Said(*said),
        None if answer[2] is None else Answer(answer[0], bool(answer[1]), answer[2]),
    )
