"""Shapes of notes and marked passages."""

from __future__ import annotations

from campaigns.api.shapes.base import BoundedList, Id, RequestShape, Shape, Text, Time, WholeNumber
from campaigns.api.shapes.judging.serving import SeenIn
from campaigns.log.annotations import LONGEST_NOTE, LONGEST_PASSAGE, MOST_PASSAGES

LARGEST_OFFSET = 2**31 - 1
_ID = "2c1d1a1e-4f0e-4c39-8a58-0d9b6b0b7a11"


class PassageIn(RequestShape):
    """A passage of a document’s plain text. Offsets count Unicode code points from 0."""

    start = WholeNumber("offset of the first character", min_value=0, max_value=LARGEST_OFFSET)
    end = WholeNumber(
        f"offset after the last character, at most {LONGEST_PASSAGE:,} above `start`",
        min_value=1,
        max_value=LARGEST_OFFSET,
    )


class AnnotationIn(SeenIn):
    """An assessor’s note on a document and its marked passages. They replace the earlier ones."""

    id = Id("UUID chosen by the sender; an annotation sent twice with the same UUID counts once", _ID)
    note = Text(
        f"note or reason, at most {LONGEST_NOTE:,} characters (default: none)",
        "Names the film, but not the year.",
        default="",
        allow_blank=True,
        max_length=LONGEST_NOTE,
    )
    passages = BoundedList(
        f"marked passages, at most {MOST_PASSAGES} (default: none)",
        [{"start": 120, "end": 164}],
        child=PassageIn(),
        default=list,
        max_length=MOST_PASSAGES,
    )


class Passage(Shape):
    """A marked passage."""

    start = WholeNumber("offset of the first character, in code points from 0", 120)
    end = WholeNumber("offset after the last character, in code points", 164)
    text = Text(
        "text between the offsets at the time of marking", "the film that made the director well known, "
    )


class AnnotationOut(Shape):
    """A stored annotation."""

    id = Id("UUID of the annotation", _ID)
    topic = Text("topic number", "401")
    docno = Text("document ID (docno)", "LA010189-0001")
    note = Text("note or reason; may be empty", "Names the film, but not the year.")
    passages = Passage(many=True, help_text="marked passages, by their starts")
    created = Time("time at which the annotation was stored", "2026-03-02T10:01:07Z")
    document_revision = WholeNumber("revision of the text in which the passages are marked, from 1", 1)
