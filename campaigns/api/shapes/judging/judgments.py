"""Shapes of judgments and their outcomes, and of the log."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from rest_framework import serializers

from campaigns.api.shapes.base import (
    BoundedList,
    Flag,
    Id,
    Number,
    PageQuery,
    Problem,
    Shape,
    Text,
    Time,
    WholeNumber,
    example_of,
    name,
)
from campaigns.api.shapes.judging.serving import MOST_HAD, PROGRESS, Progress, SeenIn, Served

SMALL, LARGE = -(2**15), 2**15 - 1


class LogQuery(PageQuery):
    """Filters of the log. Assessors must give `topic` and cannot use the others."""

    topic = name("topic number; required for assessors", required=False)
    assessor = Text("user name of the assessor; organisers only", required=False, max_length=150)
    since = Time("earliest time of the log entries; organisers only", required=False)
    after = WholeNumber(
        "sequence number; only later log entries are listed; organisers only",
        required=False,
        min_value=0,
        max_value=2**31 - 1,
    )


class JudgmentIn(SeenIn):
    """A judgment by an assessor: exactly one of grade, reason and undo."""

    id = Id(
        "UUID chosen by the sender; a judgment sent twice with the same UUID counts once",
        "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a",
    )
    grade = WholeNumber(
        "grade of the document, from the campaign's scale",
        1,
        required=False,
        min_value=SMALL,
        max_value=LARGE,
    )
    reason = name(
        "reason why the document cannot be judged: unreadable, missing text, wrong language, "
        "conflict of interest or other",
        required=False,
    )
    undo = Flag("true to undo the assessor's judgment of the document (default: false)", default=False)
    milliseconds = WholeNumber.or_null(
        "time spent on the document, in milliseconds; null if unknown (default: null)",
        14200,
        required=False,
        min_value=0,
        max_value=2**31 - 1,
    )
    seen = WholeNumber.or_null(
        "share of a document of more than two screens that had come into view, in percent; null "
        "if unknown (default: null)",
        required=False,
        min_value=0,
        max_value=100,
    )
    shown = name(
        "ID of the document displayed next; not allowed with an undo (default: the server chooses)",
        required=False,
    )
    have = BoundedList(
        "IDs of documents whose text the answer may omit, at most 200",
        child=name(),
        required=False,
        max_length=MOST_HAD,
    )
    revision = Flag(
        "true if the screen showed the assessor's earlier judgment of the document", required=False
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        acts = ["grade" in attrs, "reason" in attrs, attrs["undo"]]
        if sum(acts) != 1:
            raise serializers.ValidationError(gettext("give exactly one of grade, reason and undo"))
        if attrs["undo"] and "shown" in attrs:
            raise serializers.ValidationError({"shown": [gettext("an undo shows its own document")]})
        return attrs


class JudgmentOut(Shape):
    """A recorded judgment."""

    id = Id("UUID of the judgment", "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a")
    topic = Text("topic number", "401")
    docno = Text("document ID (docno)", "LA010189-0001")
    grade = WholeNumber.or_null("grade given; null with a reason or an undo", 1)
    reason = Text("reason why the document could not be judged; empty if it was judged", "")
    undo = Flag("true if the judgment undoes the assessor's earlier one", False)
    revision = Flag("true if the assessor had judged the document before", False)
    created = Time("time of the judgment", "2026-03-02T10:01:07Z")


class Recorded(Shape):
    """A recorded judgment and the next document."""

    judgment = JudgmentOut(help_text="the recorded judgment")
    progress = Progress(help_text="progress of the current assessor in the topic", example=PROGRESS)
    next = Served(allow_null=True, help_text="next document to judge; null if none is left")
    asks_note = Flag(
        "true if the organisers ask for a note: your first grade of the document differs from "
        "another assessor’s; always false unless the campaign has `note_on_disagreement`",
        False,
    )


class Outcome(Shape):
    """The outcome of one judgment in a list."""

    id = Text.or_null("UUID as sent; null if the judgment had none")
    status = WholeNumber("HTTP status: 201 if recorded, 200 if recorded before, otherwise rejected")
    judgment = JudgmentOut(required=False, help_text="the recorded judgment; absent if rejected")
    problem = Problem(required=False, help_text="error of a rejected judgment; absent if recorded")


class Outcomes(Shape):
    """The outcomes of a list of judgments."""

    results = Outcome(
        many=True,
        help_text="outcomes in the order in which the judgments were sent",
        example=[
            {"id": JudgmentIn.example["id"], "status": 201, "judgment": Recorded.example["judgment"]},
            {"id": "0b7f6d2e-3f0c-4e57-8a51-64f1a6f4c1d2", "status": 409, "problem": example_of(409)},
        ],
    )


class Said(Shape):
    """The current assessor's latest judgment of a document."""

    id = Id("UUID of the judgment", "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a")
    topic = Text("topic number", "401")
    docno = Text("document ID (docno)", "LA010189-0001")
    title = Text("document title; may be empty", "Cinema")
    grade = WholeNumber.or_null("grade given; null with a reason", 1)
    reason = Text("reason why the document could not be judged; empty if it was judged", "")
    created = Time("time of the judgment", "2026-03-02T10:01:07Z")
    document_revision = WholeNumber("revision of the text that was judged, from 1", 1)


class Logged(Shape):
    """An entry of the judgment log, as organisers see it."""

    sequence = WholeNumber("sequence number in the log, from 1 without gaps", 17)
    id = Id("UUID of the judgment", "5f0c8a52-6d0c-4b0e-9b43-0f5a3c6d1e7a")
    topic = Text("topic number", "401")
    docno = Text("document ID (docno)", "LA010189-0001")
    assessor = Text("user name of the assessor", "grace")
    grade = WholeNumber.or_null("grade given; null with a reason or an undo", 1)
    reason = Text("reason why the document could not be judged; empty if it was judged", "")
    undo = Flag("true if the entry undoes the assessor's earlier judgment", False)
    adjudication = Flag("true if the entry is the decision of an adjudicator", False)
    milliseconds = WholeNumber.or_null("time spent on the document, in milliseconds; null if unknown", 14200)
    seen = WholeNumber.or_null(
        "share of a document of more than two screens that had come into view, in percent; null if unknown",
        None,
    )
    method = Text(
        "selection method that served the document; search or anchor where none did; duplicate for copied "
        "judgments; empty for imported ones",
        "C",
    )
    served_exactly = Flag.or_null(
        "true if the document was the method's current first choice; null if no queue served it", True
    )
    inclusion_probability = Number.or_null(
        "probability with which the document was drawn, in (0, 1]; null if it was not drawn", None
    )
    stale_claim = Flag("true if the assessor's claim had ended before the judgment arrived", False)
    topic_revision = WholeNumber("revision of the topic that the assessor saw, from 1", 1)
    supersedes = Id.or_null("UUID of the entry that this one replaces; null if there is none", None)
    created = Time("time of the judgment", "2026-03-02T10:01:07Z")
    imported_from = Text("name of the qrels file that the judgment was imported from; empty for others", "")
    copied_from = Text(
        "docno of the duplicate from which the judgment was copied, also where it is withdrawn; "
        "empty for others",
        "",
    )
    document_revision = WholeNumber("revision of the document’s text that the assessor saw, from 1", 1)
