"""An assessor's second answers, given without knowing that they are: kept beside the log, in nothing that is
computed from it. To the assessor, the last thing they said of a document is what they said of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from campaigns.log import audit
from campaigns.models import Claim, LogHead, Repeat

_TAKE_UP = """
DELETE FROM campaigns_postponement p USING unnest(%s::bigint[], %s::int[]) AS answer (topic, document)
WHERE p.topic_id = answer.topic AND p.document_id = answer.document AND p.assessor_id = %s
"""


def append_answers(*, answers: Sequence[Repeat], claims: Sequence[int]) -> bool:
    """Add an assessor's answers, and let go of these claims and of what was answered; False if the campaign
    takes nothing more. Like judgments they hold the log's lock until the commit."""
    campaign, assessor = answers[0].campaign_id, answers[0].assessor_id
    heads = LogHead.objects.select_for_update().filter(campaign=campaign, accepting=True)
    if heads.first() is None:
        return False
    Claim.objects.filter(id__in=claims, assessor_id=assessor).delete()
    given = [(answer.topic_id, answer.document_id) for answer in answers if not answer.undo]
    with connection.cursor() as cursor:
        cursor.execute(
            _TAKE_UP, [[topic for topic, _ in given], [document for _, document in given], assessor]
        )
    Repeat.objects.bulk_create(answers)
    _note(answers)
    return True


def _note(answers: Sequence[Repeat]) -> None:
    """For organisers: an assessor's own history holds judgments alone, so that nothing tells them."""
    rows = Repeat.objects.filter(id__in=[answer.id for answer in answers])
    # The log is locked meanwhile: no texts are read, however many answers there are.
    found = {
        id: told for id, *told in rows.values_list("id", "topic__number", "document__docno", "first__grade")
    }
    for answer in answers:
        topic, docno, before = found[answer.id]
        said = {"grade": answer.grade, "reason": answer.reason, "undo": answer.undo, "before": before}
        audit.note(campaign=answer.campaign, kind="shown again", topic=topic, docno=docno, **said)
