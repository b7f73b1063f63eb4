"""Notes on documents and marked passages, beside the judgment and never in its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction

from campaigns.collection.document_revisions import as_it_was, hold_texts
from campaigns.collection.rankings import is_ranked
from campaigns.collection.shown_text import plain_text_of
from campaigns.judging.lookup import ActRequest, act_place_of, look_up_acts
from campaigns.judging.situation import not_open
from campaigns.log.annotations import append_annotation, check_note, passages_of
from campaigns.log.current import is_by_assessor
from campaigns.log.overlap import differs_from_others
from campaigns.models import Annotation, Campaign, Document
from campaigns.models.campaign import Status


@dataclass(frozen=True)
class AnnotationRequest:
    """`spans`: start and end of each marked passage, in code points of the document's plain text. Note and
    passages are whole: they replace the assessor's earlier ones."""

    id: UUID
    topic: str
    docno: str
    note: str = ""
    spans: Sequence[tuple[int, int]] = ()
    # Of the text in which they are marked; None: the present one.
    document_revision: int | None = None


def annotate(*, campaign: Campaign, assessor: int, request: AnnotationRequest) -> tuple[Annotation, bool]:
    """Store a note and marked passages; and whether they are new. An assessor may annotate what they may
    judge: before the judgment, after it, and once the topic is closed."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    note = check_note(request.note)
    act = ActRequest(request.id, request.topic, request.docno, document_revision=request.document_revision)
    with transaction.atomic():
        hold_texts(campaign)
        [lookup] = look_up_acts(campaign, [assessor], [act])
        place = act_place_of(campaign, act, lookup, is_ranked)
        text = _text_of(place.document, place.document_revision) if request.spans else ""
        return append_annotation(
            id=request.id,
            assessor=assessor,
            place=(place.topic, place.document),
            note=note,
            passages=passages_of(text, request.spans),
            document_revision=place.document_revision,
        )


def _text_of(document: int, revision: int) -> str:
    return plain_text_of(as_it_was(Document.objects.get(id=document), revision))


@dataclass(frozen=True)
class RequestedNote:
    """A document on which an assessor was asked for a note and has written none."""

    topic: str
    docno: str
    title: str


MOST_REQUESTED = 50
# What others said by then: `progress_after` looked at the same. One whose judgment is undone owes no note.
_MINE = {name: f"mine.{name}_id" for name in ("topic", "document", "assessor")} | {"grade": "mine.grade"}
_HERE = "topic_id = mine.topic_id AND document_id = mine.document_id AND assessor_id = mine.assessor_id"
_REQUESTED = f"""
SELECT t.number, d.docno, d.title
FROM campaigns_judgment mine
JOIN campaigns_topic t ON t.id = mine.topic_id JOIN campaigns_document d ON d.id = mine.document_id
WHERE mine.campaign_id = %(campaign)s AND mine.assessor_id = %(assessor)s AND mine.supersedes_id IS NULL
  AND mine.grade IS NOT NULL AND NOT mine.adjudication AND t.closed_at IS NULL
  AND {is_by_assessor("mine")}
  AND NOT EXISTS (SELECT FROM campaigns_annotation WHERE {_HERE} AND note <> '')
  AND {differs_from_others(_MINE, " AND sequence < mine.sequence")}
  AND NOT (SELECT undo FROM campaigns_judgment WHERE {_HERE} ORDER BY sequence DESC LIMIT 1)
ORDER BY mine.sequence DESC LIMIT %(most)s
"""  # noqa: S608


def requested_notes(*, campaign: Campaign, assessor: int) -> list[RequestedNote]:
    """The newest fifty, newest first; none where notes cannot be written now or are no longer asked for."""
    if not campaign.note_on_disagreement or campaign.status != Status.OPEN:
        return []
    with connection.cursor() as cursor:
        values = {"campaign": campaign.id, "assessor": assessor, "most": MOST_REQUESTED}
        cursor.execute(_REQUESTED, values)
        return [RequestedNote(*row) for row in cursor.fetchall()]
