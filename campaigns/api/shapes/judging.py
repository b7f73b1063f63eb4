"""Shapes of judging: the next document, judgments and their outcomes, the log."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers

from campaigns.api.shapes.base import (
    Flag,
    Id,
    Many,
    PageQuery,
    Problem,
    Query,
    Shape,
    Strict,
    Text,
    Whole,
    example_of,
    name,
)
from campaigns.api.shapes.collection import Shown

MOST_HAD = 200
SMALL, LARGE = -(2**15), 2**15 - 1


class NextQuery(Query):
    topic = name(help_text="the topic's number")
    docno = name(required=False, help_text="bring this document back, to be judged anew")


class AheadQuery(Query):
    topic = name(help_text="the topic's number")
    docno = name(help_text="what is on screen")
    have = Many(
        child=name(), required=False, max_length=MOST_HAD, help_text="documents that need not be sent"
    )


class LogQuery(PageQuery):
    """For assessors, `topic` is needed and what follows it is not theirs to ask."""

    topic = name(required=False, help_text="the topic's number; an assessor has to say it")
    assessor = Text(required=False, max_length=150, help_text="for organisers: of this person alone")
    since = serializers.DateTimeField(required=False, help_text="for organisers: made at this time or later")
    after = Whole(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="for organisers: behind this sequence number in the log",
    )


class JudgmentIn(Strict):
    """What an assessor says of a document: exactly one of grade, reason and undo."""

    id = Id(help_text="made by whoever sends it; sent again, it changes nothing")
    topic = name()
    docno = name()
    grade = Whole(required=False, min_value=SMALL, max_value=LARGE)
    reason = name(required=False, help_text="why it cannot be judged")
    undo = Flag(required=False, default=False)
    milliseconds = Whole(required=False, allow_null=True, min_value=0, max_value=2**31 - 1)
    shown = name(required=False, help_text="the document put on screen after it; never with an undo")
    have = Many(
        child=name(),
        required=False,
        max_length=MOST_HAD,
        help_text="documents whose text the answer may leave out",
    )
    revision = Flag(required=False, help_text="whether the screen showed what was said of it before")

    example = {
        "id": "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
        "topic": "401",
        "docno": "LA010189-0001",
        "grade": 1,
        "milliseconds": 14200,
    }

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        acts = ["grade" in attrs, "reason" in attrs, attrs["undo"]]
        if sum(acts) != 1:
            raise serializers.ValidationError(gettext("give exactly one of grade, reason and undo"))
        if attrs["undo"] and "shown" in attrs:
            raise serializers.ValidationError({"shown": [gettext("an undo shows its own document")]})
        return attrs


class PlaceIn(Strict):
    topic = name()
    docno = name()

    example = {"topic": "401", "docno": "LA010189-0001"}


class LaterIn(PlaceIn):
    shown = name(required=False, help_text="the document put on screen after it")


class Progress(Shape):
    judged = serializers.IntegerField()
    relevant = serializers.IntegerField()
    minimum = serializers.IntegerField()
    postponed = serializers.IntegerField()


class Claim(Shape):
    """Nobody else is given the document until then."""

    docno = serializers.CharField()
    expires_at = serializers.DateTimeField()
    revising = serializers.IntegerField(
        allow_null=True, help_text="the grade given before, which still stands"
    )
    revision = serializers.BooleanField()


class Served(Shape):
    """The document is left out where the screen shows it already, or the sender has it."""

    docno = serializers.CharField()
    document = Shown(required=False)
    claim = Claim()

    example = {
        "docno": "LA010189-0001",
        "document": Shown.example,
        "claim": {
            "docno": "LA010189-0001",
            "expires_at": "2026-03-02T10:20:00Z",
            "revising": None,
            "revision": False,
        },
    }


PROGRESS = {"judged": 17, "relevant": 6, "minimum": 40, "postponed": 0}


class Next(Served):
    progress = Progress()

    example = {**Served.example, "progress": PROGRESS}


class JudgmentOut(Shape):
    id = serializers.UUIDField()
    topic = serializers.CharField()
    docno = serializers.CharField()
    grade = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    undo = serializers.BooleanField()
    revision = serializers.BooleanField()
    created = serializers.DateTimeField()


class Recorded(Shape):
    judgment = JudgmentOut()
    progress = Progress()
    next = Served(allow_null=True)

    example = {
        "judgment": {
            "id": "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
            "topic": "401",
            "docno": "LA010189-0001",
            "grade": 1,
            "reason": "",
            "undo": False,
            "revision": False,
            "created": "2026-03-02T10:01:07Z",
        },
        "progress": PROGRESS,
        "next": Served.example,
    }


class Outcome(Shape):
    """What became of one judgment of several, as if it had been sent alone."""

    id = serializers.CharField(allow_null=True, help_text="as it was sent; null where there was none")
    status = serializers.IntegerField(help_text="201: recorded; 200: recorded before; else refused")
    judgment = JudgmentOut(required=False)
    problem = Problem(required=False, help_text="why it was refused")


class Outcomes(Shape):
    results = Outcome(many=True, help_text="in the order of what was sent")

    example = {
        "results": [
            {"id": JudgmentIn.example["id"], "status": 201, "judgment": Recorded.example["judgment"]},
            {"id": "0b7f6d2e-3f0c-4e57-8a51-64f1a6f4c1d2", "status": 409, "problem": example_of(409)},
        ]
    }


class Said(Shape):
    """What the assessor said of a document last."""

    id = serializers.UUIDField()
    topic = serializers.CharField()
    docno = serializers.CharField()
    title = serializers.CharField()
    grade = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    created = serializers.DateTimeField()

    example = {
        "id": "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
        "topic": "401",
        "docno": "LA010189-0001",
        "title": "Cinema",
        "grade": 1,
        "reason": "",
        "created": "2026-03-02T10:01:07Z",
    }


class Logged(Shape):
    """One act of the judgment log, as organisers see it."""

    sequence = serializers.IntegerField(help_text="its place in the log, from 1 without gaps")
    id = serializers.UUIDField()
    topic = serializers.CharField()
    docno = serializers.CharField()
    assessor = serializers.CharField()
    grade = serializers.IntegerField(allow_null=True, help_text="null: not judged, or taken back")
    reason = serializers.CharField(help_text="why it could not be judged")
    undo = serializers.BooleanField(help_text="takes back what the assessor said before")
    adjudication = serializers.BooleanField()
    milliseconds = serializers.IntegerField(allow_null=True)
    method = serializers.CharField(help_text="what served the document; empty: nothing did")
    served_exactly = serializers.BooleanField(allow_null=True)
    inclusion_probability = serializers.FloatField(allow_null=True)
    stale_claim = serializers.BooleanField()
    topic_revision = serializers.IntegerField()
    supersedes = serializers.UUIDField(allow_null=True, help_text="the act that it takes the place of")
    created = serializers.DateTimeField()

    example = {
        "sequence": 17,
        "id": "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
        "topic": "401",
        "docno": "LA010189-0001",
        "assessor": "grace",
        "grade": 1,
        "reason": "",
        "undo": False,
        "adjudication": False,
        "milliseconds": 14200,
        "method": "C",
        "served_exactly": True,
        "inclusion_probability": None,
        "stale_claim": False,
        "topic_revision": 1,
        "supersedes": None,
        "created": "2026-03-02T10:01:07Z",
    }


class Postponed(Shape):
    progress = Progress()
    next = Served(allow_null=True)

    example = {"progress": {**PROGRESS, "postponed": 1}, "next": Served.example}


class Renewed(Shape):
    expires_at = serializers.DateTimeField(allow_null=True)

    example = {"expires_at": "2026-03-02T10:40:00Z"}


class Ahead(Shape):
    """What may come after the document on screen: by what is said of it, and in reserve."""

    docno = serializers.CharField()
    next = serializers.DictField(
        child=serializers.CharField(allow_null=True), help_text="by grade; under the empty name: by no grade"
    )
    exact = serializers.BooleanField()
    reserve = serializers.ListField(child=serializers.CharField())
    documents = Shown(many=True)
    more = serializers.BooleanField(help_text="not all documents fitted in; ask again")
    expires_at = serializers.DateTimeField()
    progress = Progress()

    example = {
        "docno": "LA010189-0001",
        "next": {"0": "LA010189-0002", "1": "LA010189-0002", "2": "LA010289-0017", "": "LA010189-0002"},
        "exact": True,
        "reserve": ["LA010289-0017"],
        "documents": [Shown.example],
        "more": False,
        "expires_at": "2026-03-02T10:20:00Z",
        "progress": PROGRESS,
    }
