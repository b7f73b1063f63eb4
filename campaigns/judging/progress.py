from __future__ import annotations

from campaigns.models import Judgment, Repeat


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
