"""An assessor's training: attempt after attempt, each item once in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any
from uuid import UUID

import numpy as np
from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.models import Campaign, TrainingAnswer, TrainingItem
from evaluation.agreement.kappa import cohen_kappa


@dataclass(frozen=True)
class AnsweredItem:
    """Assessor's grade of an item, and the expected one."""

    item: TrainingItem
    grade: int

    @property
    def agreed(self) -> bool:
        return self.grade == self.item.grade


@dataclass(frozen=True)
class Attempt:
    """One attempt: what has been answered, in the order of the items, and the item to come."""

    number: int
    answers: list[AnsweredItem]
    items: int
    next: TrainingItem | None

    @property
    def finished(self) -> bool:
        return self.next is None and self.items > 0

    @property
    def agreed(self) -> int:
        return sum(answer.agreed for answer in self.answers)

    @property
    def kappa(self) -> float | None:
        return kappa_of([(answer.grade, answer.item.grade) for answer in self.answers])


def kappa_of(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa of given and expected grades; None while it says nothing."""
    if len(pairs) < 2:
        return None
    given, expected = np.array(pairs).T
    value = cohen_kappa(given, expected, resamples=10).value
    return value if isfinite(value) else None


def attempt_of(*, campaign: Campaign, assessor: int, again: bool = False) -> Attempt:
    """The attempt under way, or the last finished one; with `again`, a new one after a finished one."""
    items = list(campaign.training_items.select_related("topic", "document__collection"))
    answers = TrainingAnswer.objects.filter(item__campaign=campaign, assessor_id=assessor)
    rows = list(answers.values_list("attempt", "item", "grade"))
    latest = max((attempt for attempt, _, _ in rows), default=1)
    current = _attempt(latest, items, {item: grade for attempt, item, grade in rows if attempt == latest})
    return _attempt(latest + 1, items, {}) if again and current.finished else current


def _attempt(number: int, items: Sequence[TrainingItem], grades: dict[int, int]) -> Attempt:
    answers = [AnsweredItem(item, grades[item.id]) for item in items if item.id in grades]
    left = (item for item in items if item.id not in grades)
    return Attempt(number, answers, len(items), next(left, None))


@dataclass(frozen=True)
class TrainingAnswerRequest:
    """Assessor's answer to an item; the browser makes the id."""

    id: UUID
    item: int
    attempt: int
    grade: int
    milliseconds: int | None = None


def answer(
    *, campaign: Campaign, assessor: int, request: TrainingAnswerRequest
) -> tuple[AnsweredItem, Attempt, bool]:
    """Keep an answer; the same id again changes nothing. The item as answered, the attempt so far, and
    whether the answer is new."""
    if request.grade not in {row["grade"] for row in campaign.grades}:
        scale = ", ".join(str(row["grade"]) for row in campaign.grades)
        raise Refusal(
            "grade_outside_scale",
            gettext("%(grade)s is not a grade here: %(scale)s") % {"grade": request.grade, "scale": scale},
            field="grade",
        )
    stored = TrainingAnswer.objects.filter(id=request.id).first()
    if stored is None:
        _check_turn(campaign, assessor, request)
        try:
            with transaction.atomic():
                stored, created = _store(assessor, request), True
                _note_end(campaign, assessor)
        except IntegrityError:
            stored, created = TrainingAnswer.objects.filter(id=request.id).first(), False
    else:
        created = False
    if stored is None:
        raise Refusal("answered", gettext("this item is answered already"), field="item", status=409)
    if stored.assessor_id != assessor or stored.item_id != request.item:
        raise Refusal("id_taken", gettext("this id belongs to another answer"), field="id", status=409)
    attempt = attempt_of(campaign=campaign, assessor=assessor)
    return AnsweredItem(stored.item, stored.grade), attempt, created


def _store(assessor: int, request: TrainingAnswerRequest) -> TrainingAnswer:
    return TrainingAnswer.objects.create(
        id=request.id,
        item_id=request.item,
        assessor_id=assessor,
        attempt=request.attempt,
        grade=request.grade,
        milliseconds=request.milliseconds,
    )


def _note_end(campaign: Campaign, assessor: int) -> None:
    attempt = attempt_of(campaign=campaign, assessor=assessor)
    if attempt.finished:
        detail = {"attempt": attempt.number, "agreed": attempt.agreed, "items": attempt.items}
        audit.note(campaign=campaign, kind="trained", **detail)


def _check_turn(campaign: Campaign, assessor: int, request: TrainingAnswerRequest) -> None:
    """Answers follow the items' order, so that no one answers what they have been shown."""
    if not campaign.training_items.filter(id=request.item).exists():
        raise Refusal("unknown_item", gettext("there is no such training item"), field="item", status=404)
    turn = attempt_of(campaign=campaign, assessor=assessor)
    if turn.finished and request.attempt == turn.number + 1:
        turn = attempt_of(campaign=campaign, assessor=assessor, again=True)
    if request.attempt != turn.number:
        detail = gettext("attempt %(number)s is under way, not %(attempt)s") % {
            "number": turn.number,
            "attempt": request.attempt,
        }
        raise Refusal("wrong_attempt", detail, field="attempt", status=409)
    if turn.next is None or turn.next.id != request.item:
        raise Refusal(
            "answered",
            gettext("this is not the current training item; reload the page"),
            field="item",
            status=409,
        )


# Of each assessor the last attempt that has an answer.
_STANDINGS = """
SELECT u.username, a.attempt, count(*), array_agg(a.grade ORDER BY i.position),
  array_agg(i.grade ORDER BY i.position), max(a.created)
FROM campaigns_traininganswer a
JOIN campaigns_trainingitem i ON i.id = a.item_id
JOIN auth_user u ON u.id = a.assessor_id
WHERE i.campaign_id = %s AND a.attempt = (
  SELECT max(b.attempt) FROM campaigns_traininganswer b JOIN campaigns_trainingitem k ON k.id = b.item_id
  WHERE k.campaign_id = i.campaign_id AND b.assessor_id = a.assessor_id)
GROUP BY u.username, a.attempt ORDER BY u.username
"""


@dataclass(frozen=True)
class TrainingRow:
    username: str
    attempt: int
    answered: int
    agreed: int
    kappa: float | None
    last: Any


def training_of(*, campaign: Campaign) -> list[TrainingRow]:
    """Results of everybody who has begun the training, for the organiser."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDINGS, [campaign.id])
        return [
            TrainingRow(
                name,
                attempt,
                count,
                sum(one == other for one, other in zip(given, expected, strict=True)),
                kappa_of(list(zip(given, expected, strict=True))),
                last,
            )
            for name, attempt, count, given, expected, last in cursor
        ]
