"""An assessor's second answers, given without knowing that they are: kept beside the log, in nothing that is
computed from it. To the assessor, the last thing they said of a document is what they said of it."""

from __future__ import annotations

from django.utils import timezone

from campaigns.models import Claim, Judgment, LogHead, Postponement, Repeat


def append(*, repeat: Repeat, claim: int | None) -> bool:
    """Add the answer, and let go of the document unless it takes one back; False if the campaign takes
    nothing more. Like a judgment it holds the log's lock until the commit."""
    heads = LogHead.objects.select_for_update().filter(campaign=repeat.campaign_id, accepting=True)
    if heads.first() is None:
        return False
    here = {"topic": repeat.topic_id, "document": repeat.document_id, "assessor": repeat.assessor_id}
    if not repeat.undo:
        Claim.objects.filter(id__in=[claim] if claim else [], assessor_id=repeat.assessor_id).delete()
        Postponement.objects.filter(**here).delete()
    repeat.created = timezone.now()
    repeat.save(force_insert=True)
    return True


def standing(*, topic: int, assessor: int) -> dict[int, Repeat]:
    """The assessor's answers that were not taken back, by document."""
    rows = Repeat.objects.filter(topic_id=topic, assessor_id=assessor)
    rows = rows.select_related("document").defer("document__body")
    latest = rows.order_by("document_id", "-created").distinct("document_id")
    return {row.document_id: row for row in latest if not row.undo}


def last_word(*, topic: int, document: int, assessor: int) -> Judgment | Repeat | None:
    """What the assessor said of the document last, if it stands."""
    here = {"topic_id": topic, "document_id": document, "assessor_id": assessor}
    judgment = Judgment.objects.filter(**here).order_by("-sequence").first()
    answer = Repeat.objects.filter(**here).order_by("-created").first()
    if answer and not answer.undo and (judgment is None or answer.created > judgment.created):
        return answer
    return judgment if judgment and not judgment.undo else None
