from __future__ import annotations

from collections.abc import Iterator

from django.db import connection, transaction

from campaigns.log.policies import latest_and_current
from campaigns.models import Campaign

_CURRENT = """
SELECT t.number, d.docno, current.grade
FROM current JOIN campaigns_topic t ON t.id = topic_id JOIN campaigns_document d ON d.id = document_id
ORDER BY t.position, d.docno
"""


def current_qrels(*, campaign: Campaign, policy: str = "") -> Iterator[tuple[str, str, int]]:
    """(topic number, docno, grade) of every judged document, in topic order, docnos ascending. `policy`: by
    default the campaign's."""
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(latest_and_current(campaign, policy) + _CURRENT, [campaign.id])
        while rows := cursor.fetchmany(5000):
            yield from rows
