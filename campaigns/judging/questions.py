"""Assessors' questions to the organisers about documents, and the answers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.rankings import is_ranked
from campaigns.core.errors import Refusal
from campaigns.judging.lookup import ActRequest, act_place_of, look_up_acts
from campaigns.judging.situation import not_open
from campaigns.log import audit
from campaigns.models import Campaign, Question
from campaigns.models.campaign import Status
from campaigns.notifications.assessor_emails import email_answer

LONGEST_QUESTION = 2000


def ask(
    *, campaign: Campaign, assessor: User, key: UUID, topic: str, docno: str, text: str
) -> tuple[Question, bool]:
    """Store a question; and whether it is new. An assessor may ask about what they may judge."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    text = _checked(text, "text")
    act = ActRequest(key, topic, docno)
    [lookup] = look_up_acts(campaign, [assessor.id], [act])
    place = act_place_of(campaign, act, lookup, is_ranked)
    fields = {"campaign": campaign, "topic_id": place.topic, "document_id": place.document, "text": text}
    with transaction.atomic():
        row, created = Question.objects.get_or_create(key=key, defaults={**fields, "assessor": assessor})
        if created:
            audit.note(campaign=campaign, kind="question asked", topic=topic, docno=docno)
    if (row.assessor_id, row.topic_id, row.document_id) != (assessor.id, place.topic, place.document):
        raise Refusal("id_taken", gettext("this id belongs to another question"), field="key", status=409)
    return row, created


def answer(*, campaign: Campaign, organiser: User, question: int, text: str) -> Question:
    """Answer an open question. One that is answered stays as it is, so that two organisers who answer at the
    same time do not overwrite each other."""
    text = _checked(text, "answer")
    with transaction.atomic():
        rows = with_names(campaign.questions.select_for_update(of=("self",)))
        row = rows.filter(id=question).first()
        if row is None:
            raise Refusal("no_question", gettext("there is no such question"), status=404)
        if row.answered_at is not None:
            raise Refusal("answered", gettext("another organiser has answered this question"), status=409)
        row.answer, row.answered_by, row.answered_at = text, organiser, timezone.now()
        row.save(update_fields=["answer", "answered_by", "answered_at"])
        named = {"topic": row.topic.number, "docno": row.document.docno}
        audit.note(campaign=campaign, kind="question answered", person=row.assessor.get_username(), **named)
        row.campaign = campaign
        email_answer(question=row)
    return row


def with_names(rows: QuerySet[Question]) -> QuerySet[Question]:
    """With topic, document and people, without the documents' texts."""
    named = rows.select_related("topic", "document", "assessor", "answered_by")
    words = (f"topic__{name}" for name in ("description", "narrative", "further_fields"))
    return named.defer("document__body", "document__html", *words)


def open_questions(*, campaign: Campaign) -> QuerySet[Question]:
    return campaign.questions.filter(answered_at=None)


def questions_in_topic(*, topic: int, assessor: int) -> list[dict[str, Any]]:
    """An assessor's questions in a topic, oldest first, for their own screen."""
    rows = Question.objects.filter(topic=topic, assessor=assessor).order_by("id")
    return [dict(row) for row in rows.values("document__docno", "text", "answer")]


def new_answers(*, campaigns: Collection[Campaign], assessor: int) -> dict[int, int]:
    """Number of answers, by campaign id, that the assessor has not had on their page yet."""
    rows = Question.objects.filter(assessor=assessor, campaign__in=campaigns, seen_at=None)
    counted = rows.exclude(answered_at=None).order_by().values("campaign").annotate(n=Count("pk"))
    return dict(counted.values_list("campaign", "n"))


def mark_seen(questions: Collection[Question]) -> None:
    ids = [row.id for row in questions if row.answered_at is not None and row.seen_at is None]
    if ids:
        Question.objects.filter(id__in=ids).update(seen_at=timezone.now())


def _checked(text: str, field: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text or "\0" in text:
        raise Refusal("bad_text", gettext("a text without NUL characters is expected"), field=field)
    if len(text) > LONGEST_QUESTION:
        detail = gettext("at most %(most)s characters fit here, not %(many)s")
        raise Refusal("text_too_long", detail % {"most": LONGEST_QUESTION, "many": len(text)}, field=field)
    return text
