"""The log of notes and marked passages: its only write path, and every reading of what is valid now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.formats.errors import TEXT_BYTES
from campaigns.log.current import made_by_assessors
from campaigns.models import Annotation, Campaign, Judgment

LONGEST_NOTE = 2000
# Of one document, by one assessor; and the characters of one passage.
MOST_PASSAGES, LONGEST_PASSAGE = 50, 5000

# A topic and a document, by their ids.
Place = tuple[int, int]


def passages_of(text: str, spans: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """The passages of a text between pairs of offsets, by their starts; a pair given twice is one.

    Parameters
    ----------
    text : the document's plain text.
    spans : start and end of each, in Unicode code points, the end exclusive: 0 <= start < end <= len(text).

    Raises
    ------
    Refusal : a pair out of these bounds, more than 50 pairs, or a passage of more than 5,000 code points.

    Examples
    --------
    >>> passages_of("A 🎬 cinema", [(2, 10)])
    [{'start': 2, 'end': 10, 'text': '🎬 cinema'}]
    """
    spans = sorted(set(spans))
    if len(spans) > MOST_PASSAGES:
        detail = gettext("a document has at most %(most)s marked passages, not %(many)s")
        raise _bad(detail % {"most": MOST_PASSAGES, "many": len(spans)})
    for start, end in spans:
        _check_span(start, end, len(text))
    return [{"start": start, "end": end, "text": text[start:end]} for start, end in spans]


def _check_span(start: int, end: int, length: int) -> None:
    where = {"start": start, "end": end, "length": length, "most": LONGEST_PASSAGE}
    if start < 0 or end <= start:
        raise _bad(gettext("a passage must end after its start, not run from %(start)s to %(end)s") % where)
    if end > length:
        raise _bad(
            gettext("%(end)s is beyond the end of the document’s text (%(length)s characters)") % where
        )
    if end - start > LONGEST_PASSAGE:
        detail = gettext("a passage has at most %(most)s characters: from %(start)s to %(end)s are more")
        raise _bad(detail % where)


def _bad(detail: str) -> Refusal:
    return Refusal("bad_passages", detail, field="passages")


def check_stored_passages(passages: list[Any]) -> None:
    """Refuse a list, read from a file, that `passages_of` could not have made: ValueError or Refusal. The
    words may be missing."""
    if len(passages) > MOST_PASSAGES:
        raise ValueError(f"a document has at most {MOST_PASSAGES} marked passages")
    for one in passages:
        if not isinstance(one, dict) or set(one) != {"start", "end", "text"}:
            raise ValueError("each has a start, an end and a text")
        if type(one["start"]) is not int or type(one["end"]) is not int:
            raise ValueError("start and end are whole numbers")
        _check_span(one["start"], one["end"], TEXT_BYTES)
        if not isinstance(one["text"], str) or len(one["text"]) not in (0, one["end"] - one["start"]):
            raise ValueError("a passage’s text is as long as the passage")


def check_note(note: str) -> str:
    """The note without blanks around it."""
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        detail = gettext("a note has at most %(most)s characters, not %(many)s")
        values = {"most": LONGEST_NOTE, "many": len(note)}
        raise Refusal("note_too_long", detail % values, field="note")
    return note


def append_annotation(
    *,
    id: UUID,
    assessor: int,
    place: Place,
    note: str,
    passages: list[dict[str, Any]],
    document_revision: int,
) -> tuple[Annotation, bool]:
    """Add an annotation of a revision of the document's text, which replaces the assessor's earlier one in
    reading; and whether it is new. The same id again changes nothing."""
    topic, document = place
    row = Annotation(
        id=id,
        topic_id=topic,
        document_id=document,
        assessor_id=assessor,
        note=check_note(note),
        passages=passages,
        document_revision=document_revision,
        created=timezone.now(),
    )
    Annotation.objects.bulk_create([row], ignore_conflicts=True)
    stored = Annotation.objects.get(id=id)
    if (stored.topic_id, stored.document_id, stored.assessor_id) != (topic, document, assessor):
        raise Refusal("id_taken", gettext("this id belongs to another note"), field="id", status=409)
    return stored, stored.created == row.created


def _newest(rows: QuerySet[Annotation]) -> QuerySet[Annotation]:
    order = ("topic_id", "document_id", "assessor_id")
    return rows.order_by(*order, "-created", "-id").distinct(*order)


def own_annotations(*, topic: int, assessor: int) -> list[dict[str, Any]]:
    """Notes and marked passages of one assessor in a topic, for their own screen."""
    rows = _newest(Annotation.objects.filter(topic=topic, assessor=assessor)).values_list(
        "document__docno", "note", "passages", "document_revision"
    )
    names = ("docno", "note", "passages", "document_revision")
    return [dict(zip(names, row, strict=True)) for row in rows]


def graded_annotations(*, topic: int, document: int) -> list[tuple[int | None, Annotation]]:
    """Assessors' notes and marked passages in a document of a topic, each with the assessor's latest grade,
    by grade."""
    acts = made_by_assessors(Judgment.objects.filter(topic=topic, document=document)).order_by("sequence")
    grades = dict(acts.values_list("assessor", "grade"))
    rows = _newest(Annotation.objects.filter(topic=topic, document=document))
    pairs = [(grades.get(row.assessor_id), row) for row in rows if row.note or row.passages]
    return sorted(pairs, key=lambda one: (one[0] is None, one[0] or 0, one[1].created))


def annotations_of_document(*, campaign: Campaign, document: int) -> dict[int, list[Annotation]]:
    """Assessors' notes and marked passages in a document, by topic, each with its assessor."""
    rows = Annotation.objects.filter(topic__campaign=campaign, document=document)
    by_topic: defaultdict[int, list[Annotation]] = defaultdict(list)
    for row in _newest(rows).select_related("assessor"):
        if row.note or row.passages:
            by_topic[row.topic_id].append(row)
    return dict(by_topic)
