"""Judgments by the hundred: each has an outcome of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext
from rest_framework.exceptions import ValidationError

from campaigns.api.framework.problems import problem_of
from campaigns.api.shapes.judging import JudgmentIn
from campaigns.core.errors import Refused
from campaigns.core.wording import grouped
from campaigns.judging.lookup import Act, Taken
from campaigns.judging.record import MOST, record_all
from campaigns.models import Campaign

LONGEST_ID = 100


def outcomes_of(*, campaign: Campaign, assessor: int, rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Of each row, in their order: its id, the status and the answer it would have had alone."""
    if len(rows) > MOST:
        detail = gettext("at most %(most)s judgments at once, not %(count)s; nothing was recorded")
        values = {"most": grouped(MOST), "count": grouped(len(rows))}
        raise Refused("too_many", detail % values, status=413)
    form = JudgmentIn()
    read = [_read(form, row) for row in rows]
    acts = [act for act in read if isinstance(act, Act)]
    told = iter(record_all(campaign=campaign, assessor=assessor, acts=acts))
    outcomes = [next(told) if isinstance(act, Act) else act for act in read]
    return [_outcome_json(row, outcome) for row, outcome in zip(rows, outcomes, strict=True)]


def _read(form: JudgmentIn, row: Any) -> Act | ValidationError:
    try:
        return Act(**form.run_validation(row))
    except ValidationError as error:
        return error


def _outcome_json(row: Any, outcome: Taken | Refused | ValidationError) -> dict[str, Any]:
    if isinstance(outcome, Taken):
        status = 201 if outcome.created else 200
        return {"id": outcome.judgment.id, "status": status, "judgment": judgment_json(outcome)}
    status, problem = problem_of(outcome)
    return {"id": _id_as_sent(row), "status": status, "problem": problem}


def _id_as_sent(row: Any) -> str | None:
    sent = row.get("id") if isinstance(row, dict) else None
    return sent if isinstance(sent, str) and sent.isascii() and len(sent) <= LONGEST_ID else None


def judgment_json(taken: Taken) -> dict[str, Any]:
    judgment = taken.judgment
    return {
        "id": judgment.id,
        "topic": taken.topic,
        "docno": taken.docno,
        "grade": judgment.grade,
        "reason": judgment.reason,
        "undo": judgment.undo,
        "revision": taken.revision,
        "created": judgment.created,
    }
