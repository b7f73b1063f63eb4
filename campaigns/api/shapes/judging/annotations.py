"""Shapes of notes and marked passages."""

from __future__ import annotations

from rest_framework import serializers

from campaigns.api.shapes.base import BoundedList, Id, RequestShape, Shape, Text, WholeNumber, name
from campaigns.log.annotations import LONGEST_NOTE, LONGEST_PASSAGE, MOST_PASSAGES

LARGEST_OFFSET = 2**31 - 1
_ID = "2c1d1a1e-4f0e-4c39-8a58-0d9b6b0b7a11"


class PassageIn(RequestShape):
    """A passage of a document’s plain text. Offsets count Unicode code points from 0."""

    start = WholeNumber(min_value=0, max_value=LARGEST_OFFSET, help_text="offset of the first character")
    end = WholeNumber(
        min_value=1,
        max_value=LARGEST_OFFSET,
        help_text=f"offset after the last character, at most {LONGEST_PASSAGE:,} above `start`",
    )


class AnnotationIn(RequestShape):
    """An assessor’s note on a document and its marked passages. They replace the earlier ones."""

    id = Id(help_text="UUID chosen by the sender; an annotation sent twice with the same UUID counts once")
    topic = name(help_text="topic number")
    docno = name(help_text="document ID (docno)")
    note = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=LONGEST_NOTE,
        help_text=f"note or reason, at most {LONGEST_NOTE:,} characters (default: none)",
    )
    passages = BoundedList(
        child=PassageIn(),
        required=False,
        default=list,
        max_length=MOST_PASSAGES,
        help_text=f"marked passages, at most {MOST_PASSAGES} (default: none)",
    )

    example = {
        "id": _ID,
        "topic": "401",
        "docno": "LA010189-0001",
        "note": "Names the film, but not the year.",
        "passages": [{"start": 120, "end": 164}],
    }


class Passage(Shape):
    """A marked passage."""

    start = serializers.IntegerField(help_text="offset of the first character, in code points from 0")
    end = serializers.IntegerField(help_text="offset after the last character, in code points")
    text = serializers.CharField(help_text="text between the offsets at the time of marking")


class AnnotationOut(Shape):
    """A stored annotation."""

    id = serializers.UUIDField(help_text="UUID of the annotation")
    topic = serializers.CharField(help_text="topic number")
    docno = serializers.CharField(help_text="document ID (docno)")
    note = serializers.CharField(help_text="note or reason; may be empty")
    passages = Passage(many=True, help_text="marked passages, by their starts")
    created = serializers.DateTimeField(help_text="time at which the annotation was stored")

    example = {
        **AnnotationIn.example,
        "passages": [{"start": 120, "end": 164, "text": "the film that made the director well known, "}],
        "created": "2026-03-02T10:01:07Z",
    }
