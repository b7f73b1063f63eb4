"""Shapes of judgments and their outcomes, and of the log."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers

from campaigns.api.shapes.base import (
    BoundedList,
    Flag,
    Id,
    PageQuery,
    Problem,
    RequestShape,
    Shape,
    Text,
    WholeNumber,
    example_of,
    name,
)
from campaigns.api.shapes.judging.serving import MOST_HAD, PROGRESS, Progress, Served

SMALL, LARGE = -(2**15), 2**15 - 1


class LogQuery(PageQuery):
    """Filters of the log. Assessors must give `topic` and cannot use the others."""

    topic = name(required=False, help_text="topic number; required for assessors")
    assessor = Text(required=False, max_length=150, help_text="user name of the assessor; organisers only")
    since = serializers.DateTimeField(
        required=False, help_text="earliest time of the log entries; organisers only"
    )
    after = WholeNumber(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="sequence number; only later log entries are listed; organisers only",
    )


class JudgmentIn(RequestShape):
    """A judgment by an assessor: exactly one of grade, reason and undo."""

    id = Id(help_text="UUID chosen by the sender; a judgment sent twice with the same UUID counts once")
    topic = name(help_text="topic number")
    docno = name(help_text="document ID (docno)")
    grade = WholeNumber(
        required=False,
        min_value=SMALL,
        max_value=LARGE,
        help_text="grade of the document, from the campaign's scale",
    )
    reason = name(
        required=False,
        help_text="reason why the document cannot be judged: unreadable, missing text, wrong language, "
        "conflict of interest or other",
    )
    undo = Flag(
        required=False,
        default=False,
        help_text="true to undo the assessor's judgment of the document (default: false)",
    )
    milliseconds = WholeNumber(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=2**31 - 1,
        help_text="time spent on the document, in milliseconds; null if unknown (default: null)",
    )
    seen = WholeNumber(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=100,
        help_text="share of a document of more than two screens that had come into view, in percent; null "
        "if unknown (default: null)",
    )
    shown = name(
        required=False,
        help_text="ID of the document displayed next; not allowed with an undo (default: the server chooses)",
    )
    have = BoundedList(
        child=name(),
        required=False,
        max_length=MOST_HAD,
        help_text="IDs of documents whose text the answer may omit, at most 200",
    )
    revision = Flag(
        required=False, help_text="true if the screen showed the assessor's earlier judgment of the document"
    )

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


class JudgmentOut(Shape):
    """A recorded judgment."""

    id = serializers.UUIDField(help_text="UUID of the judgment")
    topic = serializers.CharField(help_text="topic number")
    docno = serializers.CharField(help_text="document ID (docno)")
    grade = serializers.IntegerField(allow_null=True, help_text="grade given; null with a reason or an undo")
    reason = serializers.CharField(
        help_text="reason why the document could not be judged; empty if it was judged"
    )
    undo = serializers.BooleanField(help_text="true if the judgment undoes the assessor's earlier one")
    revision = serializers.BooleanField(help_text="true if the assessor had judged the document before")
    created = serializers.DateTimeField(help_text="time of the judgment")


class Recorded(Shape):
    """A recorded judgment and the next document."""

    judgment = JudgmentOut(help_text="the recorded judgment")
    progress = Progress(help_text="progress of the current assessor in the topic")
    next = Served(allow_null=True, help_text="next document to judge; null if none is left")
    asks_note = serializers.BooleanField(
        help_text="true if the organisers ask for a note: your first grade of the document differs from "
        "another assessor’s; always false unless the campaign has `note_on_disagreement`"
    )

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
        "asks_note": False,
    }


class Outcome(Shape):
    """The outcome of one judgment in a list."""

    id = serializers.CharField(allow_null=True, help_text="UUID as sent; null if the judgment had none")
    status = serializers.IntegerField(
        help_text="HTTP status: 201 if recorded, 200 if recorded before, otherwise rejected"
    )
    judgment = JudgmentOut(required=False, help_text="the recorded judgment; absent if rejected")
    problem = Problem(required=False, help_text="error of a rejected judgment; absent if recorded")


class Outcomes(Shape):
    """The outcomes of a list of judgments."""

    results = Outcome(many=True, help_text="outcomes in the order in which the judgments were sent")

    example = {
        "results": [
            {"id": JudgmentIn.example["id"], "status": 201, "judgment": Recorded.example["judgment"]},
            {"id": "0b7f6d2e-3f0c-4e57-8a51-64f1a6f4c1d2", "status": 409, "problem": example_of(409)},
        ]
    }


class Said(Shape):
    """The current assessor's latest judgment of a document."""

    id = serializers.UUIDField(help_text="UUID of the judgment")
    topic = serializers.CharField(help_text="topic number")
    docno = serializers.CharField(help_text="document ID (docno)")
    title = serializers.CharField(help_text="document title; may be empty")
    grade = serializers.IntegerField(allow_null=True, help_text="grade given; null with a reason")
    reason = serializers.CharField(
        help_text="reason why the document could not be judged; empty if it was judged"
    )
    created = serializers.DateTimeField(help_text="time of the judgment")

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
    """An entry of the judgment log, as organisers see it."""

    sequence = serializers.IntegerField(help_text="sequence number in the log, from 1 without gaps")
    id = serializers.UUIDField(help_text="UUID of the judgment")
    topic = serializers.CharField(help_text="topic number")
    docno = serializers.CharField(help_text="document ID (docno)")
    assessor = serializers.CharField(help_text="user name of the assessor")
    grade = serializers.IntegerField(allow_null=True, help_text="grade given; null with a reason or an undo")
    reason = serializers.CharField(
        help_text="reason why the document could not be judged; empty if it was judged"
    )
    undo = serializers.BooleanField(help_text="true if the entry undoes the assessor's earlier judgment")
    adjudication = serializers.BooleanField(help_text="true if the entry is the decision of an adjudicator")
    milliseconds = serializers.IntegerField(
        allow_null=True, help_text="time spent on the document, in milliseconds; null if unknown"
    )
    seen = serializers.IntegerField(
        allow_null=True,
        help_text="share of a document of more than two screens that had come into view, in percent; null "
        "if unknown",
    )
    method = serializers.CharField(
        help_text="selection method that served the document; search or anchor where none did; empty for "
        "imported judgments"
    )
    served_exactly = serializers.BooleanField(
        allow_null=True,
        help_text="true if the document was the method's current first choice; null if no queue served it",
    )
    inclusion_probability = serializers.FloatField(
        allow_null=True,
        help_text="probability with which the document was drawn, in (0, 1]; null if it was not drawn",
    )
    stale_claim = serializers.BooleanField(
        help_text="true if the assessor's claim had ended before the judgment arrived"
    )
    topic_revision = serializers.IntegerField(help_text="revision of the topic that the assessor saw, from 1")
    supersedes = serializers.UUIDField(
        allow_null=True, help_text="UUID of the entry that this one replaces; null if there is none"
    )
    created = serializers.DateTimeField(help_text="time of the judgment")
    imported_from = serializers.CharField(
        help_text="name of the qrels file that the judgment was imported from; empty for others"
    )

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
        "seen": None,
        "method": "C",
        "served_exactly": True,
        "inclusion_probability": None,
        "stale_claim": False,
        "topic_revision": 1,
        "supersedes": None,
        "created": "2026-03-02T10:01:07Z",
        "imported_from": "",
    }
