"""Lookup of acts: topic and document, the assessor's relation to them, and the act's place in the log.

An act is what an assessor does: a grade, a reason why there is none, or an undo.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from campaigns.core.database import Statement
from campaigns.core.errors import Refusal
from campaigns.judging.overlap_and_repeats import is_repeat_check
from campaigns.log.current import is_by_assessor
from campaigns.models import Campaign, Claim, Judgment, Repeat


@dataclass(frozen=True)
class ActRequest:
    """Act of an assessor: exactly one of a grade, a reason why there is none, or an undo."""

    id: UUID
    topic: str
    docno: str
    grade: int | None = None
    reason: str = ""
    undo: bool = False
    milliseconds: int | None = None
    # Of a long document, how much of it had come into sight, in percent.
    seen: int | None = None
    # The document that the browser, which had it at hand, has put on the screen after this act.
    shown: str = ""
    # Docnos of those whose texts the browser has.
    have: Sequence[str] = ()
    # Whether the assessor saw what they had said of the document before; None: unknown.
    revision: bool | None = None
    # Of the text that the assessor saw; None: the present one.
    document_revision: int | None = None


@dataclass(frozen=True)
class ClaimState:
    """The assessor's claim."""

    method: str
    exact: bool | None
    inclusion: float | None
    purpose: str
    id: int
    live: bool
    recalled: bool
    # What would follow each outcome, as `foreseen_queue` reads it.
    lookahead: dict[str, Any] | None
    lookahead_as_of: int | None
    lookahead_configuration: int | None
    queue_age: int | None
    weight_given_up: float | None


@dataclass(frozen=True)
class JudgeLaterState:
    """The assessor has set it aside; how it had come to them."""

    method: str
    exact: bool | None
    inclusion: float | None
    purpose: str
    queue_age: int | None
    weight_given_up: float | None


@dataclass(frozen=True)
class LatestActState:
    """The assessor's latest act in the log."""

    id: UUID
    method: str
    inclusion: float | None
    grade: int | None
    undo: bool
    decision: bool


@dataclass(frozen=True)
class RepeatAnswerState:
    """The assessor's latest answer when shown the document once more; `last`: given after the latest act."""

    undo: bool
    last: bool
    first: UUID


@dataclass(frozen=True)
class ActLookup:
    """An act's topic, and how the assessor stands to its document."""

    topic: int
    topic_revision: int
    document: int | None
    # The document that the browser has put on the screen after this act; None: unknown, or there is none.
    shown: int | None
    # A row of this id is there: the same act arrived before, or another person's.
    known: bool
    assessor_name: str
    # Of the document's text that the assessor saw; None if that is neither the present one nor kept.
    document_revision: int | None
    # How often an upload had replaced texts by then.
    replacements: int
    held: ClaimState | None = None
    aside: JudgeLaterState | None = None
    latest: LatestActState | None = None
    answer: RepeatAnswerState | None = None

    @property
    def handed_out(self) -> bool:
        """Without a claim, a document set aside or judged before was handed to the assessor all the same."""
        return bool(self.held or self.aside or self.latest)

    def after(self, row: Judgment | Repeat) -> ActLookup:
        """Lookup as it will be once the act is recorded, with nothing served since."""
        lookup = self if row.undo else replace(self, held=None, aside=None)
        if isinstance(row, Repeat):
            return replace(lookup, answer=RepeatAnswerState(row.undo, True, row.first_id))
        latest = LatestActState(
            row.id, row.method, row.inclusion_probability, row.grade, row.undo, row.adjudication
        )
        answer = self.answer and replace(self.answer, last=False)
        return replace(lookup, aside=None, latest=latest, answer=answer)


# Each LATERAL has a LIMIT, which the planner leaves alone: acts are looked up one by one, however many. To
# answer whether an act's id EXISTS, it might read the ids of all judgments.
_LOOK_UP = Statement(
    "look_up",
    f"""
SELECT t.id, t.revision, d.id,
  (SELECT id FROM campaigns_document
   WHERE collection_id = %(collection)s AND act.shown <> '' AND docno = act.shown),
  coalesce((SELECT true FROM campaigns_judgment WHERE id = act.id),
    (SELECT true FROM campaigns_repeat WHERE id = act.id), false),
  (SELECT username FROM auth_user WHERE id = act.assessor),
  CASE WHEN coalesce(act.seen, d.revision) = d.revision THEN d.revision
    ELSE (SELECT revision FROM campaigns_documentrevision
      WHERE document_id = d.id AND revision = act.seen) END,
  (SELECT replacements FROM campaigns_loghead WHERE campaign_id = %(campaign)s),
  k.method, k.exact, k.inclusion_probability, k.purpose, k.id, k.expires_at > now(), k.recalled, k.lookahead,
  k.lookahead_as_of, k.lookahead_configuration, k.queue_age, k.weight_given_up,
  s.method, s.exact, s.inclusion_probability, s.purpose, s.queue_age, s.weight_given_up,
  j.id, j.method, j.inclusion_probability, j.grade, j.undo, j.adjudication,
  r.undo, r.created > j.created, r.first_id
FROM unnest(%(ids)s, %(assessors)s, %(topics)s, %(docnos)s, %(shown)s, %(seen)s)
  WITH ORDINALITY AS act (id, assessor, topic, docno, shown, seen, place)
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_topic t
  WHERE t.campaign_id = %(campaign)s AND t.number = act.topic LIMIT 1) t ON true
LEFT JOIN LATERAL (
  SELECT id, revision FROM campaigns_document d
  WHERE d.collection_id = %(collection)s AND d.docno = act.docno LIMIT 1) d ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_claim k
  WHERE k.topic_id = t.id AND k.document_id = d.id AND k.assessor_id = act.assessor LIMIT 1) k ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_postponement s
  WHERE s.topic_id = t.id AND s.document_id = d.id AND s.assessor_id = act.assessor LIMIT 1) s ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_judgment j
  WHERE j.topic_id = t.id AND j.document_id = d.id AND j.assessor_id = act.assessor
    AND {is_by_assessor("j")}
  ORDER BY j.sequence DESC LIMIT 1) j ON true
LEFT JOIN LATERAL (
  SELECT * FROM campaigns_repeat r
  WHERE r.topic_id = t.id AND r.document_id = d.id AND r.assessor_id = act.assessor
  ORDER BY r.created DESC LIMIT 1) r ON true
ORDER BY act.place
""",  # noqa: S608
    campaign="bigint",
    collection="bigint",
    ids="uuid[]",
    assessors="int[]",
    topics="text[]",
    docnos="text[]",
    shown="text[]",
    seen="int[]",
)


def look_up_acts(
    campaign: Campaign, assessors: Sequence[int], acts: Sequence[ActRequest]
) -> list[ActLookup | None]:
    """Look up each assessor's act, in their order; None where the campaign has no such topic."""
    values: dict[str, Any] = {
        "campaign": campaign.id,
        "collection": campaign.collection_id,
        "ids": [act.id for act in acts],
        "assessors": list(assessors),
        "topics": [act.topic for act in acts],
        "docnos": [act.docno for act in acts],
        "shown": [act.shown for act in acts],
        "seen": [act.document_revision for act in acts],
    }
    return [_lookup_of(row) for row in _LOOK_UP.rows(values)]


def _lookup_of(row: tuple[Any, ...]) -> ActLookup | None:
    if row[0] is None:
        return None
    held, aside, latest, answer = row[8:20], row[20:26], row[26:32], row[32:35]
    if isinstance(held[7], str):
        # Read by a cursor of our own, JSON arrives as text.
        held = (*held[:7], json.loads(held[7]), *held[8:])
    return ActLookup(
        *(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]),
        None if held[4] is None else ClaimState(*held),
        None if aside[0] is None else JudgeLaterState(*aside),
        None if latest[0] is None else LatestActState(*latest),
        None if answer[2] is None else RepeatAnswerState(answer[0], bool(answer[1]), answer[2]),
    )


@dataclass(frozen=True)
class ActPlace:
    """The act's topic and document, and the claim it was made under, as the tables have them."""

    topic: int
    topic_revision: int
    document: int
    document_revision: int
    replacements: int
    # The judgment that is repeated where the act answers, or takes back, what was shown once more without
    # the assessor's knowing.
    repeats: UUID | None
    # What the assessor has open, unless it has lapsed and gone to another assessor.
    claim: ClaimState | None
    method: str
    exact: bool | None
    queue_age: int | None
    weight_given_up: float | None
    inclusion_probability: float | None
    shown: int | None
    earlier: UUID | None
    # It takes the place of what the assessor had said before.
    revises: bool
    # What it takes the place of, or takes back, is a decision between others: then so is this.
    decides: bool
    purpose: str


def act_place_of(
    campaign: Campaign, act: ActRequest, lookup: ActLookup | None, ranked: Callable[[int, int], bool]
) -> ActPlace:
    """The act's place; refused where it has none. `ranked` says of a topic and a document whether any run
    ranks it there."""
    if lookup is None:
        raise Refusal(
            "unknown_topic",
            gettext("there is no topic %(topic)s") % {"topic": act.topic},
            field="topic",
            status=404,
        )
    held, aside, latest = lookup.held, lookup.aside, lookup.latest
    if lookup.document is None or not (lookup.handed_out or ranked(lookup.topic, lookup.document)):
        raise Refusal(
            "not_in_pool",
            gettext("no run retrieves %(docno)s for topic %(topic)s")
            % {"topic": act.topic, "docno": act.docno},
            field="docno",
        )
    if act.undo and latest is None:
        raise Refusal(
            "nothing_to_undo", gettext("you have not judged %(docno)s") % {"docno": act.docno}, field="docno"
        )
    if lookup.document_revision is None:
        detail = gettext("the text of %(docno)s was replaced while you had it open; read the new one")
        raise Refusal("text_replaced", detail % {"docno": act.docno}, field="document_revision", status=409)
    repeats = _repeats(campaign, act, lookup)
    came = held or aside
    chances = [each.inclusion for each in (held, aside, latest) if each and each.inclusion is not None]
    stands = latest is not None and not latest.undo
    return ActPlace(
        topic=lookup.topic,
        topic_revision=lookup.topic_revision,
        document=lookup.document,
        document_revision=lookup.document_revision,
        replacements=lookup.replacements,
        repeats=repeats,
        claim=held,
        method=held.method if held else (aside and aside.method) or (latest and latest.method) or "",
        exact=came.exact if came else None,
        queue_age=came.queue_age if came else None,
        weight_given_up=came.weight_given_up if came else None,
        inclusion_probability=chances[0] if chances else None,
        shown=lookup.shown,
        earlier=latest.id if latest else None,
        revises=stands and repeats is None and not act.undo,
        decides=stands and latest is not None and latest.decision,
        purpose=came.purpose if came else "",
    )


def _repeats(campaign: Campaign, act: ActRequest, lookup: ActLookup) -> UUID | None:
    answer, latest = lookup.answer, lookup.latest
    if act.undo:
        return answer.first if answer and answer.last and not answer.undo else None
    return latest.id if latest and _answers_repeat(campaign, act, lookup) else None


def _answers_repeat(campaign: Campaign, act: ActRequest, lookup: ActLookup) -> bool:
    """True if the document was shown as new although the assessor had graded it. Their claim decides; where
    it has since gone to another assessor, the screen does, for documents that were to be repeated."""
    latest, came = lookup.latest, lookup.held or lookup.aside
    if act.revision or latest is None or latest.undo or latest.grade is None:
        return False
    if lookup.held or (came and came.purpose):
        return came is not None and came.purpose == Claim.Purpose.REPEAT
    if act.revision is None or (lookup.answer and not lookup.answer.undo):
        return False
    return is_repeat_check(campaign=campaign, topic=act.topic, docno=act.docno, username=lookup.assessor_name)


@dataclass(frozen=True)
class RecordedJudgment:
    # Of the log, or beside it; the assessor cannot tell.
    judgment: Judgment | Repeat
    topic: str
    docno: str
    # Now, and not when the same act came before.
    created: bool
    # Whether it took the place of what the assessor had said before.
    revision: bool


def recorded_judgments(
    *, campaign: Campaign, assessor: int, ids: Collection[UUID]
) -> dict[UUID, RecordedJudgment]:
    """The assessor's acts as they were recorded when they came first."""
    mine = {"id__in": ids, "campaign": campaign, "assessor_id": assessor}
    acts = Judgment.objects.filter(**mine).select_related("document", "topic", "supersedes")
    answers = Repeat.objects.filter(**mine).select_related("document", "topic")
    texts = ("document__body", "document__html")
    rows: list[Judgment | Repeat] = [*acts.defer(*texts), *answers.defer(*texts)]
    return {
        row.id: RecordedJudgment(row, row.topic.number, row.document.docno, False, _revises(row))
        for row in rows
    }


def _revises(act: Judgment | Repeat) -> bool:
    if not isinstance(act, Judgment) or act.undo or act.supersedes is None:
        return False
    return not act.supersedes.undo
