"""Acts that were taken, as their assessor is told of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from campaigns.models import Campaign, Judgment, Repeat


@dataclass(frozen=True)
class Taken:
    # Of the log, or beside it; the assessor cannot tell.
    judgment: Judgment | Repeat
    topic: str
    docno: str
    # Now, and not when the same act came before.
    created: bool
    # Whether it took the place of what the assessor had said before.
    revision: bool


def taken_before(*, campaign: Campaign, assessor: int, ids: Collection[UUID]) -> dict[UUID, Taken]:
    """The assessor's acts as they were recorded when they came first."""
    mine = {"id__in": ids, "campaign": campaign, "assessor_id": assessor}
    acts = Judgment.objects.filter(**mine).select_related("document", "topic", "supersedes")
    answers = Repeat.objects.filter(**mine).select_related("document", "topic")
    rows: list[Judgment | Repeat] = [*acts.defer("document__body"), *answers.defer("document__body")]
    return {row.id: Taken(row, row.topic.number, row.document.docno, False, _revises(row)) for row in rows}


def _revises(act: Judgment | Repeat) -> bool:
    if not isinstance(act, Judgment) or act.undo or act.supersedes is None:
        return False
    return not act.supersedes.undo
