"""Search results in a sample: a document that an assessor found by search counts once the sample has come to
it.

Until then, its grade says nothing of documents that were not searched for. Afterwards the sample would have
served it and got the same grade, so leaving it out would bias the sample.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection

from campaigns.log.current import OF_TOPICS, counting, current_grades, latest_acts
from campaigns.log.searched import IS_SERVED
from campaigns.models import Campaign

_SEARCHED = """,
served AS (SELECT DISTINCT topic_id, document_id FROM campaigns_judgment WHERE {where} AND {served})
SELECT current.topic_id, current.document_id, d.docno, current.grade
FROM current JOIN campaigns_document d ON d.id = current.document_id
WHERE NOT EXISTS (
  SELECT FROM served s WHERE s.topic_id = current.topic_id AND s.document_id = current.document_id)
"""


def searched_grades(
    campaign: Campaign, topics: Collection[int], policy: str = ""
) -> dict[int, dict[int, tuple[str, int]]]:
    """Docno and grade, by topic and document id, of documents that were found by search alone."""
    beside = _SEARCHED.format(where=counting(campaign, OF_TOPICS), served=IS_SERVED)
    query = f"WITH {current_grades(campaign, policy, where=OF_TOPICS)}{beside}"
    grades: dict[int, dict[int, tuple[str, int]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(query, {"topics": list(topics)})
        for topic, document, docno, grade in cursor:
            grades.setdefault(topic, {})[document] = docno, grade
    return grades


_SAID = "SELECT DISTINCT document_id FROM latest WHERE NOT undo"


_SERVED = (
    "SELECT DISTINCT document_id FROM campaigns_judgment WHERE {where} AND method = %(method)s AND NOT undo"
)


def said_of(campaign: Campaign, topic: int) -> set[int]:
    """Documents of which an assessor's act stands, a grade or a reason why there is none. As everywhere here,
    acts of excluded assessors do not count: their documents are served again."""
    acts = latest_acts(counting(campaign, OF_TOPICS), columns="undo")
    return _documents(f"WITH {acts} {_SAID}", topics=[topic])


def served_by(campaign: Campaign, topic: int, method: str) -> set[int]:
    """Documents that this method served and an assessor judged."""
    return _documents(_SERVED.format(where=counting(campaign, OF_TOPICS)), topics=[topic], method=method)


def _documents(query: str, **given: Any) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        return {document for (document,) in cursor}


def come_to(
    order: Sequence[int], *, searched: Collection[int], served: Collection[int], answered: Collection[int]
) -> set[int]:
    """Select the searched documents that serving in this order has passed: a later one was served, or none of
    the others is left to be served. `answered`: all documents with a standing act."""
    if all(document in answered for document in order):
        return set(order).intersection(searched)
    last = max((place for place, document in enumerate(order) if document in served), default=0)
    return set(order[:last]).intersection(searched)


def asked_by_now(
    asked: Sequence[int], *, searched: Collection[int], served: Collection[int]
) -> Sequence[int]:
    """Select, of the documents that a method came to in a replay, in its order, those that it came to in
    truth. Documents behind a searched one count as far as the method has served documents behind it."""
    first = next((place for place, document in enumerate(asked) if document in searched), len(asked))
    last = max((place for place, document in enumerate(asked) if document in served), default=-1)
    return asked[: max(first, last + 1)]
