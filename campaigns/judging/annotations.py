"""Notes on documents and marked passages, beside the judgment and never in its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from campaigns.collection.plain_text import plain_text
from campaigns.collection.rankings import is_ranked
from campaigns.judging.lookup import ActRequest, act_place_of, look_up_acts
from campaigns.judging.situation import not_open
from campaigns.log.annotations import append_annotation, check_note, passages_of
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


def annotate(*, campaign: Campaign, assessor: int, wish: AnnotationRequest) -> tuple[Annotation, bool]:
    """Store a note and marked passages; and whether they are new. An assessor may annotate what they may
    judge: before the judgment, after it, and once the topic is closed."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    note = check_note(wish.note)
    act = ActRequest(wish.id, wish.topic, wish.docno)
    [found] = look_up_acts(campaign, assessor, [act])
    place = act_place_of(campaign, act, found, is_ranked)
    text = _text_of(place.document) if wish.spans else ""
    return append_annotation(
        id=wish.id,
        assessor=assessor,
        place=(place.topic, place.document),
        note=note,
        passages=passages_of(text, wish.spans),
    )


def _text_of(document: int) -> str:
    [(body, content_type)] = Document.objects.filter(id=document).values_list("body", "content_type")
    return plain_text(body, content_type)
